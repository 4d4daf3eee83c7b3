import { expect, test } from "bun:test";
import { permissionsCommand } from "../../src/commands/permissions.ts";
import type { CommandContext } from "../../src/contracts/command.ts";
import type { CommandResult } from "../../src/contracts/command-result.ts";
import { UserFacingError } from "../../src/contracts/errors.ts";
import type { RuleChange, RuleDescription } from "../../src/contracts/permission.ts";
import type { SettingEdit } from "../../src/contracts/settings-view.ts";

const RULES: readonly RuleDescription[] = [
  { decision: "deny", rule: "Read(.env)", source: "/etc/managed.json:3", layer: "managed" },
  { decision: "deny", rule: "Read(key)", source: ".claude/settings.json:3", layer: "foreign" },
  { decision: "ask", rule: "Bash(git push *)", source: "~/user.json:9", layer: "user", note: "the mode is auto" },
  { decision: "allow", rule: "Bash(npm test)", source: "this session", layer: "session" },
];

function place(isGiven = false) {
  const edits: (SettingEdit | RuleChange)[] = [];
  const context = {
    engine: { state: { mode: "default" } },
    permissions: {
      describe: () => RULES,
      consent: () => ({ isGiven, line: "Commands in the sandbox run without a question." }),
      revokeConsent: async () => ["Taken back."],
      changeRules: (change: RuleChange) => {
        edits.push(change);
        return [];
      },
    },
    settings: async () => ({
      files: { user: "~/user.json", project: "shop/.quoll/settings.json", own: "~/own.json" },
      edit: async (edit: SettingEdit) => {
        if (edit.what === "set" && edit.value === "Bash(npm") throw new UserFacingError("Bash(npm is invalid: no )");
        edits.push(edit);
        return { lines: ["written"], warnings: ["did you mean Bash?"], isSame: false, isLive: true };
      },
    }),
  } as unknown as CommandContext;
  const { signal } = new AbortController();
  const run = async (argument: string) => (await permissionsCommand.run(argument, context, signal)) as CommandResult;
  return { edits, run, signal };
}

function asList(result: CommandResult) {
  if (result.kind !== "choose") throw new Error(`It is ${result.kind}.`);
  return result;
}

test("the list has every rule with its source, and only those of the person's files and of the session can be removed", async () => {
  const { choices } = asList(await place().run(""));
  expect(choices.map(({ label, detail, input }) => [label, detail, input])).toEqual([
    ["add a rule …", "", "/permissions add"],
    ["deny   Read(.env)", "/etc/managed.json:3", "/permissions"],
    ["deny   Read(key)", ".claude/settings.json:3", "/permissions"],
    ["ask    Bash(git push *)", "~/user.json:9", "/permissions remove user ask Bash(git push *)"],
    ["allow  Bash(npm test)", "this session", "/permissions remove session allow Bash(npm test)"],
    ["Commands in the sandbox run without a question.", "", "/permissions"],
  ]);
  expect(choices[1]?.about?.join(" ")).toContain("read-only");
  expect(choices[3]?.about?.join(" ")).toContain("No effect now: the mode is auto.");
});

test("a consent that was given is revoked from the list", async () => {
  const { choices } = asList(await place(true).run(""));
  expect(choices.at(-1)).toMatchObject({ input: "/permissions revoke sandbox", detail: "enter revokes it" });
});

test("a rule is added by kind and file; one that can't be read stays in its line with the reason", async () => {
  const { run, edits, signal } = place();
  const kinds = asList(await run("add"));
  expect(kinds.choices.map(({ input }) => input)).toEqual([
    "/permissions add user deny",
    "/permissions add user ask",
    "/permissions add user allow",
  ]);
  expect([kinds.back, kinds.shortcuts?.[0]?.input]).toEqual(["/permissions", "/permissions add project"]);
  const form = await run("add own deny");
  if (form.kind !== "form") throw new Error(form.kind);
  const again = await form.submit({ rule: "Bash(npm" }, signal);
  if (again.kind !== "form") throw new Error(again.kind);
  expect(again.fields[0]).toMatchObject({ value: "Bash(npm", problem: expect.stringContaining("invalid") });
  expect(asList(await again.submit({ rule: "Bash(rm  *)" }, signal)).before).toEqual(["written", "did you mean Bash?"]);
  expect(edits).toEqual([{ what: "set", key: "permissions.deny", scope: "own", value: "Bash(rm  *)", adds: true }]);
  await expect(run("add managed deny x")).rejects.toThrow("choose user, project, own");
});

test("a rule is removed only after a yes: from its file, or from the session", async () => {
  const { run, edits } = place();
  const question = asList(await run("remove user ask Bash(git push *)"));
  expect([question.isYesNo, question.choices[0]?.input, edits]).toEqual([true, "/permissions", []]);
  expect(question.title).toContain("~/user.json:9");
  await run(question.choices[1]?.input.slice("/permissions ".length) ?? "");
  await run("remove --yes session allow Bash(npm test)");
  expect(edits).toEqual([
    { what: "unset", key: "permissions.ask", scope: "user", value: "Bash(git push *)" },
    { kind: "remove", decision: "allow", rules: ["Bash(npm test)"] },
  ]);
  await expect(run("remove --yes managed deny Read(.env)")).rejects.toThrow("no deny rule");
  await expect(run("remove user deny Read(.env)")).rejects.toThrow("no deny rule");
});

test("a rule that can't be added is answered with an example that can", async () => {
  const { run } = place();
  await expect(run("add Bsh(x)")).rejects.toThrow(/no scope "Bsh\(x\)".*`\/permissions add user allow Bash\(/);
  await expect(run("add project deny Bash(npm")).rejects.toThrow(/is invalid.*`\/permissions add project deny Bash\(/);
});

test("a complete command adds its rule, says so and opens no list", async () => {
  const { run, edits } = place();
  expect(await run("add own allow Bash(npm  run *)")).toEqual({
    kind: "text",
    lines: ["written", "did you mean Bash?"],
  });
  expect(edits).toMatchObject([{ key: "permissions.allow", scope: "own", value: "Bash(npm  run *)" }]);
});
