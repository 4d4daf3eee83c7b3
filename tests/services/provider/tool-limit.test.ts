import { expect, test } from "bun:test";
import { compatibleWire } from "../../../src/services/provider/ai-sdk/compatible-wire.ts";
import { providerAt as aiSdkAt } from "./ai-sdk/support.ts";
import { providerAt as anthropicAt, asked, kinds, never, reading, throughTime } from "./anthropic/support.ts";
import { type Scripted, scriptedServer } from "./scripted-server.ts";

const WORDS =
  "Invalid 'tools': array too long. Expected an array with maximum length 2, but got an array with length 3 instead.";
const refused: Scripted = {
  status: 400,
  body: JSON.stringify({ error: { message: WORDS, code: "array_above_max_length" } }),
};
const chat: Scripted = {
  body: [{ choices: [{ index: 0, delta: { content: "Hi." }, finish_reason: "stop" }] }],
};
const message: Scripted = {
  body: JSON.stringify({
    type: "message",
    model: "m",
    content: [{ type: "text", text: "Hi." }],
    stop_reason: "end_turn",
  }),
};
const tool = (name: string) => ({ name, description: name, inputSchema: { type: "object" } });

test.each([
  ["an OpenAI-compatible server", (url: string) => aiSdkAt(`${url}/v1`, compatibleWire()), chat],
  ["Anthropic's API", (url: string) => anthropicAt(url), message],
] as const)(
  "%s that takes fewer tools gets the first ones, and the person is told once",
  async (_, providerAt, answer) => {
    await using server = await scriptedServer(refused, answer);
    const { provider, clock } = providerAt(server.url);
    const request = asked(undefined, { model: "m", tools: ["A", "B", "C"].map(tool) });
    for (const _again of [1, 2]) {
      const read = reading(provider.stream(request, never()));
      expect(await throughTime(read, clock)).toBeUndefined();
      const told = JSON.stringify(read.events.filter(({ type }) => type === "notice"));
      expect(told.includes("at most 2 tools")).toBe(_again === 1);
      expect(kinds(read.events)).toContain("done");
    }
    const sent = server.requests.map(({ body }) =>
      body.tools.map((one: { name?: string; function?: { name: string } }) => one.name ?? one.function?.name),
    );
    expect(sent).toEqual([
      ["A", "B", "C"],
      ["A", "B"],
      ["A", "B"],
    ]);
  },
);
