import { describe, expect, test } from "bun:test";
import { reply, text, toolUse } from "@quoll/model-twin/scenario";
import { textResult } from "../../../src/contracts/tool.ts";
import { createRedactor } from "../../../src/services/redaction/create-redactor.ts";
import { Content, MAX_CONTENT_CHARS } from "../../../src/services/telemetry/content.ts";
import { testTool } from "../../support/engine-harness.ts";
import { otlpReceiver } from "../../support/otlp-receiver.ts";
import { watchedEngine } from "./watched-engine.ts";

const SECRET = `sk-ant-api03-${"Zx9".repeat(31)}AA`;
const redactor = async () => createRedactor({ key: new Uint8Array(32).fill(7), knownValues: ["quite-a-known-Value7"] });

/** A turn whose prompt, answers, call and result each hold a word and a credential. */
async function sentWith(content: boolean, path = "") {
  await using collector = otlpReceiver();
  await using h = await watchedEngine(
    { endpoint: `${collector.url}${path}`, content },
    {
      tools: [testTool("Look", { run: async (given) => textResult(`resultword ${given} ${SECRET}`) })],
      scenario: [
        reply([text(`answerword ${SECRET}`), toolUse("Look", { text: `inputword "${SECRET}"` })]),
        reply("lastword quite-a-known-Value7"),
      ],
    },
    { redactor },
  );
  await h.engine.submit({ prompt: `promptword ${SECRET}` });
  expect(await h.finish()).toBeUndefined();
  return { spans: collector.spans(), logs: collector.logs(), text: collector.text() };
}

describe("content", () => {
  test("is not sent unless it was asked for", async () => {
    const { text: sent, spans, logs } = await sentWith(false);
    expect([spans.length, logs.length]).toEqual([5, 2]);
    for (const word of ["promptword", "answerword", "inputword", "resultword", "lastword", SECRET])
      expect([word, sent.includes(word)]).toEqual([word, false]);
  });

  test("does not leave as the name of a tool that a model made up", async () => {
    await using collector = otlpReceiver();
    const scenario = [reply([toolUse("madeup words of it", {})]), reply("Done.")];
    await using h = await watchedEngine({ endpoint: collector.url }, { tools: [], scenario });
    await h.engine.submit({ prompt: "go" });
    expect(await h.finish()).toBeUndefined();
    expect(collector.spans().map(({ name }) => name)).toContain("execute_tool (no tool's name)");
    expect(collector.text()).not.toContain("madeup");
  });

  test("is sent as the conventions have it, without the credentials in it", async () => {
    const { text: sent, spans, logs } = await sentWith(true);
    expect(sent).not.toContain(SECRET);
    expect(sent).not.toContain("ZxZx9"); // Half of a credential does not appear either.
    expect(sent).not.toContain("quite-a-known-Value7");
    const [first, second] = spans.filter(({ name }) => name.startsWith("chat"));
    const parsed = (value: unknown) => JSON.parse(String(value));
    expect(parsed(first?.attributes["gen_ai.input.messages"])).toEqual([
      {
        role: "user",
        parts: [
          { type: "text", content: "<environment>test</environment>" },
          { type: "text", content: expect.stringMatching(/^promptword (?!sk-)\S+$/) },
        ],
      },
    ]);
    expect(parsed(first?.attributes["gen_ai.output.messages"])).toEqual([
      {
        role: "assistant",
        parts: [
          { type: "text", content: expect.stringMatching(/^answerword (?!sk-)\S+$/) },
          {
            type: "tool_call",
            id: expect.any(String),
            name: "Look",
            arguments: { text: expect.stringMatching(/^inputword "(?!sk-)\S+"$/) },
          },
        ],
        finish_reason: "tool_use",
      },
    ]);
    // Of the second request only what is new: the result.
    expect(parsed(second?.attributes["gen_ai.input.messages"])).toEqual([
      {
        role: "tool",
        parts: [
          { type: "tool_call_response", id: expect.any(String), response: expect.stringContaining("resultword") },
        ],
      },
    ]);
    const call = spans.find(({ name }) => name === "execute_tool Look");
    expect(parsed(call?.attributes["gen_ai.tool.call.arguments"])).toEqual({
      text: expect.stringContaining("inputword"),
    });
    expect(call?.attributes["gen_ai.tool.call.result"]).toContain("resultword inputword");
    const turn = spans.find(({ name }) => name.startsWith("invoke"));
    expect(turn?.attributes["gen_ai.output.messages"]).toContain("lastword");
    expect(turn?.attributes["langfuse.observation.input"]).toBeUndefined();
    expect(logs[0]?.attributes["quoll.prompt"]).toStartWith("promptword ");
  });

  test("has Langfuse's own names too, where it goes there", async () => {
    const { spans } = await sentWith(true, "/api/public/otel");
    const turn = spans.find(({ name }) => name.startsWith("invoke"));
    expect(turn?.attributes["langfuse.observation.input"]).toStartWith("promptword ");
    expect(turn?.attributes["langfuse.observation.output"]).toStartWith("lastword ");
    const call = spans.find(({ name }) => name === "execute_tool Look");
    expect(call?.attributes["langfuse.observation.input"]).toContain("inputword");
    expect(call?.attributes["langfuse.observation.output"]).toContain("resultword");
  });

  test("is cut where it is endless, after credentials were taken out", async () => {
    const content = new Content(await redactor());
    const long = `${"word ".repeat(MAX_CONTENT_CHARS / 5 - 4)}${SECRET} end`;
    const cut = content.text(long);
    expect(cut.length).toBeLessThan(MAX_CONTENT_CHARS + 60);
    expect(cut).not.toContain("sk-ant-api03-Zx9");
    expect(content.text("short")).toBe("short");
    expect(content.text("x".repeat(MAX_CONTENT_CHARS + 5))).toEndWith("… (5 more characters)");
  });

  test("of pictures and of what only a provider can read names the kind alone", () => {
    const content = new Content({ redact: (given) => given });
    const image = { type: "image", mediaType: "image/png", data: "aGlkZGVu" } as const;
    const message = { role: "user", id: "1", content: [image] } as const;
    expect(content.input([message])).toBe('[{"role":"user","parts":[{"type":"image","mime_type":"image/png"}]}]');
    expect(
      content.output({ content: [{ type: "redacted_thinking", data: "hidden" }], stopReason: "end_turn" }),
    ).not.toContain("hidden");
  });
});
