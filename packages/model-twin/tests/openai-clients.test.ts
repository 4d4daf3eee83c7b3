import { describe, expect, test } from "bun:test";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { eachOrDeep } from "../../../tests/support/deep.ts";
import { failing, fault, type Reply, rawToolUse, reply, text, thinking, toolUse } from "../src/scenario.ts";
import { startTwin, type Twin, type TwinOptions } from "../src/server.ts";
import type { ChatQuirks } from "../src/wires/openai/options.ts";
import type { Body } from "./support/ask.ts";

type Client = {
  readonly model: (twin: Twin) => LanguageModelV4;
  readonly options?: Partial<LanguageModelV4CallOptions>;
  /** True if the wire can carry thinking. */
  readonly hasThinking: boolean;
};

const openai = (twin: Twin) => createOpenAI({ apiKey: "k", baseURL: `${twin.url}/v1` });
const compatible = (twin: Twin) =>
  createOpenAICompatible({ name: "twin", apiKey: "k", baseURL: `${twin.url}/v1`, includeUsage: true });
const responses = (more: Body): Partial<LanguageModelV4CallOptions> => ({
  providerOptions: { openai: { reasoningEffort: "low", reasoningSummary: "auto", ...more } },
});

const CLIENTS: Record<string, Client> = {
  "@ai-sdk/openai, Chat Completions": { model: (twin) => openai(twin).chat("gpt-test"), hasThinking: false },
  "@ai-sdk/openai, Responses that are not kept": {
    model: (twin) => openai(twin).responses("gpt-5"),
    options: responses({ store: false }),
    hasThinking: true,
  },
  "@ai-sdk/openai, Responses that are kept": {
    model: (twin) => openai(twin).responses("gpt-5"),
    options: responses({}),
    hasThinking: true,
  },
  "@ai-sdk/openai-compatible": { model: (twin) => compatible(twin).chatModel("any"), hasThinking: true },
};

const TOOL = {
  type: "function" as const,
  name: "Read",
  description: "Reads a file.",
  inputSchema: { type: "object" as const, properties: { path: { type: "string" as const } } },
};

type Round = {
  readonly thinking: string;
  readonly text: string;
  readonly calls: readonly string[];
  readonly finish: string;
  readonly usage: unknown;
};
type Content = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];

/** Reads a stream as an agent would: the parts in their order, with what the provider wants back of each. */
async function read(stream: ReadableStream<LanguageModelV4StreamPart>): Promise<{ round: Round; content: Content }> {
  const content: Content = [];
  const open = new Map<string, { type: "text" | "reasoning"; text: string; providerOptions?: never }>();
  let finish = "";
  let usage: unknown;
  for await (const part of stream as unknown as AsyncIterable<LanguageModelV4StreamPart>) {
    if (part.type === "error") throw part.error;
    if (part.type === "text-start" || part.type === "reasoning-start") {
      const block = { type: part.type === "text-start" ? ("text" as const) : ("reasoning" as const), text: "" };
      open.set(part.id, block);
      content.push(block);
    }
    if (part.type === "text-delta" || part.type === "reasoning-delta") open.get(part.id)!.text += part.delta;
    if (part.type === "text-end" || part.type === "reasoning-end")
      Object.assign(open.get(part.id)!, part.providerMetadata && { providerOptions: part.providerMetadata });
    if (part.type === "tool-call")
      content.push({
        type: "tool-call",
        toolCallId: part.toolCallId,
        toolName: part.toolName,
        input: JSON.parse(part.input) as unknown,
        ...(part.providerMetadata && { providerOptions: part.providerMetadata }),
      });
    if (part.type === "finish") {
      finish = part.finishReason.unified;
      usage = {
        input: part.usage.inputTokens.total,
        cached: part.usage.inputTokens.cacheRead,
        output: part.usage.outputTokens.total,
      };
    }
  }
  const joined = (type: "text" | "reasoning") => content.map((part) => (part.type === type ? part.text : "")).join("");
  const calls = content.flatMap((part) => (part.type === "tool-call" ? [JSON.stringify(part.input)] : []));
  return { round: { thinking: joined("reasoning"), text: joined("text"), calls, finish, usage }, content };
}

