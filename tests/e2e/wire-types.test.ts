import { expect, setDefaultTimeout } from "bun:test";
import { failing, fault, reply, type Scenario, text, thinking, toolUse } from "@quoll/model-twin/scenario";
import type { EngineEvent } from "../../src/contracts/event.ts";
import { MessageLines } from "../../src/faces/headless/message-lines.ts";
import { deepTest, longerInDeep } from "../support/deep.ts";
import { typeErrors } from "../support/published-types.ts";
import { quollPlace } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

type Line = Readonly<Record<string, unknown>> & { readonly type: string; readonly subtype?: string };
const ID = "0d9f2c1e-1b2c-4d5e-8f90-123456789abc";
const STREAM = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"];
const said = (content: unknown) => ({ type: "user", message: { role: "user", content } });

async function recorded(scenario: Scenario, input: readonly object[], args: readonly string[] = []) {
  await using here = await quollPlace({ files: { "a.txt": "A\n" }, scenario });
  const { out } = await here.run([...STREAM, ...args], { stdin: input.map((line) => JSON.stringify(line)).join("\n") });
  return out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line)
    .filter(({ type }) => !type.startsWith("control_") && type !== "keep_alive");
}

const FAILURES = [
  "result/error_during_execution",
  "result/error_max_budget_usd",
  "result/error_max_structured_output_retries",
  "result/error_max_turns",
];

/** The lines of sessions that end in each of `FAILURES`. */
async function fromFailures(): Promise<readonly Line[]> {
  const again = reply([toolUse("Read", { file_path: "a.txt" })]);
  const limited = await recorded(() => again, [said("loop")], ["--max-turns", "1"]);
  const poor = await recorded([reply("no")], [said("x")], ["--max-budget-usd", "0.00001"]);
  const misfit = await recorded(() => reply("no"), [said("x")], ["--json-schema", '{"type":"object"}']);
  const failed = await recorded([failing(fault.badRequest("No."))], [said("x")]);
  return [...limited, ...poor, ...misfit, ...failed];
}

longerInDeep("every line of a session is one that the published types know", async (isWhole) => {
  const calls = [toolUse("Read", { file_path: "a.txt" }), toolUse("Write", { file_path: "b.txt", content: "x" })];
  const whole = await recorded(
    [failing(fault.rateLimited(0)), reply([thinking("Hm."), text("Look."), ...calls]), reply("Done.")],
    [{ type: "control_request", request_id: "1", request: { subtype: "initialize" } }, said("go"), said("/clear"), {}],
    ["--include-partial-messages", "--replay-user-messages", "--permission-mode", "plan"],
  );
  const lines = [...whole, ...(isWhole ? await fromFailures() : [])];
  const kinds = new Set(lines.map(({ type, subtype }) => (subtype === undefined ? type : `${type}/${subtype}`)));
  expect([...kinds].toSorted()).toEqual([
    "assistant",
    "conversation_reset",
    ...(isWhole ? FAILURES : []),
    "result/success",
    "stream_event",
    "system/api_retry",
    "system/informational",
    "system/init",
    "system/permission_denied",
    "user",
  ]);
  expect(await typeErrors(lines)).toBe("");
});

deepTest("lines that take longer match the types too", async () => {
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const use = { type: "tool_use", id: "t1", name: "Bash", input: {} } as const;
  const progress = (elapsedMs: number): EngineEvent => ({
    type: "tool_progress",
    toolUseId: "t1",
    progress: { tail: [], totalLines: 0, bytes: 0, elapsedMs },
  });
  const events: readonly EngineEvent[] = [
    { type: "mode_changed", mode: "plan" },
    { type: "compaction_started", why: "full", usedTokens: 9 },
    {
      type: "compacted",
      why: "full",
      freedTokens: 5,
      note: "n",
      report: { droppedMessages: 1, keptMessages: 1, checked: 0, added: [] },
    },
    // A compaction that takes nothing out ends with the next request.
    { type: "compaction_started", why: "full", usedTokens: 9 },
    { type: "request_started", step: 1, model: "m" },
    { type: "tool_started", use, title: "sleep", level: "execute" },
    ...[9_000, 10_000, 15_000, 20_000].map(progress),
    {
      type: "assistant_message",
      message: {
        role: "assistant",
        id: ID,
        model: "m",
        content: [{ type: "text", text: "I beg" }],
        stopReason: "other",
        usage,
      },
    },
  ];
  const messages = new MessageLines({ ids: { next: () => ID }, partial: false });
  const linesOf = (from: MessageLines) =>
    events.flatMap((event) => from.lines(event)).map((line) => ({ ...line, session_id: ID, uuid: ID }));
  const lines = linesOf(messages);
  const child = { agentId: "child", parentToolUseId: "t0" };
  const ofChild = linesOf(new MessageLines({ ids: { next: () => ID }, partial: false, child }));
  const parent = { parent_tool_use_id: "t0" };
  expect(ofChild).toMatchObject([parent, parent, parent]);
  expect(lines).toMatchObject([
    { type: "system", subtype: "status", permissionMode: "plan" },
    { type: "system", subtype: "status", status: "compacting" },
    { type: "system", subtype: "status", status: null },
    { type: "system", subtype: "compact_boundary" },
    { type: "system", subtype: "status", status: "compacting" },
    { type: "system", subtype: "status", status: null },
    { type: "tool_progress", tool_use_id: "t1", tool_name: "Bash", elapsed_time_seconds: 10 },
    { type: "tool_progress", elapsed_time_seconds: 20 },
    { type: "assistant", aborted: true, message: { stop_reason: null } },
  ]);
  expect(await typeErrors([...lines, ...ofChild])).toBe("");
});

deepTest("a line that they don't know is found", async () => {
  const line = { type: "system", subtype: "status", status: null, session_id: ID, uuid: ID };
  expect(await typeErrors([line, { ...line, uuid: "7" }])).toMatch(/^.*lines\.ts\(6,/);
});
