import { describe, expect, test } from "bun:test";
import type { ModelLimits } from "../../../../src/contracts/ports.ts";
import { compatibleWire } from "../../../../src/services/provider/ai-sdk/compatible-wire.ts";
import { doneOf, kinds } from "../anthropic/support.ts";
import { type Scripted, scriptedServer } from "../scripted-server.ts";
import { asked, catalogOf, MODEL, never, providerAt, reading, throughTime } from "./support.ts";

/** Answers of servers, according to their documentation and to reports of users. */
const chunk = (delta: object, finish: string | null = null) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1_790_000_000,
  model: MODEL,
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const HELLO: Scripted = { body: [chunk({ role: "assistant", content: "Hello." }), chunk({}, "stop")] };
const stream = (...events: readonly (object | string)[]): Scripted => ({
  headers: { "content-type": "text/event-stream" },
  body: events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join(""),
});
const refusal = (error: object, status = 400): Scripted => ({ status, body: JSON.stringify(error) });
const message = (text: string, more: object = {}) =>
  refusal({ error: { message: text, type: "BadRequestError", ...more } });

async function play(...answers: readonly Scripted[]) {
  await using server = await scriptedServer(...answers);
  const learned: object[] = [];
  const catalog = { ...catalogOf(), learn: (_: string, limits: ModelLimits) => void learned.push(limits) };
  const { provider, clock } = providerAt(`${server.url}/v1`, compatibleWire(), { catalog });
  const read = reading(provider.stream(asked(undefined, { maxTokens: 32_000 }), never()));
  const error = await throughTime(read, clock);
  const problem = error instanceof Error ? error.message.replace(/127\.0\.0\.1:\d+/, "HOST") : undefined;
  return { events: read.events, problem, learned, bodies: server.requests.map(({ body }) => body) };
}

describe("a refusal that states a limit is obeyed once", () => {
  test.each([
    [
      "vLLM",
      message(
        "This model's maximum context length is 8192 tokens. However, you requested 32568 tokens (568 in the messages, 32000 in the completion). Please reduce the length of the messages or completion.",
      ),
      8_192 - 568,
      { contextWindow: 8_192, inputTokens: 568 },
    ],
    [
      "vLLM, newer",
      message(
        "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 16384 tokens and your request has 1024 input tokens (32000 > 16384 - 1024). None",
      ),
      15_360,
      { contextWindow: 16_384, inputTokens: 1_024 },
    ],
    [
      "OpenAI",
      message(
        "max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000.",
      ),
      16_384,
      { maxOutputTokens: 16_384 },
    ],
    [
      "DeepSeek",
      message("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]"),
      8_192,
      { maxOutputTokens: 8_192 },
    ],
    [
      "Groq",
      message(
        "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model",
      ),
      8_192,
      { maxOutputTokens: 8_192 },
    ],
    [
      "Text Generation Inference",
      refusal(
        {
          error:
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 96 `inputs` tokens and 32000 `max_new_tokens`",
          error_type: "validation",
        },
        422,
      ),
      4_000,
      { contextWindow: 4_096, inputTokens: 96 },
    ],
  ] as const)("%s", async (_, refused, maxTokens, limits) => {
    const { events, problem, learned, bodies } = await play(refused, HELLO);
    expect([problem, kinds(events).at(-1)]).toEqual([undefined, "done"]);
    expect(bodies.map(({ max_tokens }) => max_tokens)).toEqual([32_000, maxTokens]);
    expect(learned).toEqual([limits]);
  });

  test("a second refusal is passed on", async () => {
    const refused = message("max_tokens is too large: 9. This model supports at most 9000 completion tokens.");
    const again = message("max_tokens is too large: 9. This model supports at most 4000 completion tokens.");
    const { problem, bodies } = await play(refused, again);
    expect(bodies.map(({ max_tokens }) => max_tokens)).toEqual([32_000, 9_000]);
    expect(problem).toContain("at most 4000");
  });

  test("a refusal that only a shorter prompt would fit reports a prompt that is too long, and the window is remembered", async () => {
    const error = { code: 400, message: "the request exceeds the available context size, try increasing it" };
    const sizes = { type: "exceed_context_size_error", n_prompt_tokens: 5_000, n_ctx: 4_096 };
    const { problem, learned, bodies } = await play(refusal({ error: { ...error, ...sizes } }));
    expect([bodies.length, learned]).toEqual([1, [{ contextWindow: 4_096, inputTokens: 5_000 }]]);
    expect(problem).toContain("exceeds the available context size");
  });
});

