import { expect, test } from "bun:test";
import { NO_USAGE, type ToolUseBlock } from "../../../src/contracts/message.ts";
import { CallMatcher } from "../../../src/services/replay/call-matcher.ts";
import type { Step } from "../../../src/services/replay/recording.ts";

const answer = (id: string, ...content: readonly ToolUseBlock[]) => ({
  kind: "answer" as const,
  message: { role: "assistant", id, model: "m", content, stopReason: "tool_use", usage: NO_USAGE } as const,
});
const use = (id: string, input: ToolUseBlock["input"], name = "Read"): ToolUseBlock => ({
  type: "tool_use",
  id,
  name,
  input,
});
const result = (toolUseId: string, content: string, isError = false): Step => ({
  kind: "result",
  toolUseId,
  ran: true,
  content,
  isError,
});
const PLAYABLE = { unplayable: () => undefined, hide: (text: string) => text };

test("calls have ids of their own, and files that are named after a call are those of the replay", () => {
  const first = answer("m1", use("t1", { pattern: "x" }, "Grep"), use("t2", {}));
  const second = answer("m2", use("t1", { file_path: "/s/result-t1.txt", other: "result-t9.txt" }));
  const third = answer("m3", use("t3", { file_path: "/s/result-t1.txt" }));
  const steps = [first, result("t1", "a"), result("t2", "b"), second, result("t1", "c"), third, result("t3", "d")];
  const matcher = new CallMatcher(steps, PLAYABLE);
  const played = [first, second, third].map(({ message }) => matcher.messageOf(message).content);
  expect(played).toEqual([
    [use("replay-1", { pattern: "x" }, "Grep"), use("replay-2", {})],
    [use("replay-3", { file_path: "/s/result-replay-1.txt", other: "result-t9.txt" })],
    [use("replay-4", { file_path: "/s/result-replay-3.txt" })],
  ]);
  expect(matcher.find("replay-3")?.recorded).toMatchObject({ content: "c" });
  expect(matcher.find("t1")).toBeUndefined();
});

test("a call that can't be played is returned, and its input is not read", () => {
  const message = answer("m", use("a", { x: 1 }), use("b", { x: 1 }), use("c", { x: 1 }), use("d", { x: 1 }));
  const broken = { ...result("b", "", true), end: { kind: "interrupted" } } as Step;
  const steps = [message, result("a", "ok"), broken, result("c", "no")];
  const matcher = new CallMatcher(steps, {
    ...PLAYABLE,
    unplayable: ({ id }) => (id === "c" ? "it is odd" : undefined),
  });
  const inputs = matcher.messageOf(message.message).content.map((block) => block.type === "tool_use" && block.input);
  expect(inputs).toEqual([{ x: 1 }, {}, {}, {}]);
  matcher.finished({ type: "tool_result", toolUseId: "replay-1", content: "ok", isError: false });
  expect(matcher.outcomes().map((one) => [one.status, "why" in one ? one.why : undefined])).toEqual([
    ["same", undefined],
    ["not run", "it was interrupted in the recording"],
    ["not run", "it is odd"],
    ["not run", "the recording has no result of this call"],
  ]);
});

test("a call that the replay did not come to is not run", () => {
  const matcher = new CallMatcher(
    [answer("m", use("a", { command: " ls\n  -l " }, "Bash")), result("a", "x")],
    PLAYABLE,
  );
  expect(matcher.outcomes()).toEqual([
    { number: 1, tool: "Bash", title: "ls -l", status: "not run", why: "the replay ended before this call" },
  ]);
});
