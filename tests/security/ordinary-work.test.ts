import { expect, setDefaultTimeout, test } from "bun:test";
import { MAX_QUESTIONS, MAX_QUESTIONS_SANDBOXED, runOrdinaryWork } from "../../scripts/bench/ordinary.ts";
import { ORDINARY_CALLS, ORDINARY_FILES, ORDINARY_READS } from "../../scripts/bench/ordinary-calls.ts";
import { deepTest } from "../support/deep.ts";
import { quollPlace } from "../support/quoll-process.ts";

setDefaultTimeout(120_000);

test("before anything was allowed, no command of 150 ordinary calls that only reads is asked about", async () => {
  const commands = ORDINARY_CALLS.flatMap(([tool, { command }]) => (tool === "Bash" ? [String(command)] : []));
  const table = JSON.stringify([...new Set(commands)].map((call) => ({ call, expect: "allow" })));
  await using here = await quollPlace({ files: { ...ORDINARY_FILES, "table.json": table } });
  for (const words of [
    ["add", "-A"],
    ["commit", "-q", "-m", "Start"],
  ])
    expect(Bun.spawnSync(["git", ...words], { cwd: here.project.dir, env: here.environmentOf({}) }).exitCode).toBe(0);
  const { out } = await here.run(["permissions", "test", "table.json", "--trust"]);
  const [, passed, failed] = /^(\d+) passed, (\d+) failed$/m.exec(out) ?? [];
  expect(Number(passed) + Number(failed)).toBe(new Set(commands).size);
  expect(Number(failed), out).toBeLessThanOrEqual(ORDINARY_CALLS.length - ORDINARY_READS);
});

deepTest("150 ordinary calls, 120 of them reads, ask at most six times, and nothing of them is refused", async () => {
  expect(ORDINARY_CALLS).toHaveLength(150);
  expect(ORDINARY_READS).toBeGreaterThanOrEqual(120);
  const { asked, refused, failed } = await runOrdinaryWork({ sandbox: false, agrees: false });
  expect({ refused, failed }).toEqual({ refused: [], failed: [] });
  expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(MAX_QUESTIONS);
  expect(asked.length).toBeGreaterThan(0);
});

deepTest("in the sandbox they ask no more often where nobody agreed to confined commands", async () => {
  const { asked, refused, failed } = await runOrdinaryWork({ sandbox: true, agrees: false });
  expect({ refused, failed }).toEqual({ refused: [], failed: [] });
  expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(MAX_QUESTIONS);
});

deepTest("where a person agrees at the first question that offers it, they all ask at most three times", async () => {
  const { asked, refused, failed } = await runOrdinaryWork({ sandbox: true, agrees: true });
  expect({ refused, failed }).toEqual({ refused: [], failed: [] });
  expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(MAX_QUESTIONS_SANDBOXED);
  expect(asked.length).toBeGreaterThan(0);
});
