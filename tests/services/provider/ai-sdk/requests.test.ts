import { describe, expect, test } from "bun:test";
import { reply, text, thinking, toolUse } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import type { AssistantMessage, Message } from "../../../../src/contracts/message.ts";
import { testOfWire } from "../../../support/deep.ts";
import { assistant, deepFrozen, doneOf, eventsOf, READ, result } from "../anthropic/support.ts";
import {
  asked,
  catalogOf,
  KINDS,
  MODEL,
  modelOf,
  never,
  type PlayOptions,
  placeOf,
  played,
  providerAt,
  user,
  wireOf,
} from "./support.ts";

const PNG = Buffer.from("\x89PNG\r\n\x1a\nrest", "latin1").toString("base64");
const PDF = Buffer.from("%PDF-1.7\n").toString("base64");
const picture = { type: "image", mediaType: "image/png", data: PNG } as const;
const paper = { type: "document", mediaType: "application/pdf", data: PDF, title: "a.pdf" } as const;
const call = (id: string, input = {}) => ({ type: "tool_use", id, name: "Read", input }) as const;

/** The body that one request is sent with; the server must have accepted it. */
async function bodyOf(kind: (typeof KINDS)[number], request = asked(), options: PlayOptions = {}) {
  const { requests, error } = await played(kind, [reply("Hi.")], { ...options, request });
  expect([error, requests.map(({ rejected }) => rejected)]).toEqual([undefined, [[]]]);
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into bodies of three wires
  return requests[0]!.body as Record<string, any>;
}

