import { describe, expect, test } from "bun:test";
import { failing, fault, reply, text, thinking, toolUse } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import { toolUses } from "../../src/contracts/message.ts";
import { eachOrDeep } from "../support/deep.ts";
import { pairingProblems } from "../support/engine-harness.ts";
import { ADAPTERS, type Adapter } from "./adapters.ts";
import { normalised } from "./normalise.ts";
import { engineOn, refusals } from "./play.ts";

const adapterAt = (index: number): Adapter => ADAPTERS[index % ADAPTERS.length] as Adapter;
/** Each adapter with the two behind it: every kind of wire hands over to another one. */
const TRIPLES = ADAPTERS.map((first, index) => {
  const [second, third] = [adapterAt(index + 4), adapterAt(index + 8)];
  return [`${first.name}, ${second.name} and ${third.name}`, first, second, third] as const;
});
/** Each of the three numbers its calls in the same way. */
const CALL_ID = "functions.Look:0";
const OVERLOADED = Array.from({ length: 3 }, () => failing(fault.overloaded()));

describe("a session over three providers", () => {
  eachOrDeep(
    "%s: begun, failed over in the middle of tool use, and resumed",
    (at) => at % 3 === 0,
    TRIPLES,
    async (_, first, second, third) => {
      const look = (title: string) =>
        reply([thinking("Hm."), text("Next."), toolUse("Look", { text: title }, CALL_ID)]);
      await using one = await startTwin({ ...first.twin, scenario: [look("a"), ...OVERLOADED] });
      await using two = await startTwin({ ...second.twin, scenario: [look("b"), reply("Half way.")] });
      await using three = await startTwin({ ...third.twin, scenario: [look("c"), reply("Done.")] });
      const next = { adapter: second, url: two.url };
      const begun = await engineOn({ adapter: first, url: one.url, next });
      const report = await begun.engine.submit({ prompt: "go" });
      expect(report).toMatchObject({ outcome: { reason: "completed" }, text: "Half way." });
      expect(begun.engine.state).toMatchObject({ model: second.model, providerName: second.provider });
      const messages = JSON.parse(JSON.stringify(begun.engine.state.messages));
      await begun.engine.close();

      const resumed = await engineOn({ adapter: third, url: three.url, messages });
      const last = await resumed.engine.submit({ prompt: "on" });
      expect(last).toMatchObject({ outcome: { reason: "completed" }, text: "Done." });
      expect(pairingProblems(resumed.engine.state.messages)).toEqual([]);
      const calls = resumed.engine.state.messages.flatMap((message) =>
        message.role === "assistant" ? toolUses(message) : [],
      );
      expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
      await resumed.engine.close();
      expect([...refusals(one, first), ...refusals(two, second), ...refusals(three, third)]).toEqual([]);
      const lastBody = three.requests.at(-1)?.bodyText ?? "";
      for (const result of ["Look: a", "Look: b", "Look: c"]) expect(lastBody.split(result)).toHaveLength(2);
    },
  );
});

test("two engines on each wire in one process don't hear of each other", async () => {
  const plays = ADAPTERS.flatMap((adapter) => ["left", "right"].map((side) => ({ adapter, side })));
  const told = await Promise.all(
    plays.map(async ({ adapter, side }) => {
      const scenario = [reply([toolUse("Look", { text: side })]), reply(`Told ${side}.`, { deltaChars: 2, paceMs: 2 })];
      await using twin = await startTwin({ ...adapter.twin, scenario });
      const { engine, events } = await engineOn({ adapter, url: twin.url });
      await engine.submit({ prompt: side });
      await engine.close();
      return normalised(events);
    }),
  );
  for (const [index, { side }] of plays.entries()) {
    expect(told[index]).toEqual([
      `turn "${side}" [text]`,
      "request 1",
      `answer tool_use: call #1 Look {"text":"${side}"}`.replace(/\{.*\}/, (json) => JSON.stringify(json)),
      `#1 start Look (read) "${side}"`,
      `#1 result "Look: ${side}"`,
      "results 1",
      "continued tool_results",
      "request 2",
      `answer end_turn: text "Told ${side}."`,
      `finished 2 completed: "Told ${side}."`,
    ]);
  }
});
