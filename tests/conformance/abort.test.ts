import { describe, expect } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { getEventListeners } from "node:events";
import { reply, text, toolUse } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import { textResult } from "../../src/contracts/tool.ts";
import { isDeep, testOrDeep } from "../support/deep.ts";
import { pairingProblems, testTool, until } from "../support/engine-harness.ts";
import { ADAPTERS, type Adapter, isQuickAdapter } from "./adapters.ts";
import { normalised } from "./normalise.ts";
import { engineOn, refusals } from "./play.ts";

const ROUNDS = 5;
/** `npm test` interrupts at one event in so many, a different one for each adapter. */
const QUICK_STEP = 40;

/** A tool that starts a real program and ends with it; the program waits for its input to end. */
function programTool() {
  const children = new Set<ChildProcess>();
  const signals = new Set<AbortSignal>();
  const tool = testTool("Look", {
    run: async (title, signal) => {
      signals.add(signal);
      const child = spawn("cat", { stdio: ["pipe", "ignore", "ignore"] });
      children.add(child);
      const kill = () => void child.kill("SIGKILL");
      signal.addEventListener("abort", kill, { once: true });
      if (signal.aborted) kill();
      setImmediate(() => child.stdin?.end());
      await new Promise((resolve) => child.once("exit", resolve));
      children.delete(child);
      signal.removeEventListener("abort", kill);
      return textResult(title);
    },
  });
  const listeners = () => [...signals].reduce((sum, signal) => sum + getEventListeners(signal, "abort").length, 0);
  return { tool, children, listeners };
}

/** Five rounds, broken off at the event of this index; then another prompt, which the strict server must take. */
async function abortedAt(adapter: Adapter, at: number) {
  const { tool, children, listeners } = programTool();
  let isAborted = false;
  await using twin = await startTwin({
    ...adapter.twin,
    scenario: (_request, index) => {
      if (isAborted || index >= ROUNDS - 1) return reply("Done.");
      return reply([text("Next."), toolUse("Look", { text: `round ${index}` })]);
    },
  });
  const { engine, events } = await engineOn({ adapter, url: twin.url, tools: [tool] });
  const stop = engine.subscribe(() => {
    if (events.length - 1 !== at) return;
    isAborted = true;
    engine.interrupt();
  });
  const { outcome } = await engine.submit({ prompt: "go" });
  stop();
  const lines = normalised(events);
  const ended = events.length;
  const problems = [...pairingProblems(engine.state.messages)];
  await until(() => children.size === 0);
  isAborted = true;
  const after = await engine.submit({ prompt: "again" });
  await engine.close();
  return {
    lines,
    ended,
    outcome: outcome.reason,
    after: after.outcome.reason,
    problems: [...problems, ...pairingProblems(engine.state.messages), ...refusals(twin, adapter)],
    children: children.size,
    listeners: listeners(),
  };
}

describe.each(ADAPTERS.map((adapter) => [adapter.name, adapter] as const))(
  "a turn of five rounds on %s",
  (_, adapter) => {
    testOrDeep(!isDeep && isQuickAdapter(adapter))(
      "may be broken off at each of its events: the history is whole, nothing goes on, and the next prompt is answered",
      async () => {
        const whole = await abortedAt(adapter, -1);
        expect(whole).toMatchObject({
          outcome: "completed",
          after: "completed",
          problems: [],
          children: 0,
          listeners: 0,
        });
        const wrong: unknown[] = [];
        const first = isDeep ? 0 : ADAPTERS.indexOf(adapter) % QUICK_STEP;
        for (let at = first; at < whole.ended - 1; at += isDeep ? 1 : QUICK_STEP) {
          const { lines, ended, ...found } = await abortedAt(adapter, at);
          const isLate = found.outcome === "completed";
          const right = {
            outcome: isLate ? "completed" : "aborted",
            after: "completed",
            problems: [],
            children: 0,
            listeners: 0,
          };
          if (!Bun.deepEquals(found, right)) {
            wrong.push({ at, found, lines });
          }
          // Only what follows the last answer may come too late to break anything off.
          if (isLate && at < whole.ended - 4) wrong.push({ at, late: lines });
        }
        expect(wrong).toEqual([]);
      },
    );
  },
);
