import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { toolUse } from "@quoll/model-twin/scenario";
import { findGit } from "../../src/platform/git/find-git.ts";
import { type Checkpointing, openCheckpoints } from "../../src/services/checkpoint/checkpointing.ts";
import { type BenchPlace, type Measurement, median } from "./measurement.ts";
import { gaps, type Kind } from "./rounds.ts";

const SIZES = [10_000, 100_000] as const;
const CHANGED = 100;
const REWOUND = 500;
const TURNS = 50;
const NEVER = new AbortController().signal;

/** Long enough for a state of 10,000 files, and shorter than a model's first word takes. */
const ANSWER_MS = 300;
const ROUND_KINDS: readonly Pick<Kind, "name" | "call">[] = [
  {
    name: "writing Bash round",
    call: (index) => toolUse("Bash", { command: `echo hello ${index} >> said.txt`, description: "Write hello" }),
  },
  {
    name: "Edit round",
    call: (index) =>
      toolUse("Edit", { file_path: "edited.txt", old_string: `line ${index}\n`, new_string: `line ${index + 1}\n` }),
  },
];

/**
 * States of a repository of 10,000 and 100,000 files in proportion to `git status` of the same tree, in turn; a rewind of
 * 500 files over 50 prompts in proportion to writing these files; and rounds of the real program with and without
 * checkpoints. Each ratio is of two runs side by side.
 */
export async function benchCheckpoints(place: BenchPlace, runs: number): Promise<readonly Measurement[]> {
  const results: Measurement[] = [...(await roundRatios(place, place.project, "100", runs))];
  for (const size of SIZES) {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "quoll-bench-")));
    try {
      results.push(...(await benchSize(folder, size, runs)));
      if (size === SIZES[0]) results.push(...(await roundRatios(place, join(folder, "work"), "10,000", runs)));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return results;
}

type Place = { readonly root: string; readonly git: string; readonly checkpoints: Checkpointing };

