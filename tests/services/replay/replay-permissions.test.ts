import { describe, expect, test } from "bun:test";
import { NO_USAGE } from "../../../src/contracts/message.ts";
import type { PermissionEngine, PermissionRequest, Question, Verdict } from "../../../src/contracts/permission.ts";
import type { Level } from "../../../src/contracts/tool.ts";
import { CallBook } from "../../../src/services/replay/call-book.ts";
import type { RecordedResult, Step } from "../../../src/services/replay/recording.ts";
import { answerQuestion, replayPermissions } from "../../../src/services/replay/replay-permissions.ts";
import { answering } from "../../support/engine-harness.ts";

const NOBODY: Verdict = { decision: "deny", by: "no rule covers it", message: "Refused: nobody", unanswered: true };
const refusing = () => answering(() => NOBODY);

function bookOf(result: Partial<RecordedResult> | undefined): CallBook {
  const content = [{ type: "tool_use", id: "t", name: "Bash", input: {} }] as const;
  const message = { role: "assistant", id: "m", model: "m", content, stopReason: "tool_use", usage: NO_USAGE } as const;
  const recorded = { kind: "result", toolUseId: "t", ran: true, content: "ok", isError: false } as const;
  const steps: readonly Step[] = [{ kind: "answer", message }, ...(result ? [{ ...recorded, ...result }] : [])];
  return new CallBook(steps, { unplayable: () => undefined, hide: (text) => text });
}

const requestOf = (level: Level): PermissionRequest => ({
  toolUseId: "replay-1",
  toolName: "Bash",
  call: {
    input: {},
    level,
    concurrencySafe: false,
    subjects: [],
    title: "x",
    forgiven: [],
    run: () => Promise.reject(new Error("never")),
  },
});

type Judging = {
  readonly result?: Partial<RecordedResult>;
  readonly inner?: PermissionEngine;
  readonly edits?: PermissionEngine;
  readonly isConfined?: boolean;
  readonly level?: Level;
};

async function judged({
  result = {},
  inner = refusing(),
  edits = refusing(),
  isConfined = false,
  level = "execute",
}: Judging) {
  const book = bookOf(result);
  const policy = { book, allowsRecorded: false, isConfined: async () => isConfined };
  const engine = replayPermissions(inner, edits, policy);
  const verdict = await engine.authorize(requestOf(level), new AbortController().signal);
  const call = book.find("replay-1");
  const by = verdict.decision === "allow" ? verdict.grant.by : verdict.by;
  return { decision: verdict.decision, by, notRun: call?.notRun, isRefusedAgain: call?.isRefusedAgain };
}

const then = { isRefusedAgain: false, notRun: undefined };
const REFUSED = { ran: false, isError: true, content: "The user refused this call. Don't repeat it" };

describe("a call of a replay", () => {
  test("that rules allow runs by their leave", async () => {
    expect(await judged({ inner: answering() })).toEqual({ ...then, decision: "allow", by: "test" });
  });

  test("that nobody allows now is given back", async () => {
    const notRun = "no rule covers it; in the recording it was allowed";
    expect(await judged({})).toEqual({ ...then, decision: "allow", by: "the recording", notRun });
  });

  test("that changes a file may do so in the copy, where commands are confined", async () => {
    const edits = answering();
    const given = { level: "write", edits, isConfined: true } as const;
    expect(await judged(given)).toMatchObject({ by: "test", notRun: undefined });
    expect(await judged({ ...given, isConfined: false })).toMatchObject({ by: "the recording" });
    expect(await judged({ ...given, level: "execute" })).toMatchObject({ by: "the recording" });
    expect(await judged({ ...given, edits: refusing() })).toMatchObject({ by: "the recording" });
    expect(await judged({ ...given, inner: { ...refusing(), mode: "plan" } })).toMatchObject({ by: "the recording" });
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
    expect(await judged({ result: failed })).toEqual({ ...then, decision: "deny", by: "no rule covers it" });
    expect(await judged({ result: failed, inner: answering() })).toMatchObject({ by: "test", notRun: undefined });
  });
});

describe("a question in a replay", () => {
  const question: Question = {
    id: "q",
    kind: "permission",
    toolUseId: "replay-1",
    toolName: "Bash",
    title: "Run this command?",
    preview: { kind: "text", text: "x" },
    reason: "",
    hazards: [],
    suggestions: [],
    sessionRules: [],
    confinement: "in the sandbox",
  };
  const answered = async (changes: Partial<Question>, result: Partial<RecordedResult> = {}, allowsRecorded = false) => {
    const { confinement: _, ...bare } = { ...question, ...changes };
    const asked = "confinement" in changes && changes.confinement === undefined ? bare : { ...question, ...changes };
    const policy = { book: bookOf(result), allowsRecorded, isConfined: async () => true };
    return (await answerQuestion(asked as Question, policy)).decision;
  };

  test.each<readonly [string, Partial<Question>, Partial<RecordedResult>, boolean, string]>([
    ["what ran then, in the sandbox", {}, {}, false, "once"],
    ["in a weaker sandbox", { confinement: "in the weaker sandbox (landlock)" }, {}, false, "once"],
    ["outside of it", { confinement: "outside the sandbox" }, {}, false, "reject"],
    ["outside, where the user says so", { confinement: "outside the sandbox" }, {}, true, "once"],
    ["where there is none", { confinement: undefined } as never, {}, false, "reject"],
    ["what did not run then", {}, { ran: false }, true, "reject"],
    ["another call", { toolUseId: "other" }, {}, true, "reject"],
    ["a plan that was taken", { kind: "plan" }, { content: "The user agreed to the plan: go." }, false, "once"],
    ["a plan that was not", { kind: "plan" }, { content: "The user said no to this plan." }, true, "reject"],
    ["a credential", { kind: "credential" }, {}, true, "reject"],
    ["money", { kind: "spend" }, {}, true, "reject"],
  ])("about %s", async (_, changes, result, allowsRecorded, decision) => {
    expect(await answered(changes, result, allowsRecorded)).toBe(decision as never);
  });
});
