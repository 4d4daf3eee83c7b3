import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { SandboxScope } from "../../../src/contracts/settings.ts";
import { rememberConsent, rememberRules } from "../../../src/services/config/remember-rules.ts";
import { tempProject } from "../../support/temp-project.ts";
import { failure, load } from "./support.ts";

const YES = '{ "sandbox": { "autoAllowBashIfSandboxed": true } }';
const NO = '{ "sandbox": { "autoAllowBashIfSandboxed": false } }';
const SCOPE: SandboxScope = { writable: ["/repo"], opened: [], hosts: [], sockets: [], strength: "full" };
const OWN = "config/projects/repo-1.json";

const consentOf = async (files: Record<string, string>, flags: Parameters<typeof load>[1] = {}, isTrusted = false) => {
  await using project = await tempProject(files);
  const { settings, warnings } = await load(project, flags, isTrusted);
  return { ...JSON.parse(JSON.stringify(settings.consent).replaceAll(project.dir, "")), warnings };
};

test("every layer of a person's own may agree, lowest first; a project's files may not", async () => {
  const files = {
    "config/settings.json": YES,
    "repo/.claude/settings.json": YES,
    [OWN]: YES,
    "managed.json": YES,
  };
  expect(await consentOf(files, { settings: YES, allowSandboxed: true }, true)).toEqual({
    agreedBy: [
      { layer: "user", file: "/config/settings.json" },
      { layer: "own", file: `/${OWN}` },
      { layer: "settings-flag", file: "--settings" },
      { layer: "flag", file: "--allow-sandboxed" },
      { layer: "managed", file: "/managed.json" },
    ],
    warnings: [],
  });
});

test.each([
  "config/settings.json",
  "repo/.quoll/settings.json",
  "repo/.claude/settings.json",
  "repo/.claude/settings.local.json",
  OWN,
  "managed.json",
])("a no in %s outranks every yes, in a folder that is trusted or not", async (file) => {
  const files = { "config/settings.json": YES, "managed.json": YES, [file]: NO };
  for (const isTrusted of [false, true])
    expect(await consentOf(files, { allowSandboxed: true }, isTrusted)).toMatchObject({ refusedBy: `/${file}` });
});

test("a no of --settings outranks the flag", async () => {
  expect(await consentOf({}, { settings: NO, allowSandboxed: true })).toMatchObject({ refusedBy: "--settings" });
});

test("where only the managed file may allow, it alone agrees, and no kept answer counts", async () => {
  const managed = (says: string) => `{ "permissions": { "allowManagedPermissionRulesOnly": true }${says} }`;
  const files = { "config/settings.json": YES, [OWN]: JSON.stringify({ sandbox: { agreed: SCOPE } }) };
  expect(await consentOf({ ...files, "managed.json": managed("") }, { allowSandboxed: true })).toEqual({
    agreedBy: [],
    warnings: [],
  });
  const says = ', "sandbox": { "autoAllowBashIfSandboxed": true }';
  expect((await consentOf({ ...files, "managed.json": managed(says) })).agreedBy).toEqual([
    { layer: "managed", file: "/managed.json" },
  ]);
});

test("an answer is kept in the user's own file for the project, and counts in no other", async () => {
  const kept = JSON.stringify({ sandbox: { agreed: SCOPE } });
  expect(await consentOf({ [OWN]: kept })).toEqual({
    agreedBy: [],
    kept: { scope: SCOPE, file: `/${OWN}` },
    warnings: [],
  });
  for (const file of ["config/settings.json", "managed.json"]) {
    const { kept: none, warnings } = await consentOf({ [file]: kept });
    expect([none, warnings]).toEqual([
      undefined,
      [expect.stringContaining("ignored, because only your own file for a project may set it: sandbox.agreed.")],
    ]);
  }
  expect((await consentOf({ [OWN]: kept }, { settingSources: ["user", "project"] })).kept).toBeUndefined();
});

test("an answer replaces the one before, leaves everything else, and is taken back alone", async () => {
  await using project = await tempProject({
    "own.json": '{\n  // mine\n  "sandbox": { "enabled": true, "agreed": { "writable": [] } }\n}\n'.replace(
      '{ "writable": [] }',
      JSON.stringify({ ...SCOPE, hosts: ["*"] }),
    ),
  });
  const file = project.path("own.json");
  await rememberConsent(file, SCOPE);
  await rememberRules(file, ["Bash(npm test *)"]);
  const text = await project.read("own.json");
  expect(text).toContain("// mine");
  expect(JSON.parse(text.replace(/\/\/.*/g, ""))).toEqual({
    sandbox: { enabled: true, agreed: SCOPE },
    permissions: { allow: ["Bash(npm test *)"] },
  });
  await rememberConsent(file, undefined);
  expect(JSON.parse((await project.read("own.json")).replace(/\/\/.*/g, ""))).toEqual({
    sandbox: { enabled: true },
    permissions: { allow: ["Bash(npm test *)"] },
  });
});

test("revoking a missing consent changes nothing, and a malformed file is left alone", async () => {
  await using project = await tempProject({ "own.json": "{}", "broken.json": '{ "sandbox": ' });
  await rememberConsent(project.path("own.json"), undefined);
  expect(readFileSync(project.path("own.json"), "utf8")).toBe("{}");
  for (const work of [
    rememberConsent(project.path("broken.json"), SCOPE),
    rememberConsent(project.path("broken.json"), undefined),
  ])
    expect((await failure(work)).message).toContain("broken.json:1:");
  expect(readFileSync(project.path("broken.json"), "utf8")).toBe('{ "sandbox": ');
});
