import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Measurement } from "./measurement.ts";
import { ORDINARY_CALLS, ORDINARY_FILES } from "./ordinary-calls.ts";

/** Most questions for the ordinary calls; with the sandbox, after a person agreed to all confined commands. */
export const MAX_QUESTIONS = 6;
export const MAX_QUESTIONS_SANDBOXED = 3;

export type OrdinaryWish = {
  /** The setting `sandbox.enabled`. */
  readonly sandbox: boolean;
  /** True if the person agrees to all confined commands at the first question that offers this; otherwise they answer "this session". */
  readonly agrees: boolean;
};

export type OrdinaryRun = {
  readonly asked: readonly string[];
  readonly refused: readonly string[];
  readonly failed: readonly string[];
};

/** Runs the ordinary calls in a fresh project and a fresh home. */
export async function runOrdinaryWork({ sandbox, agrees }: OrdinaryWish): Promise<OrdinaryRun> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "quoll-ordinary-")));
  try {
    const project = createProject(join(folder, "shop"), folder);
    const settings = JSON.stringify({ sandbox: { enabled: sandbox } });
    const words = [settings, agrees ? "agrees" : "each"];
    const child = Bun.spawn([process.execPath, join(import.meta.dir, "ordinary-child.ts"), ...words], {
      cwd: project,
      env: { PATH: process.env["PATH"] ?? "", HOME: folder, QUOLL_HOME: join(folder, "quoll"), LANG: "C.UTF-8" },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, problems, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    if (code !== 0) throw new Error(`The ordinary work could not be run: ${problems}`);
    return JSON.parse(out) as OrdinaryRun;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function createProject(project: string, home: string): string {
  for (const [name, text] of Object.entries(ORDINARY_FILES)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text);
  }
  const env = { PATH: process.env["PATH"] ?? "", HOME: home };
  const git = (...args: readonly string[]) => execFileSync("git", [...args], { cwd: project, env, stdio: "ignore" });
  git("init", "-q", "-b", "main");
  git("config", "user.name", "Ann");
  git("config", "user.email", "ann@example.com");
  git("add", "-A");
  git("commit", "-q", "-m", "Start");
  return project;
}

/** The number of questions for the ordinary calls, without and with a sandbox. */
export async function benchOrdinary(): Promise<readonly Measurement[]> {
  const row = async (name: string, wish: OrdinaryWish, target: number): Promise<Measurement> => {
    const { asked } = await runOrdinaryWork(wish);
    return {
      part: "ordinary",
      name: `questions, ${name}`,
      unit: `of ${ORDINARY_CALLS.length}`,
      values: [asked.length],
      target,
    };
  };
  return [
    await row("no sandbox", { sandbox: false, agrees: false }, MAX_QUESTIONS),
    await row("sandbox, nobody agreed", { sandbox: true, agrees: false }, MAX_QUESTIONS),
    await row("sandbox, agreed when asked", { sandbox: true, agrees: true }, MAX_QUESTIONS_SANDBOXED),
  ];
}
