import { describe, expect, test } from "bun:test";
import { failing, fault, reply, text, thinking, toolUse } from "@quoll/model-twin/scenario";
import type { EngineEvent } from "../../../src/contracts/event.ts";
import type { Verdict } from "../../../src/contracts/permission.ts";
import type { RunResult } from "../../../src/contracts/run-result.ts";
import type { OutputFormat } from "../../../src/faces/headless/output-format.ts";
import { runHeadless } from "../../../src/faces/headless/run-headless.ts";
import { outcomeLine, wireAssistant, wireResult, wireUser } from "../../../src/faces/headless/wire-format.ts";
import { answering, countedIds, engineHarness, testTool } from "../../support/engine-harness.ts";
import { programSession } from "../../support/program-session.ts";

type Options = Parameters<typeof engineHarness>[0] & { readonly format?: OutputFormat; readonly verbose?: boolean };

async function ran({ format = "text", verbose = false, ...options }: Options) {
  await using h = await engineHarness(options);
  const lineIds = countedIds();
  let out = "";
  const err: string[] = [];
  const { exitCode: code } = await runHeadless({
    limits: () => ({ contextWindow: 1, maxOutputTokens: 1 }),
    engine: h.engine,
    session: programSession(h.engine),
    input: { prompt: "go" },
    format,
    verbose,
    ids: { next: () => `line-${lineIds.next()}` },
    out: (chunk) => {
      out += chunk;
    },
    err: (line) => void err.push(line),
    init: { cwd: "/" },
  });
  return { code, out, err, events: h.events as readonly EngineEvent[] };
}

const lines = (out: string) =>
  out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const refusing = (unanswered: boolean) =>
  answering(
    (): Verdict => ({
      decision: "deny",
      message: "Refused.",
      decidedBy: { kind: "rule", reason: "the rule Safe" },
      unanswered,
    }),
  );
const call = reply([text("Let me."), toolUse("Safe", { text: "x" })]);

describe("text", () => {
  test("is the last answer alone, with one line's end", async () => {
    const { code, out, err } = await ran({ scenario: [call, reply("Done.")], tools: [testTool("Safe")] });
    expect({ code, out, err }).toEqual({ code: 0, out: "Done.\n", err: [] });
    expect((await ran({ scenario: [reply("With its own end.\n")] })).out).toBe("With its own end.\n");
  });

  test("nothing is printed for an answer without text", async () => {
    expect(await ran({ scenario: () => reply([thinking("Hm.")]) })).toMatchObject({
      code: 1,
      out: "",
      err: ["The model gave empty answers."],
    });
  });

  test("a refusal by the model, a cut and a pause without end say what to do", async () => {
    const stopped = async (stopReason: "refusal" | "max_tokens") => {
      const { code, out, err } = await ran({ scenario: () => reply("Half", { stopReason }) });
      return { code, out, err };
    };
    expect([await stopped("refusal"), await stopped("max_tokens")]).toEqual([
      { code: 1, out: "Half\n", err: ["The model declined to answer. Rephrase the request."] },
      {
        code: 1,
        out: "HalfHalfHalfHalf\n",
        err: ["The answer reached its maximum length. Ask for the rest."],
      },
    ]);
  });

  test("a refused call is remarked, and only one that nobody could answer is 4", async () => {
    const scenario = [call, reply("Could not.")];
    const tools = [testTool("Safe")];
    const asked = await ran({ scenario, tools, permissions: refusing(true) });
    const denied = await ran({ scenario, tools, permissions: refusing(false) });
    expect([asked, denied].map(({ code, err }) => ({ code, err }))).toEqual([
      { code: 4, err: ["Refused: Safe (the rule Safe)."] },
      { code: 0, err: ["Refused: Safe (the rule Safe)."] },
    ]);
  });

  test("calls are named only when that was asked for", async () => {
    const { err } = await ran({ scenario: [call, reply("Done.")], tools: [testTool("Safe")], verbose: true });
    expect(err).toEqual(["Safe x"]);
  });
});

