import { describe, expect, test } from "bun:test";
import { compatibleWire } from "../../../src/services/provider/ai-sdk/compatible-wire.ts";
import { googleWire } from "../../../src/services/provider/ai-sdk/google-wire.ts";
import { openAiWire } from "../../../src/services/provider/ai-sdk/openai-wire.ts";
import type { Wire } from "../../../src/services/provider/ai-sdk/wire.ts";
import { eachOrDeep, testOfWire } from "../../support/deep.ts";
import { providerAt as aiSdkAt } from "./ai-sdk/support.ts";
import { providerAt as anthropicAt, asked, doneOf, kinds, never, reading, throughTime } from "./anthropic/support.ts";
import { type Scripted, scriptedServer } from "./scripted-server.ts";

/** The same answer on each wire, as the wire's own server writes it: words in two pieces, or a call. */
type Api = {
  readonly provider: (url: string) => ReturnType<typeof anthropicAt>;
  readonly words: readonly string[];
  readonly call: readonly string[];
  readonly whole: object;
  /** The events with another word for the end. */
  ended(word: string, says?: boolean): readonly string[];
};

const data = (event: object) => `data: ${JSON.stringify(event)}\n\n`;
const named = (event: { readonly type: string }) => `event: ${event.type}\n${data(event)}`;

const block = (delta: object) => named({ type: "content_block_delta", ...{ index: 0, delta } });
const usage = { input_tokens: 7, output_tokens: 3 };
const START = named({ type: "message_start", ...{ message: { id: "m", model: "m", usage } } });
const STOP = named({ type: "content_block_stop", ...{ index: 0 } });
const opened = (content_block: object) => named({ type: "content_block_start", ...{ index: 0, content_block } });
const anthropicEnd = (word: string) => [
  named({ type: "message_delta", ...{ delta: { stop_reason: word }, usage } }),
  named({ type: "message_stop" }),
];
const anthropicWords = [
  START,
  opened({ type: "text", text: "" }),
  block({ type: "text_delta", text: "hel" }),
  block({ type: "text_delta", text: "lo" }),
  STOP,
];
const ANTHROPIC: Api = {
  provider: (url) => anthropicAt(url),
  words: [...anthropicWords, ...anthropicEnd("end_turn")],
  call: [
    START,
    opened({ type: "tool_use", id: "t1", name: "Read", input: {} }),
    block({ type: "input_json_delta", partial_json: '{"file_path":' }),
    block({ type: "input_json_delta", partial_json: '"a"}' }),
    STOP,
    ...anthropicEnd("tool_use"),
  ],
  whole: {
    ...{ type: "message", role: "assistant", model: "m", stop_reason: "tool_use", usage },
    content: [
      { type: "text", text: "hello" },
      { type: "tool_use", id: "t1", name: "Read", input: { file_path: "a" } },
    ],
  },
  ended: (word, says = true) => [...(says ? anthropicWords : [START]), ...anthropicEnd(word)],
};

const chunk = (delta: object, finish: string | null = null) =>
  data({ id: "c", object: "chat.completion.chunk", model: "m", choices: [{ index: 0, delta, finish_reason: finish }] });
const piece = (args: string, more: object = {}) =>
  chunk({
    tool_calls: [{ index: 0, ...more, function: { ...(more && "id" in more && { name: "Read" }), arguments: args } }],
  });
const DONE = "data: [DONE]\n\n";
const chat = (wire: () => Wire): Api => ({
  provider: (url) => aiSdkAt(`${url}/v1`, wire()),
  words: [chunk({ role: "assistant", content: "hel" }), chunk({ content: "lo" }), chunk({}, "stop"), DONE],
  call: [piece('{"file_path":', { id: "t1", type: "function" }), piece('"a"}'), chunk({}, "tool_calls"), DONE],
  whole: {
    ...{ id: "c", object: "chat.completion", model: "m", usage: { prompt_tokens: 7, completion_tokens: 3 } },
    choices: [
      {
        index: 0,
        finish_reason: "tool_calls",
        message: {
          role: "assistant",
          content: "hello",
          tool_calls: [{ id: "t1", type: "function", function: { name: "Read", arguments: '{"file_path":"a"}' } }],
        },
      },
    ],
  },
  ended: (word, says = true) => [chunk({ content: says ? "hello" : "" }), chunk({}, word), DONE],
});

