import { expect, test } from "bun:test";
import { reply, text, toolUse } from "@quoll/model-twin/scenario";
import type { Tool } from "../../src/contracts/tool.ts";
import { textResult } from "../../src/contracts/tool.ts";
import { engineHarness, testTool } from "../support/engine-harness.ts";

const INPUT = { text: "some words that come in many pieces" };
const pieced = (name: string) => [reply([toolUse(name, INPUT)], { deltaChars: 2, paceMs: 2 }), reply([text("done")])];

test("a first call's code is loaded while its input streams, and the call runs when the input is complete", async () => {
  const seen: (readonly [string, number])[] = [];
  const look = testTool("Look", { run: async () => textResult("seen") });
  const load = async () => void seen.push(["tool", h.events.filter(({ type }) => type === "tool_input_delta").length]);
  await using h = await engineHarness({
    scenario: pieced("Look"),
    tools: [{ ...look, load } satisfies Tool],
    onRedactor: () => void seen.push(["redactor", h.events.filter(({ type }) => type === "tool_input_delta").length]),
  });
  await h.engine.submit({ prompt: "go" });
  const deltas = h.events.filter(({ type }) => type === "tool_input_delta").length;
  expect(seen.slice(0, 2).map(([what]) => what)).toEqual(["tool", "redactor"]);
  for (const [, count] of seen.slice(0, 2)) expect(count).toBeLessThan(deltas);
  expect(seen.filter(([what]) => what === "tool")).toHaveLength(1);
  expect(JSON.stringify(h.twin.requests.at(-1)?.body)).toContain("seen");
});

test("a tool that can't be loaded, or does not exist, is reported only with the call", async () => {
  const look = testTool("Look", { run: async () => textResult("seen") });
  const load = async () => {
    throw new Error("no such file");
  };
  await using h = await engineHarness({ scenario: pieced("Look"), tools: [{ ...look, load } satisfies Tool] });
  expect((await h.engine.submit({ prompt: "go" })).outcome.reason).toBe("completed");
  await using other = await engineHarness({ scenario: pieced("Nowhere"), tools: [look] });
  expect((await other.engine.submit({ prompt: "go" })).outcome.reason).toBe("completed");
  expect(JSON.stringify(other.twin.requests.at(-1)?.body)).toContain("Nowhere");
});