describe("stream-json", () => {
  test("each line has session and id, stderr keeps still, and the result is last whatever happened", async () => {
    const scenario = [failing(fault.serverError()), call, failing(fault.badRequest("odd"))];
    const { code, out, err } = await ran({ scenario, tools: [testTool("Safe")], format: "stream-json" });
    const told = lines(out);
    expect(code).toBe(1);
    expect(told.map(({ type, subtype }) => [type, subtype].filter(Boolean).join("/"))).toEqual([
      "system/init",
      "system/api_retry",
      "assistant",
      "user",
      "result/error_during_execution",
    ]);
    expect(told.every(({ session_id, uuid }) => session_id === "session-1" && typeof uuid === "string")).toBe(true);
    expect(new Set(told.map(({ uuid }) => uuid)).size).toBe(told.length);
    expect(told.at(-1)).toMatchObject({ is_error: true, errors: [expect.stringContaining("odd")] });
    expect(err).toHaveLength(1);
  });

  test("a refusal is a line of its own and stands in the result", async () => {
    const scenario = [call, reply("Could not.")];
    const { out } = await ran({
      scenario,
      tools: [testTool("Safe")],
      permissions: refusing(true),
      format: "stream-json",
    });
    const told = lines(out);
    const denial = { tool_name: "Safe", tool_use_id: expect.any(String), tool_input: { text: "x" } };
    expect(told.find(({ subtype }) => subtype === "permission_denied")).toMatchObject({
      ...denial,
      reason: "the rule Safe",
    });
    expect(told.at(-1)).toMatchObject({ subtype: "success", permission_denials: [denial] });
  });
});

describe("wire shapes", () => {
  const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 };
  const limits = () => ({ contextWindow: 1, maxOutputTokens: 1 });
  const RESULT: RunResult = {
    ...({ outcome: { reason: "completed" }, exit: "done", exitCode: 0, text: "", steps: 1 } as const),
    ...{ denials: [], endedTasks: [], total: { costUsd: undefined, usage, usageByModel: {}, spendBySource: [] } },
    ...{ sessionId: "s", durationMs: 5, waitedMs: 0, apiMs: 4, usage, costUsd: undefined, usageByModel: {} },
  };

  test("an assistant message is the API's, without what is ours", () => {
    const malformed = { text: "{", problem: "end" };
    const content = [
      { type: "thinking", thinking: "t", signature: "s" },
      { type: "tool_use", id: "t1", name: "Read", input: {}, malformed },
    ] as const;
    expect(wireAssistant({ role: "assistant", id: "m", model: "x", content, stopReason: "unfinished", usage })).toEqual(
      {
        id: "m",
        type: "message",
        role: "assistant",
        model: "x",
        content: [
          { type: "thinking", thinking: "t", signature: "s" },
          { type: "tool_use", id: "t1", name: "Read", input: {} },
        ],
        stop_reason: "end_turn",
        stop_sequence: null,
        usage: { input_tokens: 1, cache_creation_input_tokens: 4, cache_read_input_tokens: 3, output_tokens: 2 },
      },
    );
  });

  test("results and pictures are the API's", () => {
    const picture = { type: "image", mediaType: "image/png", data: "aGk=" } as const;
    const source = { type: "base64", media_type: "image/png", data: "aGk=" };
    const content = [{ type: "tool_result", toolUseId: "t1", content: [picture], isError: true }, picture] as const;
    expect(wireUser({ role: "user", id: "u", content })).toEqual({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "t1", content: [{ type: "image", source }], is_error: true },
        { type: "image", source },
      ],
    });
  });

  test("each source has its spending, and each MCP server its own", () => {
    const spendBySource = [
      { source: "main", usd: 1, tokens: 10 },
      { source: "mcp", server: "shop", usd: 2, tokens: 20 },
      { source: "mcp", server: "docs", usd: 3, tokens: 30 },
    ] as const;
    const total = { costUsd: 6, usage, usageByModel: {}, spendBySource };
    const { sourceUsage } = wireResult({ ...RESULT, total }, { uuid: "u", limits });
    expect(sourceUsage).toEqual({
      main: { tokens: 10, costUSD: 1 },
      "mcp:shop": { tokens: 20, costUSD: 2 },
      "mcp:docs": { tokens: 30, costUSD: 3 },
    });
  });

  test("an unknown price is null, never 0", () => {
    const share = { usage, costUsd: undefined };
    const total = { costUsd: undefined, usage, usageByModel: { x: share }, spendBySource: [] };
    const line = wireResult({ ...RESULT, total }, { uuid: "u", limits });
    expect(line).toMatchObject({ total_cost_usd: null, modelUsage: { x: { costUSD: null } }, is_error: false });
    expect(line).not.toHaveProperty("errors");
    expect(outcomeLine({ outcome: { reason: "aborted" } })).toBe("Interrupted.");
  });
});
