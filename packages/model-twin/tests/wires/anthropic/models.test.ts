import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { reply } from "../../../src/scenario.ts";
import { startTwin, type Twin } from "../../../src/server.ts";
import { ask, type Body, body, errorMessage } from "../../support/ask.ts";

let twin: Twin;
beforeAll(async () => {
  twin = await startTwin({ scenario: () => reply("Yes.") });
});
afterAll(() => twin.close());

const BUDGET = { thinking: { type: "enabled", budget_tokens: 1024 } };
const ADAPTIVE = { thinking: { type: "adaptive" } };
const EFFORT = { output_config: { effort: "low" } };
const PREFILL = {
  messages: [
    { role: "user", content: "Hello." },
    { role: "assistant", content: "So" },
  ],
};

/** Which of the fields each model takes, by the names that it has at its vendor and on the clouds. */
const MODELS: readonly (readonly [model: string, takes: string])[] = [
  ["claude-3-7-sonnet-20250219", "budget prefill temperature"],
  ["claude-opus-4-20250514", "budget prefill temperature"],
  ["claude-sonnet-4-5-20250929", "budget prefill temperature"],
  ["eu.anthropic.claude-sonnet-4-5-20250929-v1:0", "budget prefill temperature"],
  ["claude-haiku-4-5@20251001", "budget prefill temperature"],
  ["claude-opus-4-5-20251101", "budget effort prefill temperature"],
  ["claude-sonnet-4-6", "budget adaptive effort temperature"],
  ["us.anthropic.claude-opus-4-6-v1", "budget adaptive effort temperature"],
  ["claude-opus-4-7", "adaptive effort"],
  ["claude-sonnet-5", "adaptive effort"],
  ["claude-haiku-5-5", "adaptive effort"],
  ["claude-without-a-number", "budget adaptive effort prefill temperature"],
];
const FIELDS: readonly (readonly [string, Body])[] = [
  ["budget", BUDGET],
  ["adaptive", ADAPTIVE],
  ["effort", EFFORT],
  ["prefill", PREFILL],
  ["temperature", { temperature: 0.5 }],
];

test.each(MODELS)("%s takes of what depends on the model: %s", async (model, takes) => {
  const taken: string[] = [];
  for (const [name, fields] of FIELDS) {
    const answered = await ask(twin, body({ model, ...fields }));
    if (answered.status === 200) taken.push(name);
    else expect(answered.status).toBe(400);
  }
  expect(taken.join(" ")).toBe(takes);
});

describe("a refusal names the field and the remedy", () => {
  test.each([
    [
      { model: "claude-opus-4-7", ...BUDGET },
      'thinking.type: "enabled" is not supported for this model: use "adaptive"',
    ],
    [
      { model: "claude-opus-4-5", ...ADAPTIVE },
      'thinking.type: "adaptive" is not supported for this model: use "enabled"',
    ],
    [{ model: "claude-haiku-4-5", ...EFFORT }, "output_config.effort: is not supported for this model"],
    [{ model: "claude-sonnet-4-6", ...PREFILL }, "messages: this model goes on with no message of the assistant"],
    [{ model: "claude-sonnet-5-5", top_p: 0.9 }, "top_p: is not supported for this model"],
    [{ model: "claude-sonnet-5-5", top_k: 5 }, "top_k: is not supported for this model"],
  ] as const)("%j", async (fields, message) => {
    const answered = await ask(twin, body(fields));
    expect([answered.status, errorMessage(answered)]).toEqual([400, expect.stringContaining(message)]);
  });
});