const MESSAGE = { type: "message", id: "i1", role: "assistant", content: [] };
const TEXT = { ...MESSAGE, content: [{ type: "output_text", text: "hello", annotations: [] }] };
const CALL = {
  type: "function_call",
  id: "i2",
  call_id: "t1",
  name: "Read",
  arguments: '{"file_path":"a"}',
  status: "completed",
};
const response = (output: readonly object[], more: object = {}) => ({
  ...{ id: "r", object: "response", created_at: 1, model: "m", status: "completed", output },
  usage: { input_tokens: 7, output_tokens: 3 },
  ...more,
});
const added = (item: object) => named({ type: "response.output_item.added", ...{ output_index: 0, item } });
const done = (item: object) => named({ type: "response.output_item.done", ...{ output_index: 0, item } });
const said = (delta: string) => named({ type: "response.output_text.delta", ...{ item_id: "i1", delta } });
const created = named({ type: "response.created", ...{ response: response([]) } });
const completed = (output: readonly object[], more?: object) =>
  named({ type: "response.completed", ...{ response: response(output, more) } });
const RESPONSES: Api = {
  provider: (url) => aiSdkAt(`${url}/v1`, openAiWire("responses")),
  words: [created, added(MESSAGE), said("hel"), said("lo"), done(TEXT), completed([TEXT])],
  call: [
    created,
    added({ ...CALL, arguments: "" }),
    named({
      type: "response.function_call_arguments.delta",
      ...{ item_id: "i2", output_index: 0, delta: CALL.arguments },
    }),
    done(CALL),
    completed([CALL]),
  ],
  whole: response([TEXT, CALL]),
  ended: (word, says = true) => [
    created,
    ...(says ? [added(MESSAGE), said("hello"), done(TEXT)] : []),
    named({
      type: "response.incomplete",
      ...{ response: response([], { status: "incomplete", incomplete_details: { reason: word } }) },
    }),
  ],
};

const candidate = (parts: readonly object[], finishReason?: string) =>
  ({
    candidates: [{ content: { role: "model", parts }, ...(finishReason && { finishReason }) }],
    modelVersion: "m",
  }) as const;
const geminiCall = { functionCall: { name: "Read", args: { file_path: "a" } } };
const GEMINI: Api = {
  provider: (url) => aiSdkAt(`${url}/v1beta`, googleWire()),
  words: [data(candidate([{ text: "hel" }])), data(candidate([{ text: "lo" }], "STOP"))],
  call: [data(candidate([geminiCall])), data(candidate([], "STOP"))],
  whole: candidate([{ text: "hello" }, geminiCall], "STOP"),
  ended: (word, says = true) => [data(candidate(says ? [{ text: "hello" }] : [], word))],
};

const APIS = {
  anthropic: ANTHROPIC,
  compatible: chat(() => compatibleWire()),
  "openai chat": chat(() => openAiWire("chat")),
  responses: RESPONSES,
  gemini: GEMINI,
} as const;
const EACH = Object.entries(APIS);
const NAMES = EACH.map(([name]) => name);
/** Gemini's and OpenAI's own servers have no other word for an error. */
const BREAKING = NAMES.filter((name) => name !== "responses");

const stream = (...frames: readonly string[]): Scripted => ({
  headers: { "content-type": "text/event-stream" },
  body: frames.join(""),
});

async function played(api: Api, ...answers: readonly Scripted[]) {
  await using server = await scriptedServer(...answers);
  const { provider, clock } = api.provider(server.url);
  const read = reading(provider.stream(asked(undefined, { model: "m" }), never()));
  const error = await throughTime(read, clock);
  return { events: read.events, error, tries: server.requests.length };
}

const textOf = (events: Parameters<typeof doneOf>[0]) =>
  doneOf(events).content.flatMap((one) => (one.type === "text" ? [one.text] : []));
const callsOf = (events: Parameters<typeof doneOf>[0]) =>
  doneOf(events).content.flatMap((one) => (one.type === "tool_use" ? [[one.name, one.input]] : []));

