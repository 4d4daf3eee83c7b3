import { join } from "node:path";
import type { Asker, PlanMode } from "../contracts/permission.ts";
import type { ArtifactStore, Clock, Redactor, Sandbox, ServerPort, Workspace } from "../contracts/ports.ts";
import type { ToolSettings } from "../contracts/settings.ts";
import type { Tool, ToolSpec } from "../contracts/tool.ts";
import type { Environment } from "../platform/env.ts";
import type { BackgroundTasks, CommandWatch } from "../services/tools/bash/background-tasks.ts";
import type { CredentialDeps } from "../services/tools/bash/credentials.ts";
import type { ServerPorts } from "../services/tools/bash/server-ports.ts";
import { bashSpec } from "../services/tools/bash/spec.ts";
import { editSpec } from "../services/tools/edit/spec.ts";
import { enterPlanModeSpec } from "../services/tools/enter-plan-mode/spec.ts";
import { exitPlanModeSpec } from "../services/tools/exit-plan-mode/spec.ts";
import { globSpec } from "../services/tools/glob/spec.ts";
import { grepSpec } from "../services/tools/grep/spec.ts";
import { readSpec } from "../services/tools/read/spec.ts";
import { taskOutputSpec } from "../services/tools/task-output/spec.ts";
import { taskStopSpec } from "../services/tools/task-stop/spec.ts";
import { todoWriteSpec } from "../services/tools/todo-write/spec.ts";
import { writeSpec } from "../services/tools/write/spec.ts";
import { announceWrites } from "./announce-writes.ts";

const MAX_RECORDED_CHARS = 200;

export type ToolWiring = {
  readonly workspace: Workspace;
  readonly artifacts: ArtifactStore;
  readonly clock: Clock;
  /** What commands inherit. */
  readonly environment: Environment;
  readonly settings: ToolSettings;
  readonly home: string;
  /** Our cache folder. */
  readonly cache: string;
  /** The file that names what was ended after Quoll was killed. */
  readonly endedCommands: string;
  readonly version: string;
  readonly isTrusted: boolean;
  readonly sandbox: Sandbox;
  readonly asker: Asker;
  /** Asks whether a confined server is opened: only of a person. */
  readonly portAsker: Asker;
  /** Tells the person one line. */
  tell(line: string): void;
  readonly credentials: CredentialDeps;
  /** The mode that a plan changes. */
  readonly plan: PlanMode;
  redactor(): Promise<Redactor>;
  /** Gives a plan's commands their rules for this session. @returns those that are refused. */
  grantRules(rules: readonly string[]): readonly string[];
  isHidden(path: string): boolean;
};

export type ToolSet = {
  readonly tools: readonly Tool[];
  /** The conversation starts anew: what was read before is no longer in front of the model. */
  forgetFiles(): void;
  /** Confined servers that are open to the person. */
  openPorts(): readonly ServerPort[];
  /** As `ServerPorts.askNext`. */
  askNextPorts(): boolean;
  /** @returns one phrase for each thing that still ran. */
  endBackgroundWork(): Promise<readonly string[]>;
};

/** Makes the tools. The code behind each is loaded at its first call: a session that never runs a command loads no parser. */
export function createTools(wiring: ToolWiring): ToolSet {
  const { home, isHidden, clock, redactor } = wiring;
  const memory = once(async () => new (await import("../services/tools/file-memory.ts")).FileMemory());
  const ripgrep = once(() => findRipgrep(wiring));
  const search = async () => ({ home, isHidden, ripgrep: async () => (await ripgrep())?.() });
  const writing: typeof lazyTool = (spec, load) => announceWrites(lazyTool(spec, load), wiring.sandbox);
  let startedTasks = false;
  const closing = new AbortController();
  const tasks = once(async () => {
    startedTasks = true;
    const { BackgroundTasks } = await import("../services/tools/bash/background-tasks.ts");
    return new BackgroundTasks({ clock, limits: await bashLimits(wiring), orphans: await commandWatch(wiring) });
  });
  let servers: ServerPorts | undefined;
  const ports = once(async () => {
    const { ServerPorts } = await import("../services/tools/bash/server-ports.ts");
    const { portAsker, sandbox, tell } = wiring;
    servers = new ServerPorts({ clock, asker: portAsker, opener: () => sandbox.portOpener(), tell });
    return servers;
  });
  const tools = [
    lazyTool(readSpec, async () =>
      (await import("../services/tools/read/read.ts")).readTool({ home, isHidden, memory: await memory() }),
    ),
    writing(editSpec, async () =>
      (await import("../services/tools/edit/edit.ts")).editTool({ home, redactor, memory: await memory() }),
    ),
    writing(writeSpec, async () =>
      (await import("../services/tools/write/write.ts")).writeTool({ home, redactor, memory: await memory() }),
    ),
    lazyTool(bashSpec, async () =>
      createBashTool(wiring, { tasks: await tasks(), ports: await ports() }, closing.signal),
    ),
    lazyTool(globSpec, async () => (await import("../services/tools/glob/glob.ts")).globTool(await search())),
    lazyTool(grepSpec, async () =>
      (await import("../services/tools/grep/grep.ts")).grepTool({ ...(await search()), memory: await memory() }),
    ),
    lazyTool(todoWriteSpec, async () => (await import("../services/tools/todo-write/todo-write.ts")).todoWriteTool()),
    lazyTool(taskOutputSpec, async () =>
      (await import("../services/tools/task-output/task-output.ts")).taskOutputTool(await tasks(), await ports()),
    ),
    lazyTool(taskStopSpec, async () =>
      (await import("../services/tools/task-stop/task-stop.ts")).taskStopTool(await tasks()),
    ),
    ...planTools(wiring),
  ];
  return {
    tools,
    openPorts: () => servers?.list() ?? [],
    askNextPorts: () => servers?.askNext() ?? false,
    forgetFiles: () => void memory().then((files) => files.clear()),
    async endBackgroundWork() {
      closing.abort(new Error("The session ends."));
      await servers?.close();
      if (!startedTasks) return [];
      return (await (await tasks()).closeAll()).map(({ id, command }) => `${id} (${command})`);
    },
  };
}