test("a field that FastAPI refuses is left out", async () => {
  const unknown = (name: string): Scripted =>
    refusal(
      { detail: [{ type: "extra_forbidden", loc: ["body", name], msg: "Extra inputs are not permitted", input: {} }] },
      422,
    );
  const { problem, bodies } = await play(unknown("stream_options"), unknown("max_tokens"), HELLO);
  expect(problem).toBeUndefined();
  expect(bodies.map((body) => ["stream_options" in body, "max_tokens" in body])).toEqual([
    [true, true],
    [false, true],
    [false, false],
  ]);
});

test("a field that can't be left out is named", async () => {
  const detail = [{ type: "missing", loc: ["body", "user"], msg: "Field required" }];
  expect((await play(refusal({ detail }, 422))).problem).toBe("HOST rejects the request (422): user: Field required.");
});

test("arguments of a call that are an object are taken as its JSON", async () => {
  const call = { index: 0, id: "c1", type: "function", function: { name: "Read", arguments: { file_path: 'a "b"' } } };
  const answer = [
    chunk({ role: "assistant", content: "Look." }),
    chunk({ tool_calls: [call] }),
    chunk({}, "tool_calls"),
  ];
  const { events, problem } = await play(stream(...answer, "[DONE]"));
  expect(problem).toBeUndefined();
  expect(doneOf(events).content.at(-1)).toEqual({
    type: "tool_use",
    id: "c1",
    name: "Read",
    input: { file_path: 'a "b"' },
  });
});

describe("[DONE] without a finish reason", () => {
  test("is the end of an answer", async () => {
    const { events, problem, bodies } = await play(stream(chunk({ role: "assistant", content: "Hello." }), "[DONE]"));
    expect([problem, bodies.length]).toEqual([undefined, 1]);
    expect(doneOf(events)).toMatchObject({ stopReason: "end_turn", content: [{ type: "text", text: "Hello." }] });
  });

  test("is none where nothing was said, nor is the end of the connection", async () => {
    for (const broken of [stream("[DONE]"), stream(chunk({ content: "Hel" }))]) {
      const { events, bodies } = await play(broken, HELLO);
      expect([bodies.length, doneOf(events).content]).toEqual([2, [{ type: "text", text: "Hello." }]]);
    }
  });
});

describe("an event that can't be read", () => {
  test.each([
    ["is not valid JSON", stream(chunk({ content: "Hel" }), '{"choices": [oops'), "it is not valid JSON"],
    ["has another form", stream({ choices: "none" }), "it does not have the form that the API documents"],
  ])("because it %s is one clear sentence, and tried once more", async (_, malformed, why) => {
    const { problem, bodies } = await play(malformed);
    expect(bodies.length).toBe(2);
    expect(problem).toBe(`HOST sent an unreadable event: ${why}. Quoll tried 2 times.`);
    expect((await play(malformed, HELLO)).problem).toBeUndefined();
  });
});

test.each([
  [
    "Ollama",
    refusal({ error: { message: `${MODEL} does not support tools`, type: "api_error", param: null, code: null } }),
  ],
  ["OpenRouter", refusal({ error: { message: "No endpoints found that support tool use.", code: 404 } }, 404)],
])("a model without tools is told with the setting that makes it usable (%s)", async (_, refused) => {
  const { problem, bodies } = await play(refused);
  expect([bodies.length, problem]).toEqual([1, expect.stringContaining(`set models.${MODEL}.tools to false`)]);
});

test("a key of a letter or two leaves an error's words alone", async () => {
  await using server = await scriptedServer(message("Request exceeded the quota of the day."));
  const { provider, clock } = providerAt(`${server.url}/v1`, compatibleWire(), { apiKey: "e" });
  const error = await throughTime(reading(provider.stream(asked(), never())), clock);
  expect(String(error)).toContain("Request exceeded the quota of the day");
});