/** Events that gateways put into any stream. */
const ODD: Readonly<Record<string, string>> = {
  "a named event of a gateway": 'event: gateway.progress\ndata: {"tool":"x","status":"running"}\n\n',
  "a ping with an object": "event: ping\ndata: {}\n\n",
  "a ping with a text": "event: keepalive\ndata: ping\n\n",
  "a text without a name": "data: keep-alive\n\n",
  "empty data": "data:\n\n",
  "data of blanks": "data:   \n\n",
  "an object of another kind": 'data: {"object":"billing.summary","billing":{"total":"0.2"}}\n\n',
  "a list": "data: []\n\n",
  "a null": "data: null\n\n",
  "a comment": ": OPENROUTER PROCESSING\n\n",
  "an unknown field": "retry: 3000\nfoo: bar\n\n",
  "an event of several lines": 'event: x\ndata: {\ndata: "a": 1\ndata: }\n\n',
  "carriage returns": 'event: ping\r\ndata: {"type": "ping"}\r\n\r\n',
};

describe.each(EACH)("a stream of %s", (wire, api) => {
  const overWire = testOfWire(wire, NAMES);
  eachOrDeep(
    "goes on after %s, wherever it stands",
    (at) => NAMES[at % NAMES.length] === wire,
    Object.entries(ODD),
    async (_name, odd) => {
      for (const at of [0, 1, api.words.length - 1]) {
        const { events, tries, error } = await played(api, stream(...api.words.toSpliced(at, 0, odd)));
        expect([at, error, tries, textOf(events)]).toEqual([at, undefined, 1, ["hello"]]);
      }
    },
  );

  overWire("is complete although its last event has no empty line at its end", async () => {
    for (const cut of [1, 2]) {
      const { events, tries } = await played(api, stream(api.words.join("").slice(0, -cut)));
      expect([cut, tries, textOf(events)]).toEqual([cut, 1, ["hello"]]);
    }
    const { events, tries } = await played(api, stream(api.call.join("").slice(0, -2)));
    expect([tries, callsOf(events)]).toEqual([1, [["Read", { file_path: "a" }]]]);
  });

  overWire("that ends too early is asked for three times, not ten", async () => {
    const { error, tries } = await played(api, stream(...api.words.slice(0, -2)));
    expect([error instanceof Error, tries]).toEqual([true, 3]);
  });

  overWire("that ends in the middle of its last event makes no call", async () => {
    const whole = api.call.join("");
    const { events, error } = await played(api, stream(whole.slice(0, whole.lastIndexOf('"a'))));
    expect(error).toBeInstanceOf(Error);
    expect(kinds(events)).not.toContain("done");
  });

  eachOrDeep(
    "that is a JSON answer of the type %p is used",
    (at) => NAMES[at % NAMES.length] === wire,
    ["application/json", "text/plain", "", "text/event-stream"],
    async (type) => {
      const body = JSON.stringify(api.whole);
      const { events, error, tries } = await played(api, { body, headers: { "content-type": type } });
      expect([error, tries]).toEqual([undefined, 1]);
      expect([textOf(events), callsOf(events)]).toEqual([["hello"], [["Read", { file_path: "a" }]]]);
      expect(doneOf(events).stopReason).toBe("tool_use");
    },
  );

  overWire("that is JSON of another kind is an error at once", async () => {
    const { error, tries } = await played(api, { body: '{"status":"ok"}' });
    expect([tries, String(error)]).toEqual([1, expect.stringContaining("instead of an event stream")]);
  });

  overWire("with a word for its end that nobody knows says so, and is no usual end", async () => {
    const { events } = await played(api, stream(...api.ended("flux")));
    expect(doneOf(events)).toMatchObject({ stopReason: "other", content: [{ type: "text", text: "hello" }] });
    expect(JSON.stringify(events.filter(({ type }) => type === "notice"))).toContain("flux");
  });
});