describe.each(KINDS)("over %s", (kind) => {
  const overWire = testOfWire(kind, KINDS);
  overWire("a tool loop with thinking goes round: the strict server takes everything back", async () => {
    const think = (round: number) => thinking(`Step ${round}: ü😀`);
    const scenario = [
      reply([
        think(1),
        text("Look."),
        toolUse("Read", { file_path: "a" }, "t1"),
        toolUse("Read", { file_path: "b" }, "t2"),
      ]),
      reply([think(2), toolUse("Read", {}, "t3")]),
      reply([think(3), text("Done.")]),
      reply("Bye."),
    ];
    await using twin = await startTwin({ scenario });
    const { provider } = providerAt(placeOf(kind, twin), wireOf(kind));
    const history: Message[] = [user("Go.")];
    const step = async (...answers: Message[]) => {
      const message = doneOf(
        await eventsOf(provider.stream(deepFrozen(asked([...history], { model: modelOf(kind) })), never())),
      );
      history.push({ ...message, id: `m${history.length}` } satisfies AssistantMessage, ...answers);
    };
    await step(user(result("t1", "A"), result("t2", "B")));
    await step(user(result("t3", "", true)));
    await step(user("Thanks."));
    await step();
    expect(twin.requests.map(({ status, rejected }) => [status, rejected])).toEqual(
      Array.from({ length: 4 }, () => [200, []]),
    );
    const sent = twin.requests.at(-1)!.bodyText;
    expect(sent).toContain("(no output)");
    if (kind === "responses") expect(sent.match(/"encrypted_content"/g)).toHaveLength(3);
  });

  overWire("a history that Anthropic began is taken, without its thinking", async () => {
    const history = [
      user("Go."),
      assistant([
        { type: "thinking", thinking: "Secret thoughts.", signature: "c2ln" },
        { type: "redacted_thinking", data: "b3Bh" },
        { type: "opaque", data: { type: "server_tool_use", id: "srv" } },
        { type: "text", text: "Look.", citations: [{ type: "x" }] },
        call("toolu_01", { file_path: "a" }),
        call("toolu_02", { file_path: "b" }),
      ]),
      user(result("toolu_01", "A")),
      user("And?"),
    ];
    const body = JSON.stringify(await bodyOf(kind, deepFrozen(asked(history))));
    expect(body).not.toMatch(/Secret thoughts|c2ln|b3Bh|srv/);
    expect(body).toContain("There is no record of how this call ended.");
    expect(body).toContain("And?");
  });

  overWire("pictures and PDFs go from the user and from results, as far as the model takes them", async () => {
    const history = [
      user(picture, paper, "What is it?"),
      assistant([call("t1")]),
      user({
        type: "tool_result",
        toolUseId: "t1",
        content: [{ type: "text", text: "Here:" }, picture],
        isError: false,
      }),
    ];
    const seeing = JSON.stringify(await bodyOf(kind, asked(history)));
    expect(seeing.split(PNG)).toHaveLength(3);
    expect(seeing).toContain(PDF);
    const blind = { options: { catalog: catalogOf({ images: false, documents: false }) } };
    const unseeing = JSON.stringify(await bodyOf(kind, asked(history), blind));
    expect([unseeing.includes(PNG), unseeing.includes(PDF)]).toEqual([false, false]);
    expect(unseeing).toContain("[An image was here; this model accepts no images.]");
    expect(unseeing).toContain("[A PDF was here; this model accepts no PDFs.]");
  });

  overWire("a picture that is none is named in words, one with a wrong type gets its own", async () => {
    const wrong = { ...picture, mediaType: "image/gif" } as const;
    const none = { ...picture, data: Buffer.from("text").toString("base64") };
    const body = JSON.stringify(await bodyOf(kind, asked([user(wrong, none, "Well?")])));
    expect(body).toMatch(kind === "google" ? `"mimeType":"image/png","data":"${PNG}"` : `data:image/png;base64,${PNG}`);
    expect(body).toContain("its data is not a valid image");
  });

  overWire("a name that a model of another vendor invented becomes one that the vendor takes", async () => {
    for (const name of [`mcp__${"server".repeat(12)}__search.all`, "7up", "名前", ""]) {
      const history = [user("Go."), assistant([{ ...call("t1"), name }]), user(result("t1", "A"))];
      const { error, requests } = await played(kind, [reply("Fine.")], { request: asked(history, { tools: [READ] }) });
      expect([name, error, requests[0]?.rejected]).toEqual([name, undefined, []]);
    }
  });

  overWire("an id that the conversation holds already gets a number", async () => {
    const history = [user("Go."), assistant([call("t1")]), user(result("t1", "A"))];
    const { events } = await played(kind, [reply([toolUse("Read", {}, "t1")])], {
      request: asked(history),
      twin: {},
    });
    const [block] = doneOf(events).content;
    expect(block).toMatchObject({ type: "tool_use", id: "t1_2" });
  });

  overWire("the form of the answer is asked for", async () => {
    const outputSchema = {
      type: "object",
      properties: { a: { type: "string" } },
      additionalProperties: false,
    } as const;
    const body = await bodyOf(kind, asked([user("Answer as JSON.")], { outputSchema }));
    if (kind === "google") {
      // The SDK asks models of this series for the form by a tool where other tools are offered.
      expect(JSON.stringify(body)).toContain('"a":{"type":"string"}');
      return;
    }
    const format = kind === "responses" ? body["text"].format : body["response_format"].json_schema;
    expect(format).toMatchObject({ schema: outputSchema, strict: false, name: "answer" });
  });

  overWire("a tool without parameters is declared as one with none", async () => {
    const tools = [{ name: "Now", description: "", inputSchema: { type: "object" } }] as const;
    expect(JSON.stringify(await bodyOf(kind, asked(undefined, { tools })))).toMatch(/"Now"/);
  });

  overWire("a blank system text, and no tools, are left out", async () => {
    const body = await bodyOf(kind, asked([user("Hi.")], { system: " \n", tools: [] }));
    expect([JSON.stringify(body).includes("developer"), "tools" in body]).toEqual([false, false]);
  });

  overWire("half surrogate pairs are replaced wherever they stand", async () => {
    const body = await bodyOf(
      kind,
      asked([user("a\ud800b"), assistant([call("t1", { "k\udc00": ["\ud83d"] })]), user(result("t1", "\ud800"))], {
        system: "s\udfff",
      }),
    );
    expect(JSON.stringify(body)).not.toMatch(/\\ud[89a-f]/i);
  });

  overWire("each request begins with the messages of the one before", async () => {
    const history = [
      user("Go."),
      assistant([call("t1")]),
      user(result("t1", "A")),
      assistant([{ type: "text", text: "Done." }]),
      user("More."),
    ];
    const messages = async (count: number) => {
      const body = await bodyOf(kind, asked(history.slice(0, count)));
      return JSON.stringify(body["input"] ?? body["messages"] ?? body["contents"]).slice(0, -1);
    };
    const [one, two, three] = [await messages(1), await messages(3), await messages(5)];
    expect([two.startsWith(one), three.startsWith(two)]).toEqual([true, true]);
  });
});

describe("thinking and effort", () => {
  const sent = async (extra: object, options: PlayOptions = {}) =>
    bodyOf("compatible", asked(undefined, extra), options);

  test("of OpenAI go where its models want them", async () => {
    const responses = async (extra: object) => (await bodyOf("responses", asked(undefined, extra)))["reasoning"];
    expect(await responses({})).toEqual({ summary: "auto" });
    expect(await responses({ effort: "low" })).toEqual({ effort: "low", summary: "auto" });
    expect(await responses({ effort: "max" })).toEqual({ effort: "high", summary: "auto" });
    expect(await responses({ thinking: false })).toEqual({ effort: "minimal" });
    expect((await bodyOf("chat", asked(undefined, { effort: "high" })))["reasoning_effort"]).toBe("high");
  });

  test("of a compatible server follow its quirks", async () => {
    expect((await sent({ effort: "max" }))["reasoning_effort"]).toBe("high");
    expect(
      await sent(
        { effort: "low" },
        { quirks: { effort: "reasoning.effort" }, twin: { openai: { extraFields: ["reasoning"] } } },
      ),
    ).toMatchObject({
      reasoning: { effort: "low" },
    });
    expect("reasoning_effort" in (await sent({ effort: "low" }, { quirks: { effort: "none" } }))).toBe(false);
    const off = { quirks: { thinkingOff: { chat_template_kwargs: { enable_thinking: false } } } };
    const extra = { twin: { openai: { extraFields: ["chat_template_kwargs"] } } };
    const body = await sent({ thinking: false, effort: "high" }, { ...off, ...extra });
    expect(body).toMatchObject({ chat_template_kwargs: { enable_thinking: false } });
    expect("reasoning_effort" in body).toBe(false);
  });
});

