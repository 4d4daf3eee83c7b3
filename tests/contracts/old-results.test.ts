import { expect, test } from "bun:test";
import { refusalText } from "../../src/contracts/decided-by.ts";
import { oldDecider, withOldFacts } from "../../src/contracts/old-results.ts";
import type { CallEnd } from "../../src/contracts/result-facts.ts";

const person = (reason?: string) => ({ kind: "refused", by: { kind: "person", ...(reason && { reason }) } }) as const;

test.each<[string, boolean, CallEnd | undefined]>([
  ["The user refused this call.\nNext: Don't repeat it: ask what they want instead.", true, person()],
  ["The user refused this call and said: use npm\nor yarn", true, person("use npm\nor yarn")],
  ["Refused by the deny rule Bash(rm *) (settings.json:1).\nNext: Go on.", true, { kind: "refused" }],
  ["Plan mode is on: nothing may be changed or run, so Edit was refused.", true, { kind: "refused" }],
  ["Cancelled by the user before it ran.", true, { kind: "interrupted" }],
  ["one\n[interrupted by the user after 3 s; the output stops there]", true, { kind: "interrupted" }],
  ["Nobody can approve the plan, so plan mode stays on and nothing was changed.", false, { kind: "unanswered" }],
  ["Nobody is there to agree, so plan mode stays on.", false, { kind: "unanswered" }],
  ["The user refused this call.", false, undefined],
  ["Refusing to merge unrelated histories", true, undefined],
])("the text %j of an older result (error: %p) ends as %j", (content, isError, end) => {
  expect(withOldFacts({ content, isError })).toEqual({ content, isError, ...(end && { end }) });
});

test("a result with its end as a fact is not read again", () => {
  const result = { content: "The user refused this call.", isError: true, end: { kind: "interrupted" } } as const;
  expect(withOldFacts(result)).toBe(result);
});

test.each([
  [
    "a hook: no rm · ./check.sh (PreToolUse, settings.json:3)",
    "refused by a hook: no rm · ./check.sh (PreToolUse, settings.json:3)",
  ],
  ["a hook", "refused by a hook"],
  ["the user's answer", "refused: the user's answer"],
  ["deny rule Bash(rm *) (settings.json:1)", "refused: deny rule Bash(rm *) (settings.json:1)"],
])("the decider %j of an older file is shown as before", (words, shown) => {
  expect(refusalText(oldDecider(words))).toBe(shown);
});

test("a long hook of an older file is shown as it was written there", () => {
  const words = `a hook: not this file · grep -q · && { echo ${"x".repeat(60)} >&2; } (PreToolUse, /home/ann/s.json:1)`;
  expect(words.length).toBeGreaterThan(120);
  expect(refusalText(oldDecider(words))).toBe(`refused by ${words}`);
  expect(oldDecider("a hook: no · ./check.sh (PreToolUse, s.json:1)")).toEqual({
    kind: "hook",
    reason: "no",
    source: "./check.sh (PreToolUse, s.json:1)",
  });
});

test.each([
  ["a.ts is unchanged since you read these lines; what you were shown still holds.", { shows: "nothing" }],
  ["[Cleared to make room, id t1. Repeat the call if you need the result.]", { shows: "nothing" }],
  ["     1\tone\n[lines 1–1 of a file of 9 lines (limit 1); go on with offset: 2]", { shows: "part" }],
  ["Created new.txt (1 line, 1 byte).", { wrote: "new" }],
  ["Edited a.txt (1 replacement). Corrected: blanks.", { wrote: "adapted" }],
  ["ok\n[exit code 0]\n[the working folder is now /p/src]", { movedTo: "/p/src" }],
  ["a\n[… 1 lines (7 B) left out; all of it: /s/bash-1.log …]\nb", { wholeIn: "/s/bash-1.log" }],
  ["x\n… too many to show; the whole of it is in /s/result-t.txt (Read works).", { wholeIn: "/s/result-t.txt" }],
])("the text %j of an older result tells %j", (content, facts) => {
  expect(withOldFacts({ content, isError: false })).toEqual({ content, isError: false, ...facts } as never);
});
