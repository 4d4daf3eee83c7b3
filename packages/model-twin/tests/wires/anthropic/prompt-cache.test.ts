import { expect, test } from "bun:test";
import { reply } from "../../../src/scenario.ts";
import { startTwin } from "../../../src/server.ts";
import { ask, type Body, body, READ_TOOL } from "../../support/ask.ts";

const cache_control = { type: "ephemeral" };
const words = (count: number) => "abcd".repeat(count);
const user = (text: string, marked = false) => ({
  role: "user",
  content: [{ type: "text", text, ...(marked && { cache_control }) }],
});
const assistant = (text: string) => ({ role: "assistant", content: text });
const system = [{ type: "text", text: words(2000), cache_control }];

type Usage = { input_tokens: number; cache_read_input_tokens: number; cache_creation_input_tokens: number };

/** The usage that a twin tells for each request in turn: fresh, read, written. */
async function usages(requests: Body[], promptCache = true) {
  await using twin = await startTwin({ scenario: () => reply("Yes."), promptCache });
  const told: number[][] = [];
  for (const request of requests) {
    const { usage } = (await ask(twin, body(request))).json as { usage: Usage };
    told.push([usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens]);
  }
  return told;
}

test("a marked prefix is written once, then read, and the mark moves with the conversation", async () => {
  const first = { system, messages: [user(words(100), true)] };
  const second = { system, messages: [user(words(100)), assistant(words(50)), user(words(10), true)] };

  expect(await usages([first, first, second])).toEqual([
    [0, 0, 2104],
    [0, 2104, 0],
    [0, 2104, 68],
  ]);
});

test("the text after the last mark is neither read nor written", async () => {
  const request = { system, messages: [user(words(100))] };

  expect(await usages([request, request])).toEqual([
    [104, 0, 2000],
    [104, 2000, 0],
  ]);
});

test("a changed byte in the prefix invalidates everything after it", async () => {
  const messages = [user("x", true)];
  const changed = [{ ...system[0]!, text: `${words(1999)}abcD` }];

  expect(
    await usages([
      { system, messages },
      { system: changed, messages },
    ]),
  ).toEqual([
    [0, 0, 2005],
    [0, 0, 2005],
  ]);
});

test("another model and another list of tools have caches of their own", async () => {
  const request = { system, messages: [user("x")] };
  const told = await usages([request, { ...request, model: "other" }, { ...request, tools: [READ_TOOL] }]);

  expect(told.map(([, read]) => read)).toEqual([0, 0, 0]);
});

test("a short prompt is not cached, and nothing is without the option", async () => {
  const short = { system: [{ type: "text", text: words(100), cache_control }] };
  const none = [
    [106, 0, 0],
    [106, 0, 0],
  ];

  expect(await usages([short, short])).toEqual(none);
  expect((await usages([{ system }, { system }], false)).map(([, read, written]) => [read, written])).toEqual([
    [0, 0],
    [0, 0],
  ]);
});

test("a mark of the request itself applies to its end", async () => {
  const request = { cache_control, messages: [user(words(2000))] };

  expect(await usages([request, request])).toEqual([
    [0, 0, 2004],
    [0, 2004, 0],
  ]);
});

test("a reply's own usage takes precedence", async () => {
  const usage = { inputTokens: 1, cacheReadTokens: 2, cacheCreationTokens: 3 };
  await using twin = await startTwin({ scenario: [reply("Yes.", { usage })], promptCache: true });

  expect((await ask(twin, body({ system }))).json).toMatchObject({
    usage: { input_tokens: 1, cache_read_input_tokens: 2, cache_creation_input_tokens: 3 },
  });
});
