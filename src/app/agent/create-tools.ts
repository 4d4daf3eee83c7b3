import { lazy } from "@quoll/async/lazy";
import type { Files } from "../../contracts/files.ts";
import type { Clock, Redactor, Sandbox, ServerPort, Workspace } from "../../contracts/ports.ts";
import type { Asker } from "../../contracts/question.ts";
import type { ToolSettings } from "../../contracts/settings.ts";
import type { Tasks } from "../../contracts/task.ts";
import type { Tool, ToolSpec } from "../../contracts/tool.ts";
import type { CreatedFiles } from "../../platform/created-files.ts";
import type { Environment } from "../../platform/env.ts";
import type { OrphanWatch } from "../../platform/processes/orphan-watch.ts";
import type { CommandWatch } from "../../services/tools/bash/background-shells.ts";
import type { BashDeps } from "../../services/tools/bash/bash-call.ts";
import type { CredentialDeps } from "../../services/tools/bash/credentials.ts";
import type { ServerPorts } from "../../services/tools/bash/server-ports.ts";
import type { followHookChanges } from "../../services/tools/hook-changes.ts";
import { BUILTIN_TOOLS, type ToolParts } from "./builtin-tools.ts";
import { loadShellParser } from "./load-shell-parser.ts";

const MAX_RECORDED_CHARS = 200;

export type ToolWiring = ToolParts & {
  readonly workspace: Workspace;
  readonly clock: Clock;
  /** The environment that commands inherit. */
  readonly environment: Environment;
  /** The tool limits of the settings, which may change. */
  limits(): ToolSettings;
  /** Our cache folder. */
  readonly cache: string;
  /** The files that the model created in this session. */
  readonly created: CreatedFiles;
  /** The session's only watch for leftover processes. */
  orphans(): Promise<OrphanWatch>;
  /** Lists the background work. */
  readonly tasks: Tasks;
  readonly version: string;
  readonly isTrusted: boolean;
  readonly isOneTurn?: boolean | undefined;
  readonly sandbox: Sandbox;
  /** Asks a person whether to open a confined server. */
  readonly portAsker: Asker;
  /** Tells the person one line. */
  tell(line: string): void;
  readonly credentials: CredentialDeps;
};

export type ToolSet = {
  readonly tools: readonly Tool[];
  /** Called when the conversation starts again: the model no longer sees files that it read before. */
  /** Keeps which files are known at an entry of the conversation. */
  keepFiles(entryId: string): void;
  /** The conversation was moved: the files that it knows at these entries count as read. */
  returnFiles(entryIds: readonly string[]): void;
  /** Called when the model no longer sees the results of these calls: the next Read shows the lines again. */
  forgetResults(toolUseIds: ReadonlySet<string>): void;
  /** The files that the model used most recently, newest first; absolute. */
  recentFiles(max: number): Promise<readonly string[]>;
  /** Does the same as `followHookChanges`; without paths, for the most recently used files. */
  followWrites(
    paths: readonly string[] | undefined,
    files: Files,
    signal: AbortSignal,
  ): ReturnType<typeof followHookChanges>;
  /** Confined servers that are open to the person. */
  openPorts(): readonly ServerPort[];
  /** As `ServerPorts.askNext`. */
  askNextPorts(): boolean;
  /** @returns one phrase for each task that was still running. */
  endBackgroundWork(): Promise<readonly string[]>;
};

/**
 * Makes the tools. The code of each tool is loaded at its first call: a session that never runs a command loads no
 * parser.
 */
export function createTools(wiring: ToolWiring): ToolSet {
  const { home, isHidden, clock, temporary } = wiring;
  const tracker = lazy(async () => {
    const { ReadTracker } = await import("../../services/tools/read-tracker.ts");
    return new ReadTracker(undefined, wiring.created);
  });
  const ripgrep = lazy(async () => {
    const { ripgrepOf } = await import("../find-ripgrep.ts");
    const { environment, cache, version, workspace } = wiring;
    return ripgrepOf({ environment, cache, version, isTrusted: (path) => !workspace.contains(path) });
  });
  const search = async () => ({ home, isHidden, temporary, ripgrep: async () => (await ripgrep())?.() });
  const closing = new AbortController();
  const shells = lazy(async () => {
    const { BackgroundShells } = await import("../../services/tools/bash/background-shells.ts");
    const watch = { orphans: await commandWatch(wiring), tasks: wiring.tasks };
    return new BackgroundShells({ clock, limits: await bashLimits(wiring), ...watch });
  });
  const ports = lazy(async () => {
    const { ServerPorts } = await import("../../services/tools/bash/server-ports.ts");
    const { portAsker, sandbox, tell } = wiring;
    return new ServerPorts({ clock, asker: portAsker, opener: () => sandbox.portOpener(), onNotice: tell });
  });
  const shell = async () =>
    shellDeps(wiring, { shells: await shells(), ports: await ports(), tracker }, closing.signal);
  const shared = { tracker, search, ports, shell };
  const tools = BUILTIN_TOOLS.map(({ spec: usual, specFor, load }) => {
    const spec = specFor?.(wiring) ?? usual;
    const tool = lazyTool(spec, () => load(wiring, shared));
    return spec.level === "write" ? announceWrites(tool, wiring.sandbox) : tool;
  });
  return {
    tools,
    openPorts: () => ports.value?.list() ?? [],
    askNextPorts: () => ports.value?.askNext() ?? false,
    keepFiles: (id) => {
      void tracker.begun?.then((files) => files.keepMoment(id));
    },
    returnFiles: (ids) => {
      void tracker.begun?.then((files) => files.returnTo(ids));
    },
    forgetResults: (ids) => void tracker().then((files) => files.forgetResults(ids)),
    recentFiles: async (max) => (await tracker()).recent(max),
    followWrites: async (paths, files, signal) => {
      const { followHookChanges, MAX_FOLLOWED } = await import("../../services/tools/hook-changes.ts");
      const known = await tracker();
      return followHookChanges(paths ?? known.recent(MAX_FOLLOWED), {
        tracker: known,
        files,
        signal,
        redactor: wiring.redactor,
      });
    },
    async endBackgroundWork() {
      closing.abort(new Error("The session ends."));
      await ports.value?.close();
      const ended = (await (await shells.begun)?.closeAll()) ?? [];
      return ended.map(({ id, title }) => `${id} (${title})`);
    },
  };
}