/** Runs a tool loop to its end, each call answered with "ok". */
async function run({ model, options }: Client, scenario: readonly Reply[], twinOptions: Partial<TwinOptions> = {}) {
  await using twin = await startTwin({ ...twinOptions, scenario });
  const prompt: LanguageModelV4Message[] = [
    { role: "system", content: "Be short." },
    { role: "user", content: [{ type: "text", text: "Read a.txt." }] },
  ];
  const rounds: Round[] = [];
  for (;;) {
    const { stream } = await model(twin).doStream({ ...options, prompt, tools: [TOOL] });
    const { round, content } = await read(stream);
    rounds.push(round);
    const calls = content.filter((part) => part.type === "tool-call");
    if (calls.length === 0) return { rounds, rejected: twin.requests.flatMap(({ rejected }) => rejected) };
    prompt.push({ role: "assistant", content });
    prompt.push({
      role: "tool",
      content: calls.map(({ toolCallId, toolName }) => ({
        type: "tool-result",
        toolCallId,
        toolName,
        output: { type: "text", value: "ok" },
      })),
    });
  }
}

const USAGE = { inputTokens: 10, outputTokens: 20, cacheReadTokens: 30 };
const told = { input: 40, cached: 30, output: 20 };
const SCENARIO = [
  reply([thinking("Ich prüfe…"), text("Los."), toolUse("Read", { path: "ü.txt" })], { usage: USAGE, deltaChars: 3 }),
  reply([thinking("Noch zwei."), toolUse("Read", { path: "b" }), toolUse("Read", { path: "c" })], { usage: USAGE }),
  reply([toolUse("Read", {})], { usage: USAGE }),
  reply([thinking("So."), text("Fertig 😀")], { usage: USAGE, cutBytes: { seed: 4, max: 9 } }),
];

const expected = (hasThinking: boolean): Round[] => {
  const thought = (words: string) => (hasThinking ? words : "");
  return [
    { thinking: thought("Ich prüfe…"), text: "Los.", calls: ['{"path":"ü.txt"}'], finish: "tool-calls", usage: told },
    {
      thinking: thought("Noch zwei."),
      text: "",
      calls: ['{"path":"b"}', '{"path":"c"}'],
      finish: "tool-calls",
      usage: told,
    },
    { thinking: "", text: "", calls: ["{}"], finish: "tool-calls", usage: told },
    { thinking: thought("So."), text: "Fertig 😀", calls: [], finish: "stop", usage: told },
  ];
};

const clients = Object.entries(CLIENTS);

describe("a published client", () => {
  eachOrDeep("is accepted over four rounds: %s", 2, clients, async (_name, client) => {
    expect(await run(client, SCENARIO)).toEqual({ rounds: expected(client.hasThinking), rejected: [] });
  });

  eachOrDeep("is told what ended an answer: %s", 2, clients, async (_name, client) => {
    const finishOf = async (answer: Reply) => (await run(client, [answer])).rounds[0]!.finish;

    expect(await finishOf(reply("Cut", { stopReason: "max_tokens" }))).toBe("length");
    expect(await finishOf(reply("No.", { stopReason: "refusal" }))).toBe("content-filter");
    expect(await finishOf(reply("Soon.", { stopReason: "pause_turn" }))).toBe("stop");
  });

  eachOrDeep("recognises the errors as the API's: %s", 2, clients, async (_name, client) => {
    await using twin = await startTwin({
      scenario: [
        failing(fault.rateLimited(3)),
        failing(fault.overloaded()),
        reply("abc", { fault: fault.errorEvent(0, "overloaded_error", "Busy.") }),
        reply("abc", { fault: fault.errorEvent(1, "api_error", "It broke.") }),
      ],
    });
    const ask = async () => {
      const prompt: LanguageModelV4Message[] = [{ role: "user", content: [{ type: "text", text: "Hi." }] }];
      return await read((await client.model(twin).doStream({ ...client.options, prompt })).stream);
    };
    const failure = () =>
      ask().then(
        () => undefined,
        (error: unknown) => error as Body,
      );

    expect(await failure()).toMatchObject({
      statusCode: 429,
      isRetryable: true,
      responseHeaders: { "retry-after": "3" },
    });
    expect(await failure()).toMatchObject({ statusCode: 503, isRetryable: true });
    expect(JSON.stringify(await failure())).toContain("server_is_overloaded");
    expect(JSON.stringify(await failure())).toContain("It broke.");
  });
});

