import { expect, test } from "bun:test";
import type { PermissionDenial } from "../../../src/contracts/event.ts";
import type { Remedy } from "../../../src/contracts/permission.ts";
import { remedyLine } from "../../../src/faces/headless/remedy-line.ts";
import { runCommand } from "../../support/run-command.ts";

function denial(remedy: Remedy | undefined, unanswered = true): PermissionDenial {
  const call = { toolName: "Bash", toolUseId: "t", input: {} };
  return { ...call, decidedBy: { kind: "default" }, unanswered, ...(remedy && { remedy }) };
}
const rules = (...texts: readonly string[]): Remedy => ({ kind: "rules", rules: texts });

test("the lines about refused calls name each thing once, for the calls that nobody could be asked about alone", () => {
  const denials = [
    denial({ kind: "confined" }),
    denial(rules("Edit(/a.ts)")),
    denial({ kind: "confined" }),
    denial(rules("Edit(/a.ts)", "Bash(git push *)")),
    denial(rules("Bash(rm a)"), false),
    denial(undefined),
  ];
  expect(remedyLine(denials)).toBe(
    "To allow this next time, add: --allow-sandboxed --allowed-tools 'Edit(/a.ts),Bash(git push *)'",
  );
});

test("a pattern of a command that can run only outside the sandbox is set by an option", () => {
  const denials = [denial({ kind: "rules", rules: ["Bash(git push *)"], outside: ["git push *"] })];
  expect(remedyLine(denials)).toBe(
    `To allow this next time, add: --allowed-tools 'Bash(git push *)' --settings '{"sandbox":{"excludedCommands":["git push *"]}}'`,
  );
});

test("hosts that no rule opens are set by the same option", () => {
  const denials = [
    denial({ kind: "rules", rules: [], hosts: ["a.example"] }),
    denial({ kind: "rules", rules: [], outside: ["x"] }),
  ];
  expect(remedyLine(denials)).toBe(
    `To allow this next time, add: --settings '{"sandbox":{"excludedCommands":["x"],"network":{"allowedDomains":["a.example"]}}}'`,
  );
});

test("the rules of the commands alone and the mode for edits are named before the options to paste", () => {
  const made: Remedy = { kind: "confined", rules: ["Bash(make)"] };
  const edited: Remedy = { kind: "rules", rules: ["Edit(/a.ts)"], mode: "acceptEdits" };
  expect(remedyLine([denial(made), denial(edited)])).toBe(
    "To allow this next time (only this command: --allowed-tools 'Bash(make)'; all edits: --permission-mode acceptEdits), add: --allow-sandboxed --allowed-tools 'Edit(/a.ts)'",
  );
  // A part of the commands would not do.
  expect(remedyLine([denial(made), denial({ kind: "confined" })])).toBe(
    "To allow this next time, add: --allow-sandboxed",
  );
});

test("no line is given where nothing narrow would have let a call run", () => {
  expect([remedyLine([]), remedyLine([denial(undefined)])]).toEqual([undefined, undefined]);
});

test("more rules than anybody reads are counted", () => {
  const many = Array.from({ length: 12 }, (_, at) => `Edit(/a${at}.ts)`);
  expect(remedyLine([denial(rules(...many))])).toMatch(
    /add \(and 2 more rules\): --allowed-tools 'Edit\(\/a0\.ts\),.*a9\.ts\)'$/,
  );
});

test("a shell reads the pasted words as they are meant", async () => {
  const text = `Bash(echo 'a b' "$HOME" \\* \`id\` *)`;
  const pasted = remedyLine([denial(rules(text))])?.replace(/^.*add: /, "") ?? "";
  const { out } = await runCommand(["sh", "-c", `printf '%s\\n' ${pasted}`], { cwd: "/" });
  expect(out).toBe(`--allowed-tools\n${text}\n`);
});