describe("a compatible server", () => {
  const loop = [user("Go."), assistant([call("t:1"), call("t:2")]), user(result("t:1", "A"), result("t:2", "B"))];

  test("without system role gets the text before the user's first words", async () => {
    const body = await bodyOf("compatible", asked(), {
      quirks: { systemRole: false },
      twin: { openai: { chat: { roles: "no_system" } } },
    });
    expect(body["messages"]).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "Be brief." },
          { type: "text", text: "Hello." },
        ],
      },
    ]);
  });

  test("without parallel calls gets earlier ones one after another", async () => {
    const body = await bodyOf("compatible", asked(loop), {
      quirks: { parallelCalls: false },
      twin: { openai: { chat: { parallelCalls: false } } },
    });
    expect(body["messages"].map(({ role }: { role: string }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
      "tool",
    ]);
  });

  test("that wants ids of nine letters gets such, in calls and results alike", async () => {
    const body = await bodyOf("compatible", asked(loop), {
      quirks: { callIdChars: 9, exactCallIds: true },
      twin: { openai: { chat: { callIds: "nine_letters" } } },
    });
    expect(body["messages"][3]).toMatchObject({ role: "tool", tool_call_id: body["messages"][2].tool_calls[0].id });
  });

  test("that refuses stream_options isn't sent any", async () => {
    const body = await bodyOf("compatible", asked(), {
      quirks: { usageInStream: false },
      twin: { openai: { chat: { streamOptions: false } } },
    });
    expect("stream_options" in body).toBe(false);
  });

  test("takes the limit of the output where it wants it", async () => {
    const limits = async (maxTokensField: "max_completion_tokens" | "none") => {
      const body = await bodyOf("compatible", asked(), { quirks: { maxTokensField } });
      return [body["max_tokens"], body["max_completion_tokens"]];
    };
    expect([await limits("max_completion_tokens"), await limits("none")]).toEqual([
      [undefined, 1_000],
      [undefined, undefined],
    ]);
  });

  test("that wants its reasoning back in a tool loop gets it, and no longer after the user's next words", async () => {
    await using twin = await startTwin({
      scenario: [reply([thinking("Let me look."), toolUse("Read", {}, "t1")]), reply("Done."), reply("Bye.")],
      openai: { chat: { returnedReasoning: "required" } },
    });
    const { provider } = providerAt(`${twin.url}/v1`, wireOf("compatible", { reasoningBack: "tool-loop" }));
    const history: Message[] = [user("Go.")];
    for (const answer of [user(result("t1", "A")), user("Thanks."), undefined]) {
      const message = doneOf(await eventsOf(provider.stream(asked([...history]), never())));
      history.push({ ...message, id: `m${history.length}` }, ...(answer ? [answer] : []));
    }
    expect(twin.requests.map(({ rejected, bodyText }) => [rejected, bodyText.includes("Let me look.")])).toEqual([
      [[], false],
      [[], true],
      [[], false],
    ]);
  });
});

describe("a server that refuses what it does not know is asked again without it, and so from then on", () => {
  test.each([
    ["stream_options", { streamOptions: false }, {}],
    ["a system role", { roles: "no_system" }, {}],
    ["parallel calls", { parallelCalls: false }, { messages: true }],
  ] as const)("%s", async (_name, chat, { messages = false }: { messages?: boolean }) => {
    await using twin = await startTwin({ scenario: () => reply("Hi."), openai: { chat } });
    const { provider } = providerAt(`${twin.url}/v1`, wireOf("compatible"));
    const history = messages ? [user("Go."), assistant([call("t1"), call("t2")]), user("On.")] : undefined;
    const events = await eventsOf(provider.stream(asked(history), never()));
    await eventsOf(provider.stream(asked(history), never()));
    expect(events.map(({ type }) => type)).toEqual(["text_delta", "block_done", "done"]);
    expect(twin.requests.map(({ status }) => status)).toEqual([400, 200, 200]);
  });
});

test("a conversation goes from one model to another and back, and each gets its own signatures alone", async () => {
  await using twin = await startTwin({ scenario: () => reply([thinking("Thoughts."), text("Words.")]) });
  const history: Message[] = [user("Go.")];
  for (const model of [MODEL, "gpt-5-mini", MODEL]) {
    const { provider } = providerAt(`${twin.url}/v1`, wireOf("responses"));
    const message = doneOf(await eventsOf(provider.stream(asked([...history], { model }), never())));
    history.push({ ...message, id: `m${history.length}` }, user("On."));
  }
  const signatures = twin.requests.map(({ bodyText }) => bodyText.match(/"encrypted_content"/g)?.length ?? 0);
  expect([signatures, twin.requests.map(({ rejected }) => rejected)]).toEqual([
    [0, 0, 1],
    [[], [], []],
  ]);
});
