import { expect, test } from "bun:test";
import { reply } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { quollPlace } from "../support/quoll-process.ts";

type Place = Awaited<ReturnType<typeof quollPlace>>;
const thoughts = (here: Place) =>
  here.sent().map((body) => {
    const { thinking, max_tokens: most } = body as { thinking?: unknown; max_tokens?: number };
    return [thinking, most];
  });

deepTest(
  "tokens to think with come from the flag, the settings or the variable, and the answer keeps its room",
  async () => {
    await using here = await quollPlace({ scenario: () => reply("Hi.") });
    const ask = (args: readonly string[], env = {}) =>
      here.run(["-p", "hi", "--model", "claude-haiku-4-5", ...args], { env });
    const setting = ["--settings", JSON.stringify({ maxThinkingTokens: 6_000 })];
    const variable = { MAX_THINKING_TOKENS: "5000" };
    await ask(["--max-thinking-tokens", "7000", ...setting], variable);
    await ask([]);
    expect(here.refused()).toEqual([]);
    expect(thoughts(here)).toEqual([
      [{ type: "enabled", budget_tokens: 7_000 }, 39_000],
      [undefined, 32_000],
    ]);
    await ask(setting, variable);
    await ask([], variable);
    await ask(["--max-thinking-tokens", "0"], variable);
    expect(here.refused()).toEqual([]);
    expect(thoughts(here).slice(2)).toEqual([
      [{ type: "enabled", budget_tokens: 6_000 }, 38_000],
      [{ type: "enabled", budget_tokens: 5_000 }, 37_000],
      [{ type: "disabled" }, 32_000],
    ]);
  },
);

test("a variable that is no number of tokens is a usage error", async () => {
  await using here = await quollPlace({ scenario: () => reply("Hi.") });
  expect(await here.run(["-p", "hi"], { env: { MAX_THINKING_TOKENS: "lots" } })).toEqual({
    code: 2,
    out: "",
    err: 'quoll: MAX_THINKING_TOKENS is "lots": it must be a whole number of tokens, 0 for no thinking.\n',
  });
});

deepTest("a program sets them in mid-session", async () => {
  await using here = await quollPlace({ scenario: () => reply("Hi.") });
  const lines = [
    {
      type: "control_request",
      request_id: "1",
      request: { subtype: "set_max_thinking_tokens", max_thinking_tokens: 9000 },
    },
    { type: "user", message: { role: "user", content: "hi" } },
  ];
  const stream = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
  const { code } = await here.run(["-p", "--model", "claude-haiku-4-5", ...stream], {
    stdin: lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
  });
  expect([code, thoughts(here)]).toEqual([0, [[{ type: "enabled", budget_tokens: 9_000 }, 41_000]]]);
});
