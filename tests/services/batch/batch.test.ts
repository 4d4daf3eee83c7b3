import { describe, expect, test } from "bun:test";
import { appendFileSync, readFileSync } from "node:fs";
import { exampleFor } from "../../../src/commands/batch-command.ts";
import { readBatchWords } from "../../../src/commands/batch-words.ts";
import { errorMessage } from "../../../src/contracts/errors.ts";
import { BatchBudget } from "../../../src/services/batch/batch-budget.ts";
import { assertFillable, fillExpect } from "../../../src/services/batch/batch-expect.ts";
import { BatchState } from "../../../src/services/batch/batch-state.ts";
import { progressOf } from "../../../src/services/batch/batch-summary.ts";
import { BatchFolder } from "../../../src/services/batch/io/batch-file.ts";
import { type AgentEnd, runInputs } from "../../../src/services/batch/run-inputs.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { tempProject } from "../../support/temp-project.ts";

const SPEC = {
  version: 1 as const,
  createdAt: "2026-01-01T00:00:00.000Z",
  template: "Do {input}.",
  agent: "Explore",
  parallel: 2,
  inputs: [{ text: "a" }, { text: "b" }, { text: "c" }],
};
const NO_TOKENS = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return errorMessage(error);
  }
  throw new Error("Nothing was refused.");
}

function ended(status: "done" | "failed", spent = 0): AgentEnd {
  return { kind: "ended", spent, end: { status, answer: "", requests: 1, usage: NO_TOKENS, durationMs: 1 } };
}

describe("the budget of a batch", () => {
  test("is never overrun by agents that run at the same time, and is used up", async () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const random = seededRandom(seed).next;
      const parallel = 1 + Math.floor(random() * 6);
      let spent = 0;
      const why = await runInputs({
        inputs: Array.from({ length: 60 }, (_, index) => index),
        parallel,
        budget: new BatchBudget(100, 0, parallel),
        async start(_, hold = 0) {
          for (let turns = random() * 5; turns > 0; turns -= 1) await Promise.resolve();
          const cost = 1 + random() * 8;
          if (hold < 2) return { kind: "refused", message: "" };
          spent += Math.min(cost, hold);
          return ended("done", Math.min(cost, hold));
        },
        ended: () => undefined,
        signal: new AbortController().signal,
      });
      expect(why).toBe("The budget is reached.");
      expect(spent).toBeLessThanOrEqual(100 + 1e-9);
      expect(spent).toBeGreaterThan(85);
    }
  });
});

describe("running the inputs", () => {
  test("stops after ten failures one after the other, and not for failures between successes", async () => {
    const run = (statusOf: (input: number) => "done" | "failed") => {
      const states: string[] = [];
      const why = runInputs({
        inputs: Array.from({ length: 40 }, (_, index) => index),
        parallel: 1,
        budget: undefined,
        start: async (input) => ended(statusOf(input)),
        ended: (_, end) => void states.push(end.kind),
        signal: new AbortController().signal,
      });
      return why.then((said) => ({ said, count: states.length }));
    };
    expect(await run(() => "failed")).toEqual({ said: "10 inputs failed one after the other.", count: 10 });
    expect(await run((input) => (input % 10 === 9 ? "done" : "failed"))).toEqual({ said: undefined, count: 40 });
  });

  test("interrupts the other agents when a record can't be written, and gives that error", async () => {
    let interrupted = 0;
    const run = runInputs({
      inputs: [0, 1, 2],
      parallel: 2,
      budget: undefined,
      start: (input, _, signal) =>
        input === 0
          ? Promise.resolve(ended("done"))
          : new Promise((resolve) => {
              signal.addEventListener("abort", () => {
                interrupted += 1;
                resolve({ kind: "stopped", spent: 0 });
              });
            }),
      ended: (input) => {
        if (input === 0) throw new Error("disk full");
      },
      signal: new AbortController().signal,
    });
    expect(await run.catch((error: Error) => error.message)).toBe("disk full");
    expect(interrupted).toBe(1);
  });
});