/** @param signal Aborts when the session ends. */
async function createBashTool(
  deps: ToolWiring,
  { tasks, ports }: { readonly tasks: BackgroundTasks; readonly ports: ServerPorts },
  signal: AbortSignal,
): Promise<Tool> {
  const [{ bashTool }, { Credentials }, { createUserPath }] = await Promise.all([
    import("../services/tools/bash/bash.ts"),
    import("../services/tools/bash/credentials.ts"),
    import("../platform/processes/user-path.ts"),
  ]);
  const userPath = createUserPath({ environment: deps.environment, clock: deps.clock, signal });
  return bashTool({
    workspace: deps.workspace,
    artifacts: deps.artifacts,
    clock: deps.clock,
    tasks,
    ports,
    shellParser: once(loadParser),
    userPath: () => {
      const path = userPath();
      tasks.settle(path);
      return path;
    },
    environment: deps.environment,
    credentials: new Credentials(deps.credentials),
    sandbox: deps.sandbox,
    isTrusted: deps.isTrusted,
    limits: await bashLimits(deps),
    isHidden: deps.isHidden,
  });
}

/** What is ended after Quoll was killed is named at the next start, with credentials hidden. */
async function commandWatch({ environment, endedCommands, workspace, redactor }: ToolWiring): Promise<CommandWatch> {
  const { OrphanWatch } = await import("../platform/processes/orphan-watch.ts");
  const orphans = new OrphanWatch(environment, endedCommands);
  const live = new Set<string>();
  return {
    watch(spawn, command) {
      live.add(spawn.tag);
      const place = `(in ${workspace.cwd})`;
      // Until credentials can be hidden, its program's name stands for the whole.
      orphans.watch(spawn, `${/^[\w./-]{1,40}/.exec(command)?.[0] ?? "a command"} … ${place}`);
      const line = `${command.slice(0, MAX_RECORDED_CHARS)} ${place}`;
      void redactor().then(
        ({ redact }) => live.has(spawn.tag) && orphans.watch(spawn, redact(line)),
        () => undefined,
      );
    },
    drop({ tag }) {
      live.delete(tag);
      orphans.drop(tag);
    },
    close: () => orphans.close(),
  };
}

function planTools({ plan, asker, artifacts, grantRules }: ToolWiring): readonly Tool[] {
  return [
    lazyTool(enterPlanModeSpec, async () =>
      (await import("../services/tools/enter-plan-mode/enter-plan-mode.ts")).enterPlanModeTool({ mode: plan }),
    ),
    lazyTool(exitPlanModeSpec, async () =>
      (await import("../services/tools/exit-plan-mode/exit-plan-mode.ts")).exitPlanModeTool({
        mode: plan,
        ask: asker,
        artifacts,
        grantRules,
      }),
    ),
  ];
}

function lazyTool(spec: ToolSpec, load: () => Promise<Tool>): Tool {
  const tool = once(load);
  return {
    spec,
    load: async () => (await tool()).load?.(),
    prepare: async (raw, context) => (await tool()).prepare(raw, context),
  };
}

/** Runs a loader at its first call and keeps what it gave; one that failed is tried again. */
function once<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Promise<Value> | undefined;
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}

async function loadParser() {
  const [{ loadShellParser }, { shellGrammarFiles }] = await Promise.all([
    import("@quoll/bash-syntax/load-parser"),
    import("../platform/assets.ts"),
  ]);
  return loadShellParser(await shellGrammarFiles());
}

async function findRipgrep({ environment, workspace, cache, version }: ToolWiring) {
  const [{ ripgrepFinder }, { embeddedRipgrep }, { unpackExecutable }] = await Promise.all([
    import("../platform/ripgrep.ts"),
    import("../platform/embedded-ripgrep.ts"),
    import("../platform/assets.ts"),
  ]);
  const isTrusted = (path: string) => !workspace.contains(path);
  if (embeddedRipgrep === undefined) return ripgrepFinder({ environment, isTrusted });
  const embedded = () => unpackExecutable(embeddedRipgrep, join(cache, "bin", `rg-${version}`));
  return ripgrepFinder({ environment, isTrusted, embedded });
}

async function bashLimits({ settings }: ToolWiring) {
  const { BASH_LIMITS } = await import("../services/tools/bash/limits.ts");
  return {
    ...BASH_LIMITS,
    ...(settings.bashTimeoutMs !== undefined && { defaultTimeoutMs: settings.bashTimeoutMs }),
    ...(settings.bashMaxTimeoutMs !== undefined && { maxTimeoutMs: settings.bashMaxTimeoutMs }),
    ...(settings.bashMaxOutputChars !== undefined && { maxResultChars: settings.bashMaxOutputChars }),
  };
}
