import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contentFolders, SKILL_FOLDERS } from "../../src/app/content-folders.ts";
import { SkillSet } from "../../src/services/skills/skill-set.ts";
import type { BenchPlace, Measurement } from "./measurement.ts";
import { runMeasured } from "./run-measured.ts";

const SKILLS = 500;
/** Of ten skills, as many have a description on several lines. */
const FOLDED_OF_TEN = 2;
const TARGET_MS = 100;
const BODY = "Do one thing after the other, and check each.\n".repeat(60);

/** Finding 500 skills at the start, looking for changes before a request, and the same from outside. */
export async function benchSkills(place: BenchPlace, runs: number): Promise<readonly Measurement[]> {
  const home = mkdtempSync(join(tmpdir(), "quoll-bench-"));
  try {
    for (let number = 0; number < SKILLS; number += 1) writeSkill(home, number);
    const found: number[] = [];
    const unchanged: number[] = [];
    const more: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      const own = { home, config: join(home, "config") };
      const sources = { env: {}, own, project: { cwd: home, root: home }, plugins: [], isTrusted: true };
      const set = new SkillSet(() => contentFolders({ settingSources: ["user"] }, sources, SKILL_FOLDERS));
      found.push(await msOf(() => set.refresh()));
      if (set.skills.length !== SKILLS) throw new Error(`${set.skills.length} skills were found.`);
      unchanged.push(await msOf(() => set.refresh()));
      more.push((await listMs(place, home)) - (await listMs(place, undefined)));
    }
    const row = (name: string, values: readonly number[], target?: number): Measurement => ({
      ...{ part: "skills", name, unit: "ms", values },
      ...(target !== undefined && { target }),
    });
    return [
      row(`finding ${SKILLS} skills`, found, TARGET_MS),
      row("looking for changes of them", unchanged),
      row(`a start with ${SKILLS} skills, beyond one without`, more, TARGET_MS),
    ];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function listMs({ quoll, project, environment }: BenchPlace, home: string | undefined): Promise<number> {
  const env = { ...environment(), ...(home !== undefined && { HOME: home }) };
  return (await runMeasured([quoll, "inventory", "skills"], { cwd: project, env })).wallMs;
}

async function msOf(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

function writeSkill(home: string, number: number): void {
  const folder = join(home, ".claude/skills", `skill-${number}`);
  mkdirSync(folder, { recursive: true });
  const about = `Does task ${number} of this project. Use it when the user asks for task ${number}.`;
  const description = number % 10 < FOLDED_OF_TEN ? `>-\n  ${about}\n  And so on.` : about;
  writeFileSync(join(folder, "SKILL.md"), `---\nname: skill-${number}\ndescription: ${description}\n---\n${BODY}`);
}