describe("the file of a batch", () => {
  test("loses an incomplete last line only, and one process at a time writes it", async () => {
    await using project = await tempProject({});
    const folder = new BatchFolder(project.path("batches"));
    expect([folder.create(SPEC), folder.create(SPEC)]).toEqual([1, 2]);
    const first = folder.open(1);
    expect(() => folder.open(1)).toThrow("runs in another Quoll");
    first.append({ type: "started", input: 0 });
    first.append({ type: "spent", input: 0, usd: 0.5, tokens: 10 });
    first.close();
    const file = project.path("batches/1/batch.jsonl");
    appendFileSync(file, '{"type":"started","inp');
    expect(folder.read(1).indexes("running")).toEqual([0]);
    const again = folder.open(1);
    again.append({ type: "left", input: 0 });
    again.close();
    expect(folder.read(1).indexes("left")).toEqual([0, 1, 2]);
    expect(folder.read(1).spent()).toEqual({ usd: 0.5, tokens: 10, isUnpriced: false });
    expect(readFileSync(file, "utf8").split("\n")).toHaveLength(5);
    expect(folder.ids()).toEqual([2, 1]);
  });

  test("that is damaged is named and not overwritten", async () => {
    await using project = await tempProject({ "batches/1/batch.jsonl": '{"version":9}\n' });
    expect(() => new BatchFolder(project.path("batches")).open(1)).toThrow("damaged");
    expect(readFileSync(project.path("batches/1/batch.jsonl"), "utf8")).toBe('{"version":9}\n');
  });
});

test("the progress counts the inputs by state, and names the cost in the unit of the budget", () => {
  const state = new BatchState(SPEC);
  state.apply({ type: "started", input: 0 });
  state.apply({ type: "spent", input: 0, usd: 0.25, tokens: 1_200 });
  const dollars = progressOf(state, undefined);
  expect(dollars).toEqual({ text: "0 done · 1 running · 2 left · $0.25", done: 0, total: 3 });
  const end = { answer: "", requests: 1, usage: NO_TOKENS, durationMs: 1 };
  state.apply({ type: "ended", input: 0, status: "failed", error: "no", ...end });
  const { text, done } = progressOf(state, { unit: "tokens", limit: 5_000 });
  expect({ text, done }).toEqual({ text: "0 done · 1 failed · 0 running · 2 left · 1.2k tokens", done: 1 });
});

describe("the command of a contract", () => {
  const known = new Set(["input"]);

  test("takes each value as one word, whatever it holds", () => {
    for (const text of ["a b", "it's", "$(touch made)", "`x`", "\\", '"', "a\nb", "~", "x;y", "-n", "*"]) {
      const { command = "" } = fillExpect({ command: "printf %s, a {input}" }, { text }, known);
      expect(Bun.spawnSync(["bash", "-c", command]).stdout.toString()).toBe(`a,${text},`);
    }
  });

  test.each([
    "test '{input}'",
    'test "{input}"',
    "test $" + "{input}",
    "cat <<X\n{input}\nX",
    "echo $(cat {input})",
    "`{input}`",
  ])("can't be %s, where a value could be read as code", (command) => {
    expect(() => assertFillable({ command }, known)).toThrow("outside of quotes");
  });

  test("may hold quotes elsewhere, and anything if it names no input", () => {
    for (const command of ["grep -q 'a b' {input}", 'test "$(cat x)" = "{other}"', "true"])
      expect(() => assertFillable({ command }, known)).not.toThrow();
  });
});

describe("the words of /batch", () => {
  test("keep the prompt as it was typed, with quotes, dashes and lines", () => {
    const prompt = "Say \"hi\" -- to {input}\n  and 'more' --yes";
    const read = readBatchWords(`--files "my docs/*.md" --max-usd=0.50 --parallel 3 -- ${prompt}`);
    expect(read).toEqual({
      kind: "plan",
      isConfirmed: false,
      request: {
        source: { kind: "files", value: "my docs/*.md" },
        template: prompt,
        budget: { unit: "usd", limit: 0.5 },
        parallel: 3,
      },
    });
  });

  test.each([
    ["--fles x -- y", "Did you mean --files?"],
    ["--files x --lines y -- z", "one source"],
    ["--files x", "after ` -- `"],
    ["--files x --max-usd 0 -- y", "--max-usd"],
    ["--files x --max-usd 1 --max-tokens 5 -- y", "not both"],
    ["--files x --parallel 0 -- y", "from 1 to 100"],
    ["run", "whole number"],
    ["run 3 --yes", "does not know"],
    ["--agent", "needs a value"],
    ["--files -- Check {input}.", "--files needs a value"],
    ["--lines --yes -- Check {input}.", "--lines needs a value"],
  ])("%s is refused, and a line like it that works is known", (words, said) => {
    const refusal = messageOf(() => readBatchWords(words));
    expect(refusal).toContain(said);
    const example = exampleFor(refusal, words);
    expect(readBatchWords(example.replace("/batch ", "")).kind).toBe(words.startsWith("run") ? "run" : "plan");
    expect(example).toContain(/^(?:run|--(?:files|lines|agent))/.exec(words)?.[0] ?? "--files");
  });
});