/** @param signal Aborts when the session ends. */
async function shellDeps(
  wiring: ToolWiring,
  { shells, ports, tracker }: Pick<BashDeps, "shells" | "tracker"> & { readonly ports: ServerPorts },
  signal: AbortSignal,
): Promise<BashDeps> {
  const [{ Credentials }, { createUserPath }] = await Promise.all([
    import("../../services/tools/bash/credentials.ts"),
    import("../../platform/processes/user-path.ts"),
  ]);
  const { workspace, artifacts, clock, environment, sandbox, isTrusted, isOneTurn, isHidden, temporary } = wiring;
  const userPath = createUserPath({ environment, clock, signal });
  return {
    workspace,
    artifacts,
    clock,
    environment,
    sandbox,
    isTrusted,
    isOneTurn,
    isHidden,
    temporary,
    shells,
    ports,
    tracker,
    shellParser: loadShellParser,
    userPath: () => {
      const path = userPath();
      shells.settle(path);
      return path;
    },
    credentials: new Credentials(wiring.credentials),
    limits: await bashLimits(wiring),
  };
}

/** Commands that were ended after Quoll was killed are listed at the next start, with credentials hidden. */
async function commandWatch({ workspace, redactor, orphans: session }: ToolWiring): Promise<CommandWatch> {
  const orphans = await session();
  const live = new Set<string>();
  let hiding: Redactor | undefined;
  return {
    watch(spawn, command) {
      live.add(spawn.tag);
      const place = `(in ${workspace.cwd})`;
      const line = `${command.slice(0, MAX_RECORDED_CHARS)} ${place}`;
      // Until credentials can be hidden, only the name of the command's program is listed.
      const name = `${/^[\w./-]{1,40}/.exec(command)?.[0] ?? "a command"} … ${place}`;
      orphans.watch(spawn, () => hiding?.redact(line) ?? name);
      if (hiding) return;
      redactor().then(
        (loaded) => {
          hiding = loaded;
          if (live.has(spawn.tag)) orphans.watch(spawn, () => loaded.redact(line));
        },
        () => undefined,
      );
    },
    drop({ tag }) {
      live.delete(tag);
      orphans.drop(tag);
    },
  };
}

/** A tool as requests declare it. The code that prepares and runs its calls is imported at the first call. */
function lazyTool(spec: ToolSpec, load: () => Promise<Tool>): Tool {
  const tool = lazy(load);
  return {
    spec,
    load: async () => (await tool()).load?.(),
    prepare: async (raw, context) => (await tool()).prepare(raw, context),
  };
}

async function bashLimits({ limits }: ToolWiring) {
  const { BASH_LIMITS } = await import("../../services/tools/bash/limits.ts");
  return {
    ...BASH_LIMITS,
    get defaultTimeoutMs() {
      return limits().bashTimeoutMs ?? BASH_LIMITS.defaultTimeoutMs;
    },
    get maxTimeoutMs() {
      return limits().bashMaxTimeoutMs ?? BASH_LIMITS.maxTimeoutMs;
    },
    get maxResultChars() {
      return limits().bashMaxOutputChars ?? BASH_LIMITS.maxResultChars;
    },
  };
}

/** Wraps a tool so that the sandbox does not mistake the tool's writes for those of a confined command. */
function announceWrites(tool: Tool, sandbox: Sandbox): Tool {
  return {
    ...tool,
    prepare: async (raw, context) => {
      const call = await tool.prepare(raw, context);
      const paths = call.subjects.flatMap((subject) => (subject.action === "write" ? [subject.path] : []));
      return {
        ...call,
        run: async (grant, report) => {
          const outside = await sandbox.beginUnconfined({ makes: paths, mayMakeMore: false }, context.signal);
          try {
            return await call.run(grant, report);
          } finally {
            outside.end();
          }
        },
      };
    },
  };
}
