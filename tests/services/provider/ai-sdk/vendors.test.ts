import { describe, expect, test } from "bun:test";
import { reply, thinking, toolUse } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import type { Message } from "../../../../src/contracts/message.ts";
import type { ProviderEvent } from "../../../../src/contracts/provider.ts";
import { modelCatalog } from "../../../../src/services/provider/catalog.ts";
import { chooseProvider } from "../../../../src/services/provider/choose-provider.ts";
import { createProvider } from "../../../../src/services/provider/create-provider.ts";
import { fakeClock } from "../../../support/fake-clock.ts";
import { assistant, doneOf, result, user } from "../anthropic/support.ts";
import { type Scripted, scriptedServer } from "../scripted-server.ts";
import { asked, never, reading } from "./support.ts";

/** A vendor by its preset, at an address of ours. */
async function vendorAt(name: string, url: string) {
  const [provider = ""] = name.split("/");
  const entry = { baseUrl: `${url}/v1`, apiKeyEnv: "SOME_KEY" };
  const choice = await chooseProvider(
    { flag: name, setting: undefined },
    { environment: { SOME_KEY: "k" }, providers: { [provider]: entry } },
  );
  const made = await createProvider(choice, { catalog: modelCatalog(), clock: fakeClock(), random: () => 0.5 });
  const ask = async (messages: readonly Message[], extra: object = {}): Promise<readonly ProviderEvent[]> => {
    const read = reading(made.stream(asked(messages, { model: choice.model, ...extra }), never()));
    expect(await read.end).toBeUndefined();
    return read.events;
  };
  return { ask };
}

const answered = (events: readonly ProviderEvent[], id: string): Message => ({ ...doneOf(events), id });
const call = (id: string) => ({ type: "tool_use", id, name: "Read", input: {} }) as const;

describe("DeepSeek", () => {
  test("gets its reasoning back with every call, in later turns too, and an empty one where there was none", async () => {
    const chat = { reasoningField: "reasoning_content", returnedReasoning: "required" } as const;
    const scenario = [
      reply([thinking("Look."), toolUse("Read", {}, "t1")]),
      reply([thinking("Enough."), toolUse("Read", {}, "t2")]),
      reply("Done."),
      reply("Again."),
    ];
    await using twin = await startTwin({ scenario, openai: { chat } });
    const { ask } = await vendorAt("deepseek/deepseek-v4-pro", twin.url);
    const claude = assistant([{ type: "thinking", thinking: "Mine.", signature: "s" }, call("c1")], "claude-opus-5-5");
    const history: Message[] = [user("Go."), { ...claude, provider: "anthropic" } as Message, user(result("c1", "A"))];
    for (const [id, next] of [
      ["a1", result("t1", "B")],
      ["a2", result("t2", "C")],
      ["a3", "And now?"],
    ] as const)
      history.push(answered(await ask(history), id), user(next));
    await ask(history);
    expect(twin.requests.flatMap(({ rejected }) => rejected)).toEqual([]);
    const { messages } = (twin.requests.at(-1)?.body ?? {}) as {
      messages: { role: string; reasoning_content?: string }[];
    };
    const told = messages.filter(({ role }) => role === "assistant").map((message) => message.reasoning_content);
    expect(told).toEqual(["", "Look.", "Enough.", undefined]);
  });

  test("keeps its reasoning when another of its models goes on", async () => {
    await using twin = await startTwin({
      scenario: [reply([thinking("Look."), toolUse("Read", {}, "t1")]), reply("Done.")],
      openai: { chat: { reasoningField: "reasoning_content", returnedReasoning: "required" } },
    });
    const events = await (await vendorAt("deepseek/deepseek-v4-pro", twin.url)).ask([user("Go.")]);
    const other = await vendorAt("deepseek/deepseek-v4-flash", twin.url);
    await other.ask([user("Go."), answered(events, "a1"), user(result("t1", "A"))]);
    expect(twin.requests.flatMap(({ rejected }) => rejected)).toEqual([]);
  });

  test("is asked for its own efforts, and to think not at all", async () => {
    await using twin = await startTwin({ scenario: () => reply("Hi."), openai: { extraFields: ["thinking"] } });
    const { ask } = await vendorAt("deepseek/deepseek-v4-pro", twin.url);
    await ask([user("Go.")], { thinking: false });
    expect(twin.requests[0]?.body).toMatchObject({ thinking: { type: "disabled" } });
    await using server = await scriptedServer(said({ content: "Hi." }));
    await (await vendorAt("deepseek/deepseek-v4-pro", server.url)).ask([user("Go.")], { effort: "max" });
    expect(server.requests[0]?.body["reasoning_effort"]).toBe("max");
  });
});

const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 };
/** A stream of deltas, each in an event of its own. */
function said(...deltas: readonly object[]): Scripted {
  const chunk = (choice: object, more: object = {}) => ({
    id: "c",
    model: "x/y",
    choices: [{ index: 0, ...choice }],
    ...more,
  });
  const hasCalls = deltas.some((delta) => "tool_calls" in delta);
  const events = deltas.map((delta) => chunk({ delta }));
  return { body: [...events, chunk({ delta: {}, finish_reason: hasCalls ? "tool_calls" : "stop" }, { usage })] };
}
const CALL = { tool_calls: [{ index: 0, id: "t1", type: "function", function: { name: "Read", arguments: "{}" } }] };

