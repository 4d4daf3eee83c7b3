import { describe, expect } from "bun:test";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import { textResult } from "../../src/contracts/tool.ts";
import type { QueryEngine } from "../../src/engine/query-engine.ts";
import { testOrDeep } from "../support/deep.ts";
import { pairingProblems, testTool } from "../support/engine-harness.ts";
import { ADAPTERS } from "./adapters.ts";
import { engineOn, refusals } from "./play.ts";

const COUNT = 10_000;
const LIMIT_MS = 60_000;
const MAX_CPU_MS = 5_000;
/** The adapter of `npm test`. */
const QUICK = ADAPTERS[0];

describe.each(ADAPTERS.map((adapter) => [adapter.name, adapter] as const))("10,000 inputs over %s", (_, adapter) => {
  testOrDeep(adapter === QUICK)(
    "that steer a turn reach the model at the next call, in their order, and in bounded time",
    async () => {
      const typed: { engine?: QueryEngine } = {};
      const tool = testTool("Look", {
        run: async (title) => {
          for (let at = 0; at < COUNT; at += 1) typed.engine?.enqueue({ prompt: `typed ${at}.` }, "steer");
          return textResult(title);
        },
      });
      const scenario = [reply([toolUse("Look", { text: "a" })]), reply("Done.")];
      await using twin = await startTwin({ ...adapter.twin, scenario });
      const { engine } = await engineOn({ adapter, url: twin.url, tools: [tool] });
      typed.engine = engine;
      const before = process.cpuUsage();
      const report = await engine.submit({ prompt: "go" });
      const { user, system } = process.cpuUsage(before);
      expect(report).toMatchObject({ outcome: { reason: "completed" }, text: "Done." });
      expect(engine.state.queue).toEqual([]);
      const sent = twin.requests.at(-1)?.bodyText ?? "";
      const numbers = [...sent.matchAll(/typed (\d+)\./g)].map(([, number]) => Number(number));
      expect(numbers).toEqual(Array.from({ length: COUNT }, (_item, at) => at));
      expect([...refusals(twin, adapter), ...pairingProblems(engine.state.messages)]).toEqual([]);
      await engine.close();
      expect((user + system) / 1_000).toBeLessThan(MAX_CPU_MS);
    },
    LIMIT_MS,
  );
});
