import { describe, expect, test } from "bun:test";
import { NO_USAGE } from "../../../src/contracts/message.ts";
import type { PermissionEngine, PermissionRequest, Verdict } from "../../../src/contracts/permission.ts";
import { makeGrant, type Subject } from "../../../src/contracts/subject.ts";
import type { Level } from "../../../src/contracts/tool.ts";
import { CallMatcher } from "../../../src/services/replay/call-matcher.ts";
import type { RecordedResult, Step } from "../../../src/services/replay/recording.ts";
import { answerQuestion, replayPermissions } from "../../../src/services/replay/replay-permissions.ts";
import { answering } from "../../support/engine-harness.ts";
import { type QuestionParts, questionOf } from "../../support/question.ts";

const POLICY = { allowsRecorded: false, isForeign: false, isInCopy: (path: string) => path.startsWith("/copy/") };
const NOBODY: Verdict = {
  decision: "deny",
  decidedBy: { kind: "default", reason: "no rule covers it" },
  message: "Refused: nobody",
  unanswered: true,
};
const refusing = () => answering(() => NOBODY);

function matcherOf(result: Partial<RecordedResult> | undefined): CallMatcher {
  const content = [{ type: "tool_use", id: "t", name: "Bash", input: {} }] as const;
  const message = { role: "assistant", id: "m", model: "m", content, stopReason: "tool_use", usage: NO_USAGE } as const;
  const recorded = { kind: "result", toolUseId: "t", ran: true, content: "ok", isError: false } as const;
  const steps: readonly Step[] = [{ kind: "answer", message }, ...(result ? [{ ...recorded, ...result }] : [])];
  return new CallMatcher(steps, { unplayable: () => undefined, hide: (text) => text });
}

const requestOf = (level: Level, subjects: readonly Subject[]): PermissionRequest => ({
  toolUseId: "replay-1",
  toolName: "Bash",
  call: {
    input: {},
    level,
    concurrencySafe: false,
    subjects,
    title: "x",
    corrections: [],
    run: () => Promise.reject(new Error("never")),
  },
});

type Judging = {
  readonly result?: Partial<RecordedResult>;
  readonly inner?: PermissionEngine;
  readonly edits?: PermissionEngine;
  readonly isConfined?: boolean;
  readonly level?: Level;
  readonly subjects?: readonly Subject[];
  readonly isForeign?: boolean;
  readonly allowsRecorded?: boolean;
};

async function judged({
  result = {},
  inner = refusing(),
  edits = refusing(),
  isConfined = false,
  level = "execute",
  subjects = [],
  ...changes
}: Judging) {
  const matcher = matcherOf(result);
  const policy = { ...POLICY, ...changes, matcher, isConfined: async () => isConfined };
  const engine = replayPermissions(inner, edits, policy);
  const verdict = await engine.authorize(requestOf(level, subjects), new AbortController().signal);
  const call = matcher.find("replay-1");
  const by = (verdict.decision === "allow" ? verdict.grant : verdict).decidedBy.kind;
  return { decision: verdict.decision, by, notRun: call?.notRun, isRefusedAgain: call?.isRefusedAgain };
}

const then = { isRefusedAgain: false, notRun: undefined };
const REFUSED = { ran: false, isError: true, content: "No.", end: { kind: "refused" } } as const;

describe("a call of a replay", () => {
  test("that rules allow runs by their leave", async () => {
    expect(await judged({ inner: answering() })).toEqual({ ...then, decision: "allow", by: "default" });
  });

  test("that nobody allows now is given back", async () => {
    const notRun = "no rule covers it; in the recording it was allowed";
    expect(await judged({})).toEqual({ ...then, decision: "allow", by: "recording", notRun });
  });

  test("that changes a file may do so in the copy, where commands are confined", async () => {
    const edits = answering();
    const given = { level: "write", edits, isConfined: true } as const;
    expect(await judged(given)).toMatchObject({ by: "default", notRun: undefined });
    expect(await judged({ ...given, isConfined: false })).toMatchObject({ by: "recording" });
    expect(await judged({ ...given, level: "execute" })).toMatchObject({ by: "recording" });
    expect(await judged({ ...given, edits: refusing() })).toMatchObject({ by: "recording" });
    expect(await judged({ ...given, inner: { ...refusing(), mode: "plan" } })).toMatchObject({ by: "recording" });
  });

  test("that was refused then is not run now, whatever rules say", async () => {
    expect(await judged({ result: REFUSED })).toMatchObject({ decision: "deny", isRefusedAgain: true });
    expect(await judged({ result: REFUSED, inner: answering() })).toMatchObject({
      decision: "allow",
      notRun: expect.stringContaining("refused in the recording"),
    });
  });

  test("that could not be made then is judged as it is now", async () => {
    const failed = { ran: false, isError: true, content: "old_string was not found in a.txt." };
    expect(await judged({ result: failed })).toEqual({
      ...then,
      decision: "deny",
      by: "default",
    });
    expect(await judged({ result: failed, inner: answering() })).toMatchObject({
      by: "default",
      notRun: undefined,
    });
  });
});

