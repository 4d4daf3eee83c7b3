import { expect, test } from "bun:test";
import type { Message, StopReason } from "../../../../src/contracts/message.ts";
import { modelCatalog } from "../../../../src/services/provider/catalog.ts";
import { WindowWatch } from "../../../../src/services/provider/request/window-watch.ts";
import { assistant, user } from "../anthropic/support.ts";

const KNOWN = 131_072;
/** About 1,000 tokens. */
const THOUSAND = "lorem ipsum ".repeat(420);

type Turn = {
  /** Thousands of tokens in the request. */
  readonly sent: number;
  readonly input: number;
  readonly output?: number;
  readonly stop?: StopReason;
};

/** Each turn is one request of a growing conversation. @returns the window after each turn, and what was said. */
async function watched(
  turns: readonly Turn[],
  { known = true, loaded, settings }: { known?: boolean; loaded?: number; settings?: number } = {},
) {
  const catalog = modelCatalog(settings === undefined ? {} : { models: { m: { contextWindow: settings } } });
  await catalog.load("m", "box");
  if (known) catalog.learn("m", { contextWindow: KNOWN });
  const before = catalog.capabilities("m").contextWindow;
  const watch = new WindowWatch({
    catalog,
    host: "box:1",
    remedy: "do this",
    ...(loaded !== undefined && { loadedWindow: async () => loaded }),
  });
  const windows: number[] = [];
  const lines: string[] = [];
  for (const { sent, input, output = 10, stop = "end_turn" } of turns) {
    const messages: readonly Message[] = [user(THOUSAND.repeat(sent))];
    const usage = { inputTokens: input, outputTokens: output, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const request = { model: "m", system: "", messages, tools: [], maxTokens: 8_000 };
    const line = await watch.answered(request, { usage, stopReason: stop });
    if (line !== undefined) lines.push(line);
    windows.push(catalog.capabilities("m").contextWindow);
  }
  return { windows, lines, before };
}

test("usage that stays at one round number while requests grow proves the window: first half of a known one, then all", async () => {
  const { windows, lines } = await watched([
    { sent: 4, input: 4_000 },
    { sent: 9, input: 8_000 },
    { sent: 12, input: 8_000 },
    { sent: 15, input: 8_000 },
    { sent: 18, input: 8_000 },
  ]);
  expect(windows).toEqual([KNOWN, KNOWN, KNOWN / 2, 8_000, 8_000]);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("models.m.contextWindow");
  expect(lines[0]).toContain("do this");
  expect(lines[0]).toContain("reads only 8,000 tokens");
});

test("a window that nobody knows is learnt with the first sign", async () => {
  const { windows } = await watched([{ sent: 9, input: 4_096 }], { known: false });
  expect(windows).toEqual([4_096]);
});

test("an answer that ends by its length at a round number proves the window too", async () => {
  const cut = { sent: 6, input: 7_000, output: 1_192, stop: "max_tokens" } as const;
  expect((await watched([cut], { known: false })).windows).toEqual([8_192]);
  expect((await watched([cut, cut])).windows).toEqual([KNOWN / 2, 8_192]);
});

test("a larger accepted request raises the window again, and the same number proves nothing any more", async () => {
  const { windows } = await watched([
    { sent: 9, input: 4_096 },
    { sent: 12, input: 4_096 },
    { sent: 12, input: 12_300 },
    { sent: 15, input: 4_096 },
    { sent: 18, input: 4_096 },
  ]);
  expect(windows).toEqual([KNOWN / 2, 4_096, KNOWN, KNOWN, KNOWN]);
});

test.each([
  [
    "usage that grows with the requests",
    [
      { sent: 4, input: 4_096 },
      { sent: 8, input: 8_192 },
      { sent: 16, input: 16_384 },
    ],
  ],
  [
    "usage that stays at a number that is not round",
    [
      { sent: 4, input: 4_097 },
      { sent: 9, input: 4_097 },
    ],
  ],
  [
    "usage that stays while requests stay",
    [
      { sent: 4, input: 4_000 },
      { sent: 4, input: 4_000 },
    ],
  ],
  [
    "usage far above the request",
    [
      { sent: 1, input: 50_000 },
      { sent: 3, input: 50_000 },
    ],
  ],
  [
    "small numbers",
    [
      { sent: 4, input: 1_000 },
      { sent: 9, input: 1_000 },
    ],
  ],
  ["an answer of the requested length", [{ sent: 4, input: 4_192, output: 8_000, stop: "max_tokens" }]],
] as const)("%s proves nothing", async (_, turns) => {
  const { windows, lines, before } = await watched(turns);
  expect([new Set(windows), lines]).toEqual([new Set([before]), []]);
});

test("the window with which the server loaded the model needs no sign", async () => {
  const { windows, lines } = await watched([{ sent: 1, input: 900 }], { loaded: 4_096 });
  expect([windows, lines.length]).toEqual([[4_096], 1]);
});

test("a window in the settings stays in force, and the line says that it is larger than the server's", async () => {
  const { windows, lines } = await watched(
    [
      { sent: 9, input: 4_096 },
      { sent: 12, input: 4_096 },
    ],
    { known: false, settings: 65_536 },
  );
  expect([windows, lines.length]).toEqual([[65_536, 65_536], 1]);
  expect(lines[0]).toContain("The setting models.m.contextWindow says more");
});

test("in a resumed conversation, the newest answer of the history is the first one", async () => {
  const catalog = modelCatalog();
  await catalog.load("m", "box");
  const watch = new WindowWatch({ catalog, host: "box:1", remedy: "do this" });
  const usage = { inputTokens: 8_000, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const earlier = { ...assistant([{ type: "text", text: "Yes." }], "m"), usage } as Message;
  const messages = [user(THOUSAND.repeat(9)), earlier, user(THOUSAND.repeat(3))];
  const line = await watch.answered(
    { model: "m", system: "", messages, tools: [], maxTokens: 8_000 },
    { usage, stopReason: "end_turn" },
  );
  expect([line !== undefined, catalog.capabilities("m").contextWindow]).toEqual([true, 8_000]);
});
