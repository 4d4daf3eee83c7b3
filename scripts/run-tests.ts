import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { builtVariable } from "../tests/support/built.ts";
import { SHORT_RUN } from "../tests/support/short-run.ts";
import { DISK_VARIABLE } from "../tests/support/temp-project.ts";
import { roomLines } from "./cpu-per-room.ts";
import { memoryFolder } from "./memory-folder.ts";
import { missingLines, missingPrograms, skippedFiles } from "./missing-programs.ts";
import { type Counts, failedFilesIn, runAgain, type TestRun } from "./run-again.ts";

const ROOT = join(import.meta.dir, "..");
/** The time limit of one test: a busy machine may be many times slower. */
const TIMEOUT_MS = 60_000;
/** The time limit of one test of the deep run. */
const DEEP_TIMEOUT_MS = 480_000;
/** As many as the cores of a small machine. Each one takes two seconds of the processor to load the program. */
const WORKERS = 2;
/** Folders whose tests need temporary files on a disk: confined commands have devices, and so shared memory, of their own. */
const ON_DISK = [
  "tests/app",
  "tests/commands",
  "tests/security",
  "tests/services/sandbox",
  "tests/services/tools/bash",
];
const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** How long each file took: the longest begin first. Kept with the repository, and measured again by each whole run. */
const KNOWN_TIMINGS = "tests/timings.json";
const OWN_TIMINGS = "node_modules/.cache/quoll-tests";

type Kind = {
  /** Whole folders run: how long each file takes is measured for the next run. */
  readonly isWhole?: boolean;
  readonly workers?: number;
  /** The name of the file of how long each test file took: two runs at a time have one each. */
  readonly timings?: string;
  /** The folder for temporary files, if not the machine's. */
  readonly temp?: string | undefined;
  /** The tests of tests/support/deep.ts run, and no others. */
  readonly isDeep?: boolean;
  /** The files share the globals and the modules of a process. */
  readonly isShared?: boolean;
};

/**
 * Runs every test file, but only the quick tests, and prints what failed and the processor time of each folder. The files share
 * the globals and the loaded modules of a process: otherwise each file would load the program again, which takes up to half a
 * second of the processor. A file that leaves its process changed fails (tests/support/preload.ts). Those that need a disk run
 * beside those that don't.
 */
export async function runAllTests(): Promise<Counts> {
  const log = join(mkdtempSync(join(tmpdir(), "quoll-cpu-")), "cpu");
  process.env["TEST_CPU_LOG"] = log;
  const temp = memoryFolder();
  const missing = missingPrograms();
  const without = skippedFiles(missing).map((file) => `--path-ignore-patterns=${file}`);
  const needNone = [...ON_DISK.map((folder) => `--path-ignore-patterns=${folder}/**`), ...without];
  try {
    const inMemory: Kind = { isShared: true, temp };
    const onDisk: Kind = { isShared: true, timings: "disk-timings.json" };
    const [first, other] = await Promise.all([
      runTests(needNone, { ...inMemory, isWhole: true }),
      runTests([...without, ...ON_DISK.map((folder) => `./${folder}/`)], { ...onDisk, isWhole: true }),
    ]);
    await runAgain(first, (files) => runTests(files, { ...inMemory, workers: 1 }));
    await runAgain(other, (files) => runTests(files, { ...onDisk, workers: 1 }));
    const parts = [first, other];
    console.log(roomLines(readFileSync(log, "utf8")));
    for (const line of missingLines(missing)) console.log(line);
    const sum = (part: keyof Counts) => parts.reduce((total, counts) => total + counts[part], 0);
    return { passed: sum("passed"), failed: sum("failed") };
  } finally {
    for (const folder of [dirname(log), temp]) if (folder !== undefined) removeWhole(folder);
  }
}

/** Removes a folder, also if a failed test has left one in it that nobody may write. */
function removeWhole(folder: string): void {
  Bun.spawnSync(["chmod", "-R", "u+rwX", folder]);
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Runs test files in several processes, each file with globals of its own unless the selection says otherwise, and prints what
 * failed.
 * @param selection Arguments of `bun test`; none runs every file.
 */
export async function runTests(selection: readonly string[], kind: Kind = {}): Promise<TestRun> {
  const { isWhole, isDeep, isShared, workers = WORKERS, temp } = kind;
  const timings = ownTimings(kind.timings ?? "timings.json");
  const child = Bun.spawn(
    [
      process.execPath,
      "test",
      "--timeout",
      String(isDeep ? DEEP_TIMEOUT_MS : TIMEOUT_MS),
      `--parallel=${workers}`,
      "--parallel-delay=0",
      "--only-failures",
      ...(isShared ? ["--no-isolate"] : []),
      ...(isDeep ? ["-t", "deep: "] : [`--timings=${timings}`]),
      ...(isWhole ? ["--update-timings"] : []),
      ...selection,
    ],
    {
      cwd: ROOT,
      stdout: "pipe",
      stderr: "pipe",
      env: {
        ...process.env,
        CI: "1",
        ...builtVariable(),
        ...(isDeep ? { TEST_DEEP: "1" } : SHORT_RUN),
        ...(temp !== undefined && { TMPDIR: temp, [DISK_VARIABLE]: tmpdir() }),
      },
    },
  );
  // A killed run takes the runner with it, and the runner its workers.
  const stop = () => child.kill();
  for (const signal of ENDING_SIGNALS) process.on(signal, stop);
  // The runner reports on stderr.
  const [, report, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  for (const signal of ENDING_SIGNALS) process.off(signal, stop);
  console.log(report.trim());
  const count = (word: string) => Number(new RegExp(`^\\s*(\\d+) ${word}$`, "m").exec(report)?.[1] ?? 0);
  const failed = Math.max(count("fail") + count("error") + count("errors"), code === 0 ? 0 : 1);
  return { passed: count("pass"), failed, failedFiles: failedFilesIn(report, failed) };
}

/** The file of this machine; it begins as a copy of the repository's. */
function ownTimings(name: string): string {
  const own = join(ROOT, OWN_TIMINGS, name);
  mkdirSync(dirname(own), { recursive: true });
  if (!existsSync(own)) copyFileSync(join(ROOT, KNOWN_TIMINGS), own);
  return own;
}

/** Prints the sum, and ends this process with the exit code. */
export function finish(parts: readonly Counts[]): never {
  const sum = (part: keyof Counts) => parts.reduce((total, counts) => total + counts[part], 0);
  console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
  process.exit(sum("failed") === 0 ? 0 : 1);
}