describe("calls that rules allow", () => {
  const write = (path: string): Subject => ({ action: "write", path });
  const execute = (readOnly: boolean): Subject => ({
    ...{ action: "execute", command: "npm test", assignments: [], understood: true, hazards: [] },
    readOnly,
  });
  const host: Subject = { action: "network", host: "example.com" };
  const confined = (): PermissionEngine => ({
    ...answering(),
    authorize: async ({ toolUseId }) => ({
      decision: "allow",
      grant: makeGrant({ toolUseId, confinement: "sandbox", decidedBy: { kind: "default" }, notes: [] }),
    }),
  });
  const AWAY = "it would change files outside the copy";
  const LOOSE = "it would run outside a sandbox here, and the recording is a file";

  test.each<readonly [string, Judging, string | undefined]>([
    ["a change in the copy runs", { subjects: [write("/copy/a")] }, undefined],
    ["a change elsewhere does not", { subjects: [write("/copy/a"), write("/home/a")] }, AWAY],
    ["nor where it could not be made then", { subjects: [write("/a")], result: { ran: false, isError: true } }, AWAY],
    ["a change elsewhere, where the user says so", { subjects: [write("/home/a")], allowsRecorded: true }, undefined],
    ["a command in the sandbox runs", { subjects: [execute(false), write("/a")], inner: confined() }, undefined],
    ["a command without one runs, of one's own session", { subjects: [execute(false)] }, undefined],
    ["a command of a file's does not", { subjects: [execute(false)], isForeign: true }, LOOSE],
    ["nor one that reaches the network", { subjects: [host], isForeign: true }, LOOSE],
    ["unless it only reads", { subjects: [execute(true)], isForeign: true }, undefined],
    ["a file's command in the sandbox", { subjects: [execute(false)], isForeign: true, inner: confined() }, undefined],
  ])("%s", async (_, judging, notRun) => {
    const by = notRun === undefined ? "default" : "recording";
    expect(await judged({ inner: answering(), ...judging })).toEqual({ ...then, decision: "allow", by, notRun });
  });
});

describe("a question in a replay", () => {
  const recorded: QuestionParts = { toolUseId: "replay-1", confinement: "in the sandbox" };
  const answered = async (changes: QuestionParts, result: Partial<RecordedResult> = {}, allowsRecorded = false) => {
    const policy = { ...POLICY, matcher: matcherOf(result), allowsRecorded, isConfined: async () => true };
    return (await answerQuestion(questionOf({ ...recorded, ...changes }), policy)).decision;
  };

  test.each<readonly [string, QuestionParts, Partial<RecordedResult>, boolean, string]>([
    ["what ran then, in the sandbox", {}, {}, false, "once"],
    ["in a weaker sandbox", { confinement: "in the weaker sandbox (landlock)" }, {}, false, "once"],
    ["outside of it", { confinement: "outside the sandbox", isOutside: true }, {}, false, "reject"],
    ["outside, where the user says so", { confinement: "outside the sandbox", isOutside: true }, {}, true, "once"],
    ["where there is none", { confinement: undefined } as never, {}, false, "reject"],
    ["what did not run then", {}, { ran: false }, true, "reject"],
    ["another call", { toolUseId: "other" }, {}, true, "reject"],
    ["a plan that was taken", { kind: "plan" }, {}, false, "once"],
    ["a plan that was not", { kind: "plan" }, { isError: true }, true, "reject"],
    ["a plan that nobody could approve", { kind: "plan" }, { end: { kind: "unanswered" } }, true, "reject"],
    ["a credential", { kind: "credential" }, {}, true, "reject"],
    ["money", { kind: "spend" }, {}, true, "reject"],
  ])("about %s", async (_, changes, result, allowsRecorded, decision) => {
    expect(await answered(changes, result, allowsRecorded)).toBe(decision as never);
  });
});