describe("OpenRouter", () => {
  const details = (...pieces: readonly object[]) => ({ reasoning_details: pieces });
  const text = { type: "reasoning.text", format: "anthropic-claude-v1", index: 0 };
  const hidden = { type: "reasoning.encrypted", data: "opaque", id: "r1", format: "openai-responses-v1", index: 1 };

  test("gets back what its models signed, joined, with the message that it came with", async () => {
    await using server = await scriptedServer(
      said(
        { reasoning: "Let me ", ...details({ ...text, text: "Let me " }) },
        { reasoning: "look.", ...details({ ...text, text: "look." }) },
        details({ ...text, signature: "signed" }),
        details(hidden),
        CALL,
      ),
      said({ content: "Done." }),
    );
    const { ask } = await vendorAt("openrouter/x/y", server.url);
    const events = await ask([user("Go.")]);
    expect(doneOf(events).content.map(({ type }) => type)).toEqual(["thinking", "tool_use"]);
    expect(doneOf(events).content[0]).toMatchObject({ thinking: "Let me look." });
    const history = JSON.parse(JSON.stringify([user("Go."), answered(events, "a1"), user(result("t1", "A"))]));
    await ask(history);
    expect(server.requests[1]?.body.messages[2]).toEqual({
      role: "assistant",
      content: null,
      tool_calls: [{ id: "t1", type: "function", function: { name: "Read", arguments: "{}" } }],
      reasoning_details: [{ ...text, text: "Let me look.", signature: "signed" }, hidden],
    });
  });

  test("gets back thinking that it never showed", async () => {
    await using server = await scriptedServer(said(details(hidden), { content: "Yes." }), said({ content: "Done." }));
    const { ask } = await vendorAt("openrouter/x/y", server.url);
    const events = await ask([user("Go.")]);
    expect(doneOf(events).content).toMatchObject([
      { type: "thinking", thinking: "" },
      { type: "text", text: "Yes." },
    ]);
    await ask([user("Go."), answered(events, "a1"), user("More.")]);
    expect(server.requests[1]?.body.messages[2]).toEqual({
      role: "assistant",
      content: "Yes.",
      reasoning_details: [hidden],
    });
  });

  test("gets back each of several details that differ by their ids alone", async () => {
    const each = ["r1", "r2"].map((id) => ({ type: "reasoning.encrypted", data: `of ${id}`, id }));
    await using server = await scriptedServer(said(details(...each), CALL), said({ content: "Done." }));
    const { ask } = await vendorAt("openrouter/x/y", server.url);
    const events = await ask([user("Go.")]);
    await ask([user("Go."), answered(events, "a1"), user(result("t1", "A"))]);
    expect(server.requests[1]?.body.messages[2].reasoning_details).toEqual(each);
  });

  test("is not sent what another of its models signed", async () => {
    await using server = await scriptedServer(said(details(hidden), { content: "Yes." }), said({ content: "Done." }));
    const events = await (await vendorAt("openrouter/x/y", server.url)).ask([user("Go.")]);
    await (await vendorAt("openrouter/x/z", server.url)).ask([user("Go."), answered(events, "a1"), user("More.")]);
    expect(JSON.stringify(server.requests[1]?.body)).not.toContain("opaque");
  });

  test("odd details are passed over", async () => {
    await using server = await scriptedServer(
      said({ reasoning_details: "x" }, { reasoning_details: [null, 3] }, { content: "Hi." }),
    );
    const events = await (await vendorAt("openrouter/x/y", server.url)).ask([user("Go.")]);
    expect(doneOf(events).content).toEqual([{ type: "text", text: "Hi." }]);
  });
});

describe("Mistral", () => {
  test("never gets the user's words right behind results", async () => {
    await using server = await scriptedServer(said({ content: "Done." }));
    const { ask } = await vendorAt("mistral/devstral-2512", server.url);
    await ask([
      user("Go."),
      assistant([call("abcdefghi")]),
      user(result("abcdefghi", "A"), "And stop then."),
      assistant([{ type: "text", text: "Stopped." }]),
      user("More."),
    ]);
    expect(server.requests[0]?.body.messages.map(({ role }: { role: string }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
    const { body } = server.requests[0]!;
    expect(["stream_options" in body, "reasoning_effort" in body]).toEqual([false, false]);
  });

  test("thinks in parts of the content", async () => {
    const parts = [{ type: "thinking", thinking: [{ type: "text", text: "Hm." }] }];
    await using server = await scriptedServer(said({ content: parts }, { content: "Yes." }));
    const events = await (await vendorAt("mistral/magistral-medium-latest", server.url)).ask([user("Go.")]);
    expect(doneOf(events).content).toEqual([
      { type: "thinking", thinking: "Hm.", signature: "" },
      { type: "text", text: "Yes." },
    ]);
  });
});

describe("xAI and Groq", () => {
  test.each([
    ["xai/grok-4.6", undefined],
    ["xai/grok-3-mini", "low"],
    ["groq/qwen/qwen3-32b", undefined],
    ["groq/openai/gpt-oss-120b", "medium"],
  ])("%s is asked for an effort that it takes: %p", async (name, effort) => {
    await using server = await scriptedServer(said({ reasoning: "Hm." }, { content: "Yes." }));
    const events = await (await vendorAt(name, server.url)).ask([user("Go.")], { effort: "medium" });
    expect(server.requests[0]?.body["reasoning_effort"]).toBe(effort);
    expect(doneOf(events).content[0]).toMatchObject({ type: "thinking", thinking: "Hm." });
  });
});