test("a client that drops the reasoning of an open loop is refused", async () => {
  const { model, options } = CLIENTS["@ai-sdk/openai, Responses that are not kept"]!;
  const forgetful: Client = {
    hasThinking: true,
    ...(options && { options }),
    model: (twin) => {
      const real = model(twin);
      const without = (message: LanguageModelV4Message): LanguageModelV4Message =>
        message.role === "assistant"
          ? { ...message, content: message.content.filter((part) => part.type !== "reasoning") }
          : message;
      return Object.assign(Object.create(real) as LanguageModelV4, {
        doStream: (call: LanguageModelV4CallOptions) => real.doStream({ ...call, prompt: call.prompt.map(without) }),
      });
    },
  };

  await expect(run(forgetful, SCENARIO)).rejects.toMatchObject({
    statusCode: 400,
    message: expect.stringContaining("the reasoning items that were sent before this function_call"),
  });
});

describe("a compatible server of another kind", () => {
  const client = CLIENTS["@ai-sdk/openai-compatible"]!;

  test.each<[string, ChatQuirks]>([
    ["that calls its thinking reasoning", { reasoningField: "reasoning" }],
    ["that wants its reasoning back", { returnedReasoning: "required" }],
    ["that sends no ids", { callIds: "missing" }],
    ["that sends arguments in one piece", { argumentPieces: false }],
    ["that tells its usage with the finish reason", { usage: "with_finish" }],
    ["that tells its usage unasked", { usage: "always" }],
  ])("is understood: %s", async (_name, chat) => {
    expect(await run(client, SCENARIO, { openai: { chat } })).toEqual({ rounds: expected(true), rejected: [] });
  });

  test("that makes one call at a time gets four requests for three calls", async () => {
    const { rounds, rejected } = await run(client, SCENARIO, { openai: { chat: { parallelCalls: false } } });

    expect(rounds.map(({ calls }) => calls)).toEqual([
      ['{"path":"ü.txt"}'],
      ['{"path":"b"}'],
      ['{"path":"c"}'],
      ["{}"],
      [],
    ]);
    expect(rejected).toEqual([]);
  });

  test("without the role system refuses a request with one", async () => {
    await expect(run(client, SCENARIO, { openai: { chat: { roles: "no_system" } } })).rejects.toMatchObject({
      statusCode: 400,
    });
  });
});

test("broken arguments arrive unchanged", async () => {
  await using twin = await startTwin({
    scenario: [reply([rawToolUse("Read", '{"path": "a')], { stopReason: "max_tokens" })],
  });
  const prompt: LanguageModelV4Message[] = [{ role: "user", content: [{ type: "text", text: "Hi." }] }];
  const { stream } = await openai(twin)
    .responses("gpt-test")
    .doStream({ prompt, tools: [TOOL] });
  const calls: string[] = [];
  for await (const part of stream as unknown as AsyncIterable<LanguageModelV4StreamPart>)
    if (part.type === "tool-call") calls.push(part.input);

  expect(calls).toEqual(['{"path": "a']);
});
