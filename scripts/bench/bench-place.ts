import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { compile } from "../compile.ts";
import type { BenchPlace } from "./measurement.ts";

const ROOT = join(import.meta.dir, "..", "..");
/** Files that the model reads, one per round. */
export const SMALL_FILES = 100;

export const smallFile = (number: number) => `notes/note-${number}.md`;

/** Builds the measured programs and creates a project in a temporary folder, which `using` deletes. */
export async function benchPlace(): Promise<BenchPlace & Disposable> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "quoll-bench-")));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const dist = join(folder, "dist");
    const inkHello = join(folder, "ink-hello");
    await build(dist);
    await compile(join(import.meta.dir, "ink-hello.tsx"), inkHello);
    let homes = 0;
    return {
      quoll: join(dist, "quoll"),
      inkHello,
      project: createProject(join(folder, "project")),
      environment() {
        homes += 1;
        return { ...ownEnvironment(), HOME: folder, QUOLL_HOME: join(folder, `home-${homes}`) };
      },
      [Symbol.dispose]: remove,
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** In a separate process, so that the bundler's memory does not slow down the next measurement. */
async function build(outdir: string): Promise<void> {
  const child = Bun.spawn([process.execPath, join(ROOT, "build.ts"), outdir], { cwd: ROOT, stdout: "ignore" });
  if ((await child.exited) !== 0) throw new Error("The build failed: npm run build says why.");
}

function createProject(folder: string): string {
  const files: Record<string, string> = {
    "AGENTS.md": "# Notes\n\nPlain words, short lines.\n",
    "src/index.ts": "export const answer = 42;\n",
  };
  for (let number = 1; number <= SMALL_FILES; number += 1)
    files[smallFile(number)] = `# Note ${number}\n\nA line.\nAnother one.\n`;
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  // As people have it: the sandbox must create mount points for the parts of a repository that are missing.
  Bun.spawnSync(["git", "init", "--quiet", "--initial-branch=main", folder]);
  return folder;
}

function ownEnvironment(): Readonly<Record<string, string>> {
  const kept = ["PATH", "LANG", "LC_ALL", "TMPDIR", "USER", "SHELL"];
  return Object.fromEntries(kept.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}