async function benchSize(folder: string, size: number, runs: number): Promise<readonly Measurement[]> {
  const git = findGit(process.env, []);
  if (git === undefined) throw new Error("The bench needs git.");
  const root = join(folder, "work");
  for (let at = 0; at < size; at += 1) writeAt(root, at, `export const line = ${at};\n`.repeat(40));
  for (const words of [
    ["init", "-q"],
    ["add", "-A"],
    ["-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "-qm", "x"],
  ])
    await runGit(git, root, words);
  let count = 0;
  const nextId = () => {
    count += 1;
    return `id-${count}`;
  };
  const checkpoints = openCheckpoints({
    ...{
      folder: join(folder, "checkpoints"),
      sessionId: "s",
      home: join(folder, "home"),
      git,
      environment: process.env,
    },
    clock: { now: () => Date.now(), monotonicMs: () => performance.now(), sleep: () => Promise.resolve() },
    ...{ ids: { next: nextId }, firstWaitMs: 600_000 },
  });
  const place = { root, git, checkpoints };
  const first = await timed(() => take(place));
  const same = await sameStates(place, runs);
  const changed = await changedStates(place, size, runs);
  const rewinds = size === SIZES[0] ? await rewindRatios(place, runs) : [];
  await checkpoints.store.close();
  const files = size.toLocaleString("en-US");
  const row = (name: string, unit: string, values: readonly number[], target?: number): Measurement => ({
    ...{ part: "checkpoints", name: `${files} files: ${name}`, unit, values },
    ...(target !== undefined && { target }),
  });
  return [
    row("first state", "ms", [first.ms]),
    row("git status", "ms", same.status),
    row("state without a change", "ms", same.state),
    row("state without a change, of git status", "×", same.ratios, 1.5),
    row(`state after ${CHANGED} changed files`, "ms", changed.state),
    row(`state after ${CHANGED} changed files, of git status`, "×", changed.ratios, 5),
    row("longest time in it without a turn for keys", "ms", changed.blocked),
    ...(rewinds.length > 0 ? [row(`rewind of ${REWOUND} files, of writing them`, "×", rewinds, 3)] : []),
  ];
}

/** A round is everything from the end of an answer to the next request: the command, and what surrounds it. */
async function roundRatios(
  place: BenchPlace,
  project: string,
  files: string,
  runs: number,
): Promise<readonly Measurement[]> {
  const rows: Measurement[] = [];
  for (const { name, call } of ROUND_KINDS) {
    const found = { with: [] as number[], without: [] as number[], ratios: [] as number[] };
    for (let run = 0; run < runs; run += 1) {
      const once = async (enabled: boolean) => {
        writeFileSync(join(project, "edited.txt"), "line 0\n");
        const kind = { call, settings: { sandbox: { enabled: false }, checkpoints: { enabled } } };
        return median((await gaps({ ...place, project }, kind, ANSWER_MS, ANSWER_MS)).slice(1));
      };
      const [kept, bare] = [await once(true), await once(false)];
      found.with.push(kept);
      found.without.push(bare);
      found.ratios.push(kept / bare);
    }
    const row = { part: "checkpoints", unit: "ms" };
    const about = `${files} files: ${name}`;
    rows.push(
      { ...row, name: about, values: found.with },
      { ...row, name: `${about} without checkpoints`, values: found.without },
      { ...row, name: `${about}, of one without checkpoints`, unit: "×", values: found.ratios, target: 1.1 },
    );
  }
  return rows;
}

async function sameStates(place: Place, runs: number) {
  const found = { status: [] as number[], state: [] as number[], ratios: [] as number[] };
  for (let run = 0; run <= runs; run += 1) {
    const status = (await timed(() => runGit(place.git, place.root, ["status", "--porcelain"]))).ms;
    const state = (await timed(() => take(place))).ms;
    // The first run still compares the contents of files that are as new as the index.
    if (run === 0) continue;
    found.status.push(status);
    found.state.push(state);
    found.ratios.push(state / status);
  }
  return found;
}

async function changedStates(place: Place, size: number, runs: number) {
  const found = { state: [] as number[], blocked: [] as number[], ratios: [] as number[] };
  for (let run = 0; run < runs; run += 1) {
    const status = (await timed(() => runGit(place.git, place.root, ["status", "--porcelain"]))).ms;
    for (let at = 0; at < CHANGED; at += 1) writeAt(place.root, at * (size / CHANGED), `changed in run ${run}\n`);
    const state = await timed(() => take(place));
    found.state.push(state.ms);
    found.blocked.push(state.blockedMs);
    found.ratios.push(state.ms / status);
  }
  return found;
}

/** Each run: 50 prompts with ten files each, then a rewind to the first of them. */
async function rewindRatios(place: Place, runs: number): Promise<readonly number[]> {
  const { store, rewinds } = place.checkpoints;
  const ratios: number[] = [];
  for (let run = 0; run < Math.min(runs, 5); run += 1) {
    for (let turn = 0; turn < TURNS; turn += 1) {
      const messageId = `m${run}-${turn}`;
      const names = Array.from({ length: REWOUND / TURNS }, (_, at) => turn * (REWOUND / TURNS) + at);
      const copies = await store.keepCopies(
        names.map((at) => pathAt(place.root, at)),
        NEVER,
      );
      for (const at of names) writeAt(place.root, at, `agent ${run} ${turn}\n`.repeat(40));
      const files = await store.changesSince(copies, NEVER);
      await store.record({ messageId, toolUseIds: [], agentIds: [], files, commands: [], outside: [] });
    }
    const twin = `${place.root}-twin-${run}`;
    const written = await timed(async () => {
      for (let at = 0; at < REWOUND; at += 1) writeAt(twin, at, `agent ${run} ${at}\n`.repeat(40));
    });
    const rewound = await timed(async () => {
      const { restored } = await rewinds.rewind({ messageId: `m${run}-0`, scope: "files" }, NEVER);
      if (restored.length !== REWOUND) throw new Error(`The rewind restored ${restored.length} files.`);
    });
    ratios.push(rewound.ms / written.ms);
  }
  return ratios;
}

async function take({ root, checkpoints }: Place): Promise<void> {
  const state = await checkpoints.store.takeState({ cause: { kind: "before" }, roots: [root] }, NEVER);
  if (state.notHeld.length > 0) throw new Error(state.notHeld.join("; "));
}

function pathAt(root: string, at: number): string {
  return join(root, `d${Math.floor(at / 100) % 10}`, `e${Math.floor(at / 10)}`, `f${at}.ts`);
}

function writeAt(root: string, at: number, text: string): void {
  mkdirSync(dirname(pathAt(root, at)), { recursive: true });
  writeFileSync(pathAt(root, at), text);
}

function runGit(git: string, cwd: string, words: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(git, [...words], { cwd, stdio: "ignore" });
    child.once("error", reject);
    child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`git ${words[0]} failed.`))));
  });
}

/** Milliseconds of some work, and of the longest pause of the event loop in it. */
async function timed(work: () => Promise<unknown>) {
  let last = performance.now();
  let blockedMs = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    blockedMs = Math.max(blockedMs, now - last);
    last = now;
  }, 1);
  const startedAt = performance.now();
  await work();
  clearInterval(timer);
  const now = performance.now();
  return { ms: now - startedAt, blockedMs: Math.max(blockedMs, now - last) };
}
