import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProgramStart } from "../../../src/contracts/ports.ts";
import type { SandboxSettings } from "../../../src/contracts/settings.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { childEnvironment } from "../../../src/platform/processes/child-environment.ts";
import { processesWithTag } from "../../../src/platform/processes/process-table.ts";
import { type Running, spawnToFile } from "../../../src/platform/processes/spawn-to-file.ts";
import { stopSpawn } from "../../../src/platform/processes/stop-ladder.ts";
import { CommandSandbox } from "../../../src/services/sandbox/command-sandbox.ts";
import type { SandboxDeps } from "../../../src/services/sandbox/sandbox-deps.ts";
import { builtArtefacts } from "../../support/built.ts";
import { makeRepository } from "../../support/git-repository.ts";
import { tempProject } from "../../support/temp-project.ts";

export const SELF = [(await builtArtefacts()).executable] as const;
export const PATH = "/usr/local/bin:/usr/bin:/bin";
const IDENTITY = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b.c",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b.c",
};
/** No command of a test takes longer. */
const LIMIT_MS = 25_000;

type Files = Readonly<Record<string, string>>;
export type PlaceOptions = {
  readonly files?: Files;
  /** Of the home folder. */
  readonly homeFiles?: Files;
  readonly settings?: SandboxSettings;
  readonly git?: boolean;
  /** `landlock`: as if there was no bubblewrap. */
  readonly kind?: "bubblewrap" | "landlock";
  readonly deps?: Partial<SandboxDeps>;
};

export type Result = { readonly code: number | undefined; readonly out: string };

/** A workspace, a home and our own folders, all temporary, with the real sandbox of this machine around the first. */
export async function sandboxPlace(options: PlaceOptions = {}) {
  const cleanup = new AsyncDisposableStack();
  const project = cleanup.use(await tempProject(options.files));
  const home = cleanup.use(await tempProject(options.homeFiles));
  const own = ["config", "data", "state", "cache"].map((name) => home.path(`own/${name}`));
  const artifacts = join(own[1] ?? "", "sessions/p/this");
  mkdirSync(artifacts, { recursive: true });
  if (options.git) makeRepository(project.dir);
  const outer = randomUUID();
  const deps: SandboxDeps = {
    roots: [project.dir],
    projectRoot: project.dir,
    home: home.dir,
    ownFolders: own,
    stateFolder: own[2] ?? "",
    cacheFolder: join(own[3] ?? "", "packages", "this"),
    artifacts,
    gitFolders: [],
    settings: options.settings ?? {},
    environment: { PATH },
    selfCommand: SELF,
    // The same machine, with no bubblewrap to be found.
    ...(options.kind === "landlock" && { systemPath: "", environment: {} }),
    ...options.deps,
  };
  const sandbox = new CommandSandbox(() => deps);
  cleanup.defer(() => sandbox.close());
  const running: Running[] = [];
  cleanup.defer(async () => {
    for (const spawn of running) await stopSpawn(spawn, systemClock, { interruptMs: 0, terminateMs: 0 });
    const left = processesWithTag(outer);
    for (const { pid } of left) process.kill(pid, "SIGKILL");
    if (left.length > 0) throw new Error(`Left running: ${left.map((row) => row.command()).join("; ")}`);
  });
  const signal = new AbortController().signal;

  const confineBash = (script: string, more: Partial<ProgramStart> = {}) => {
    const tag = randomUUID();
    const env = {
      ...childEnvironment({ HOME: home.dir, LC_ALL: "C.UTF-8", QUOLL_SPAWN: outer, ...IDENTITY }, { path: PATH, tag }),
      ...more.env,
    };
    const start = {
      file: "/usr/bin/bash",
      args: ["--noprofile", "--norc", "-c", script],
      cwd: project.dir,
      ...more,
      env,
    };
    return sandbox.confine(start, signal).then((confined) => ({ confined, tag }));
  };
  /** Starts it as the Bash tool does: its output is a file that lies outside of what it may write. */
  const start = async (script: string, more: Partial<ProgramStart> = {}) => {
    const { confined, tag } = await confineBash(script, more);
    const outputPath = join(artifacts, `${tag}.log`);
    const spawn = spawnToFile({ ...confined, tag, outputPath });
    running.push(spawn);
    return { spawn, confined, tag, output: () => readFileSync(outputPath, "utf8") };
  };
  const run = async (script: string, more: Partial<ProgramStart> = {}): Promise<Result> => {
    const { spawn, confined, output } = await start(script, more);
    const late = setTimeout(() => process.kill(-spawn.pid, "SIGKILL"), LIMIT_MS);
    const exit = await spawn.exited;
    clearTimeout(late);
    await confined.dispose();
    return { code: exit.exitCode, out: output() };
  };
  return {
    project,
    home,
    artifacts,
    deps,
    sandbox,
    start,
    run,
    confineBash,
    alive: () => processesWithTag(outer).map((row) => row.command()),
    /** Runs something in the workspace as a person would: not confined. */
    outside: (script: string) => {
      const env = { PATH, HOME: home.dir, LC_ALL: "C.UTF-8", ...IDENTITY };
      const { exitCode, stdout, stderr } = Bun.spawnSync(["bash", "-c", script], { cwd: project.dir, env });
      return { code: exitCode, out: `${stdout}${stderr}` };
    },
    writeHome: (name: string, text: string) => {
      mkdirSync(join(home.dir, name, ".."), { recursive: true });
      writeFileSync(home.path(name), text);
    },
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  };
}
