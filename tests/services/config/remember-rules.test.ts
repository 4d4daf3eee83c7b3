import { expect, test } from "bun:test";
import { chmodSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { rememberPassedVariables, rememberRules } from "../../../src/services/config/remember-rules.ts";
import { tempProject } from "../../support/temp-project.ts";

const MODULE = new URL("../../../src/services/config/remember-rules.ts", import.meta.url).pathname;

test("the first rule makes folder and file, for this user alone", async () => {
  await using project = await tempProject();
  const file = project.path("config/projects/id.json");
  await rememberRules(file, ["Bash(npm test *)"]);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ permissions: { allow: ["Bash(npm test *)"] } });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(project.path("config/projects")).mode & 0o777).toBe(0o700);
  expect(readdirSync(project.path("config/projects"))).toEqual(["id.json"]);
});

test("comments and everything else in the file are kept", async () => {
  await using project = await tempProject({
    "own.json":
      '{\n  // why\n  "model": "m",\n  "permissions": {\n    "deny": ["x"], // keep\n    "allow": ["a" /* first */]\n  }\n}\n',
  });
  await rememberRules(project.path("own.json"), ["b", "a", "b", "c"]);
  const text = await project.read("own.json");
  for (const kept of ["// why", '"model": "m"', '"deny": ["x"], // keep', "/* first */"]) expect(text).toContain(kept);
  const allow = JSON.parse(text.replace(/\/\/.*|\/\*.*?\*\//g, "")).permissions.allow;
  expect(allow).toEqual(["a", "b", "c"]);
});

test.each([
  "",
  "{}",
  '{ "permissions": {} }',
  '{ "permissions": { "allow": [] } }',
  '{ "permissions": { "allow": ["z",] } }',
])("a rule is added to %j", async (text) => {
  await using project = await tempProject({ "own.json": text });
  await rememberRules(project.path("own.json"), ["Bash(ls \\*)"]);
  const after = JSON.parse((await project.read("own.json")).replace(/,(\s*\])/g, "$1"));
  expect(after.permissions.allow.at(-1)).toBe("Bash(ls \\*)");
});

test("a rule that is there already changes nothing", async () => {
  const text = '{"permissions":{"allow":["a"]}}';
  await using project = await tempProject({ "own.json": text });
  await rememberRules(project.path("own.json"), ["a"]);
  expect(await project.read("own.json")).toBe(text);
});

test("a malformed file is left unchanged and reported", async () => {
  await using project = await tempProject({ "own.json": '{ "permissions": ' });
  await expect(rememberRules(project.path("own.json"), ["a"])).rejects.toThrow("own.json:1:");
  expect(await project.read("own.json")).toBe('{ "permissions": ');
  expect(readdirSync(project.dir)).toEqual(["own.json"]);
});

test("a file that is a link stays one", async () => {
  await using project = await tempProject({ "dotfiles/own.json": "{}" });
  await symlink(project.path("dotfiles/own.json"), project.path("own.json"));
  await rememberRules(project.path("own.json"), ["a"]);
  expect(readlinkSync(project.path("own.json"))).toBe(project.path("dotfiles/own.json"));
  expect(await project.read("dotfiles/own.json")).toContain('"a"');
});

test.skipIf(process.getuid?.() === 0)("a folder that can't be written is one clear line", async () => {
  await using project = await tempProject({ "c/x": "" });
  chmodSync(project.path("c"), 0o500);
  await expect(rememberRules(project.path("c/own.json"), ["a"])).rejects.toThrow("the rule was not saved");
  chmodSync(project.path("c"), 0o700);
});

test("a file in the place of the folder is one clear line", async () => {
  await using project = await tempProject({ config: "" });
  await expect(rememberRules(project.path("config/own.json"), ["a"])).rejects.toThrow(
    `${project.path("config/own.json")} could not be locked`,
  );
});

test("two processes that add rules at once lose none", async () => {
  await using project = await tempProject();
  const file = project.path("own.json");
  const adders = ["a", "b", "c"].map((name) => {
    const script = `import { rememberRules } from ${JSON.stringify(MODULE)};
      for (let i = 0; i < 8; i += 1) await rememberRules(${JSON.stringify(file)}, ["${name}" + i]);`;
    return Bun.spawn([process.execPath, "-e", script], { stderr: "inherit" });
  });
  expect(await Promise.all(adders.map((adder) => adder.exited))).toEqual([0, 0, 0]);
  const { permissions } = JSON.parse(readFileSync(file, "utf8"));
  const expected = ["a", "b", "c"].flatMap((name) => Array.from({ length: 8 }, (_, i) => `${name}${i}`));
  expect(permissions.allow.toSorted()).toEqual(expected);
});

test("a rule that stands there with examples isn't written again", async () => {
  const text = '{"permissions":{"allow":[{"rule":"a","match":["x"]}]}}';
  await using project = await tempProject({ "own.json": text });
  await rememberRules(project.path("own.json"), ["a"]);
  expect(await project.read("own.json")).toBe(text);
  await rememberRules(project.path("own.json"), ["b"]);
  expect(JSON.parse(await project.read("own.json")).permissions.allow).toEqual([{ rule: "a", match: ["x"] }, "b"]);
});

test("names of passed variables are kept beside the rules and the other variables", async () => {
  await using project = await tempProject({ "own.json": '{ "env": { "A": "1" /* mine */ }, "permissions": {} }' });
  const file = project.path("own.json");
  await rememberPassedVariables(file, ["GH_TOKEN", "GH_TOKEN"]);
  await rememberPassedVariables(file, ["NPM_TOKEN"]);
  const text = await project.read("own.json");
  expect(text).toContain("/* mine */");
  expect(JSON.parse(text.replace(/\/\*.*?\*\//g, "")).env).toEqual({ A: "1", pass: ["GH_TOKEN", "NPM_TOKEN"] });
});

test("a passed variable that can't be kept is one clear line", async () => {
  await using project = await tempProject({ config: "" });
  await expect(rememberPassedVariables(project.path("config/own.json"), ["A"])).rejects.toThrow(
    "the variable's name was not saved",
  );
});
