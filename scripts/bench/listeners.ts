import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { reply, text, toolUse } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import type { BenchPlace, Measurement } from "./measurement.ts";

const ROUNDS = 1_000;
const FIRST_LOOK = 100;
const FILE = "lines.txt";

type Counts = { readonly signals: number; readonly process: number };

/** Listeners of abort signals and of the process in the hundredth and the thousandth round of a turn, and after it. */
export async function benchListeners({ project, environment }: BenchPlace): Promise<readonly Measurement[]> {
  writeFileSync(join(project, FILE), Array.from({ length: 2 * ROUNDS }, (_, at) => `${at}\n`).join(""));
  await using twin = await startTwin({
    keptBodies: 1,
    scenario: (_, index) =>
      index >= ROUNDS
        ? reply("All of it is read.")
        : reply([text("On."), toolUse("Read", { file_path: FILE, offset: index + 1, limit: 5 })]),
  });
  const env = { ...environment(), ANTHROPIC_BASE_URL: twin.url, ANTHROPIC_API_KEY: "bench" };
  const script = join(import.meta.dir, "listeners-child.ts");
  const child = Bun.spawn([process.execPath, script, `${FIRST_LOOK},${ROUNDS}`], {
    cwd: project,
    env,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, words, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`The listeners could not be counted: ${words.slice(-500)}`);
  const counts = JSON.parse(out) as Readonly<Record<string, Counts>>;
  const at = (look: string | number, kind: keyof Counts) => [counts[look]?.[kind] ?? Number.NaN];
  const row = (name: string, values: readonly number[], target?: number): Measurement => ({
    part: "soak",
    name,
    unit: "",
    values,
    ...(target !== undefined && { target }),
  });
  return [
    row(`abort listeners in round ${FIRST_LOOK}`, at(FIRST_LOOK, "signals")),
    row(`abort listeners in round ${ROUNDS}`, at(ROUNDS, "signals"), at(FIRST_LOOK, "signals")[0]),
    row("abort listeners after the turn", at("after", "signals"), 0),
    row(`listeners of the process in round ${FIRST_LOOK}`, at(FIRST_LOOK, "process")),
    row(`listeners of the process in round ${ROUNDS}`, at(ROUNDS, "process"), at(FIRST_LOOK, "process")[0]),
  ];
}
