import { expect, test } from "bun:test";
import type { DeclaredHook } from "../../../src/contracts/declared-hook.ts";
import { hookApprovables } from "../../../src/services/trust/hook-approvables.ts";
import { packageScripts } from "../../../src/services/trust/package-scripts.ts";
import { tempProject } from "../../support/temp-project.ts";

const pack = (scripts: object) => JSON.stringify({ name: "x", scripts });
const SCRIPTS = {
  guard: "npm run inner && sh tools/check.sh",
  inner: "true",
  preguard: "x",
  test: "y",
  loop: "npm run loop",
};

test.each([
  ["npm run guard", ["guard", "inner", "preguard"]],
  ["cd . && npm --silent run -s 'guard' -- --fast", ["guard", "inner", "preguard"]],
  ["pnpm run loop; yarn run test", ["loop", "test"]],
  ["npm run gone; npm run toString", []],
  ["npm install; ./guard", []],
])("the scripts that %j runs are found", async (command, names) => {
  await using place = await tempProject({ "package.json": pack(SCRIPTS) });
  expect([...packageScripts(command, place.dir).keys()].sort()).toEqual(names);
});

test("without a readable package.json there are none", async () => {
  await using place = await tempProject({ "package.json": "{broken" });
  expect(packageScripts("npm run guard", place.dir).size).toBe(0);
  expect(packageScripts("npm run guard", place.path("none")).size).toBe(0);
});

test("a hook that runs a script is other content when the script or its file changes, and no other script counts", async () => {
  await using place = await tempProject({ "package.json": pack(SCRIPTS), "tools/check.sh": "exit 2\n" });
  const hook: DeclaredHook = {
    ...{ event: "PreToolUse", file: place.path("settings.json"), layer: "project" },
    hook: { type: "command", command: "npm run guard" },
  };
  const content = () => hookApprovables([hook], place.dir)[0]?.content;
  const before = content();
  await place.write("package.json", pack({ ...SCRIPTS, test: "other" }));
  expect(content()).toBe(before);
  await place.write("package.json", pack({ ...SCRIPTS, inner: "exit 0" }));
  expect(content()).not.toBe(before);
  await place.write("package.json", pack(SCRIPTS));
  await place.write("tools/check.sh", "exit 0\n");
  expect(content()).not.toBe(before);
});