describe.each(EACH.filter(([name]) => BREAKING.includes(name)))("an answer of %s", (wire, api) => {
  const overWire = testOfWire(wire, BREAKING);
  overWire("that its server broke off is asked for again", async () => {
    const { events, tries } = await played(api, stream(...api.ended("error")), stream(...api.words));
    expect([tries, textOf(events)]).toEqual([2, ["hello"]]);
    expect(kinds(events)).toContain("restarted");
  });

  eachOrDeep(
    "with the word %s of other servers ends as %s",
    (at) => BREAKING[at % BREAKING.length] === wire,
    [
      ["eos_token", "end_turn"],
      ["length", "max_tokens"],
      ["sensitive", "refusal"],
      ["model_context_window_exceeded", "context_exceeded"],
    ] as const,
    async (word, expected) => {
      const { events } = await played(api, stream(...api.ended(word)));
      expect(doneOf(events).stopReason).toBe(expected);
    },
  );
});

describe("Chat Completions", () => {
  const api = APIS.compatible;

  test.each([
    [
      "choices that are null, with usage",
      'data: {"choices":null,"usage":{"prompt_tokens":70,"completion_tokens":3}}\n\n',
    ],
    ["usage alone", 'data: {"usage":{"prompt_tokens":70,"completion_tokens":3}}\n\n'],
  ])("take the usage of an event with %s", async (_, odd) => {
    const { events } = await played(api, stream(...api.words.toSpliced(2, 0, odd)));
    expect(doneOf(events)).toMatchObject({ content: [{ text: "hello" }], usage: { inputTokens: 70, outputTokens: 3 } });
  });

  test("pass over an error that is null, and report one that is told", async () => {
    const quiet = api.words.map((frame) => frame.replace('{"id"', '{"error":null,"id"'));
    expect(textOf((await played(api, stream(...quiet))).events)).toEqual(["hello"]);
    const told = "event: error\ndata: upstream is gone\n\n";
    const { events, tries } = await played(api, stream(api.words[0]!, told), stream(...api.words));
    expect([tries, textOf(events)]).toEqual([2, ["hello"]]);
  });

  test("report an error that only the event's name calls one", async () => {
    const told = `event: error\n${data({ message: "The input is gone.", request_id: "r1" })}`;
    const { error, events } = await played(api, stream(api.words[0]!, told), stream(...api.words));
    expect(`${String(error)} ${JSON.stringify(events)}`).toContain("The input is gone.");
  });

  test.each([
    ["vLLM", { object: "error", message: "The input is gone.", type: "BadRequestError", code: 400 }],
    ["FastAPI", { detail: "The input is gone." }],
    ["a gateway", { code: 500, message: "The input is gone." }],
    ["a gateway with a type", { type: "error", message: "The input is gone." }],
  ])("report an error that %s writes without a frame around it", async (_, event) => {
    const { error, events } = await played(api, stream(api.words[0]!, data(event)), stream(...api.words));
    const told = `${String(error)} ${JSON.stringify(events)}`;
    expect(told).toContain("The input is gone");
  });

  test("report MiniMax's error, which stands beside empty choices, as a prompt that is too long", async () => {
    const base_resp = { status_code: 2013, status_msg: "invalid params, context window exceeds limit" };
    const { error, tries } = await played(api, stream(data({ choices: null, base_resp })));
    expect([tries, error]).toEqual([1, expect.objectContaining({ kind: "too_long" })]);
  });

  test("that only [DONE] ends make a call if its input is complete, and are asked for again otherwise", async () => {
    const [begun, rest, , end] = api.call;
    const complete = await played(api, stream(begun!, rest!, end!));
    expect([complete.tries, callsOf(complete.events)]).toEqual([1, [["Read", { file_path: "a" }]]]);
    for (const cut of [stream(begun!, end!), stream(piece("", { id: "t1", type: "function" }), end!)]) {
      const { tries, events } = await played(api, cut, stream(...api.call));
      expect([tries, callsOf(events)]).toEqual([2, [["Read", { file_path: "a" }]]]);
    }
  });
});

test("a list of Gemini's answers is a stream too", async () => {
  const { events } = await played(GEMINI, {
    body: JSON.stringify([candidate([{ text: "hel" }]), candidate([{ text: "lo" }], "STOP")]),
  });
  expect(textOf(events)).toEqual(["hello"]);
});

test("events of Anthropic whose type is only their name are read", async () => {
  const words = ANTHROPIC.words.map((frame) => frame.replace(/"type":"(message|content_block)_[a-z_]+",?/, ""));
  expect(textOf((await played(ANTHROPIC, stream(...words))).events)).toEqual(["hello"]);
});
