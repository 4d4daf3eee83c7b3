import { lazy } from "@quoll/async/lazy";
import type { Files } from "../../contracts/files.ts";
import type { Message } from "../../contracts/message.ts";
import type { Redactor, Sandbox, ServerPort } from "../../contracts/ports.ts";
import type { KnownContent } from "../../contracts/result-facts.ts";
import type { Tool, ToolSpec } from "../../contracts/tool.ts";
import { systemClock } from "../../platform/clock.ts";
import { keyedHash } from "../../platform/digest.ts";
import type { Environment } from "../../platform/env.ts";
import type { CommandWatch } from "../../services/tools/bash/background-shells.ts";
import type { BashDeps } from "../../services/tools/bash/bash-call.ts";
import type { ServerPorts } from "../../services/tools/bash/server-ports.ts";
import type { followHookChanges } from "../../services/tools/hook-changes.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import { BUILTIN_TOOLS, type ToolParts } from "./builtin-tools.ts";
import { loadShellParser } from "./load-shell-parser.ts";
import { toolParts } from "./tool-parts.ts";
import type { ToolsRequest } from "./tools-request.ts";

const MAX_RECORDED_CHARS = 200;

export type ToolSet = {
  readonly tools: readonly Tool[];
  /** Keeps which files are known at an entry of the conversation. */
  keepFiles(entryId: string): void;
  /** The conversation was moved or resumed: the files that it knows at these entries, or from its results, count as read. */
  returnFiles(entryIds: readonly string[], messages: readonly Message[]): void;
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
  readonly ports: { list(): readonly ServerPort[]; askNext(): boolean };
  /** @returns one phrase for each task that was still running. */
  endBackgroundWork(): Promise<readonly string[]>;
};

/**
 * Makes the tools. The code of each tool is loaded at its first call: a session that never runs a command loads no
 * parser.
 */
export function createTools(request: ToolsRequest): ToolSet {
  const { session, source, environment: projectEnvironment, workspace, sandbox } = request.agent;
  const parts = toolParts(request);
  const { home, isHidden, temporary } = parts.files;
  // A change of these settings waits for the next start.
  const { env, passedVariables: passed } = projectEnvironment.settings;
  const environment = session.hooks?.environment ?? { ...projectEnvironment.env, ...env };
  let named: readonly KnownContent[] = [];
  const tracker = lazy(async () => {
    const files = await openReadTracker(projectEnvironment);
    files.returnTo([], named);
    return files;
  });
  const ripgrep = lazy(async () => {
    const { ripgrepOf } = await import("../find-ripgrep.ts");
    const { cache } = projectEnvironment.own;
    const isTrusted = (path: string) => !workspace.contains(path);
    return ripgrepOf({ environment, cache, version: session.app.version, isTrusted });
  });
  const search = async () => ({ home, isHidden, temporary, ripgrep: async () => (await ripgrep())?.() });
  const closing = new AbortController();
  const shells = lazy(async () => {
    const { BackgroundShells } = await import("../../services/tools/bash/background-shells.ts");
    const [orphans, limits] = await Promise.all([commandWatch(request.agent), bashLimits(projectEnvironment)]);
    return new BackgroundShells({ clock: systemClock, limits, orphans, tasks: request.tasks });
  });
  const ports = lazy(async () => {
    const { ServerPorts } = await import("../../services/tools/bash/server-ports.ts");
    const asker = session.questions.personAsker(source);
    const onNotice = session.notices.notify;
    return new ServerPorts({ clock: systemClock, asker, opener: () => sandbox.portOpener(), onNotice });
  });
  const shell = async () =>
    shellDeps(
      { request, parts, environment, passed },
      { shells: await shells(), ports: await ports(), tracker },
      closing.signal,
    );
  const shared = { tracker, search, ports, shell };
  const tools = BUILTIN_TOOLS.map(({ spec: usual, specFor, load }) => {
    const spec = specFor?.(parts) ?? usual;
    const tool = lazyTool(spec, () => load(parts, shared));
    return spec.level === "write" ? announceWrites(tool, sandbox) : tool;
  });
  return {
    tools,
    ports: { list: () => ports.value?.list() ?? [], askNext: () => ports.value?.askNext() ?? false },
    keepFiles: (id) => {
      void tracker.begun?.then((files) => files.keepMoment(id));
    },
    returnFiles: (ids, messages) => {
      // A failed Edit shows lines, so a file that a rule denies by now is not known again.
      named = contentsKnown(messages).filter(({ path }) => !isHidden(path));
      void tracker.begun?.then((files) => files.returnTo(ids, named));
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
        redactor: session.redactor,
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

/** The log names the contents of files by a hash that nobody without the user's key can compute. */
async function openReadTracker({ own, created }: Pick<ProjectEnvironment, "own" | "created">) {
  const [{ ReadTracker }, { redactionKey }] = await Promise.all([
    import("../../services/tools/read-tracker.ts"),
    import("../../services/redaction/redaction-key.ts"),
  ]);
  let key: Uint8Array | undefined;
  return new ReadTracker(undefined, created, (hash) => {
    key ??= redactionKey(own.state);
    return keyedHash(hash, key);
  });
}

/** The contents of files that the results and the mentions of a conversation name, oldest first. */
function contentsKnown(messages: readonly Message[]): readonly KnownContent[] {
  return messages.flatMap(({ role, content }) =>
    role === "user" ? content.flatMap((block) => ("knows" in block && block.knows ? [block.knows] : [])) : [],
  );
}

type ShellParts = {
  readonly request: ToolsRequest;
  readonly parts: ToolParts;
  /** The environment that commands inherit. */
  readonly environment: Environment;
  /** Variables that look like credentials but that commands get anyway. */
  readonly passed: readonly string[];
};

/** @param signal Aborts when the session ends. */
async function shellDeps(
  { request, parts, environment, passed }: ShellParts,
  { shells, ports, tracker }: Pick<BashDeps, "shells" | "tracker"> & { readonly ports: ServerPorts },
  signal: AbortSignal,
): Promise<BashDeps> {
  const [{ Credentials }, { createUserPath }] = await Promise.all([
    import("../../services/tools/bash/credentials.ts"),
    import("../../platform/processes/user-path.ts"),
  ]);
  const { session, environment: projectEnvironment, workspace, sandbox } = request.agent;
  const { isHidden, temporary } = parts.files;
  const userPath = createUserPath({ environment, clock: systemClock, signal });
  return {
    workspace,
    artifacts: session.conversation.artifacts,
    clock: systemClock,
    environment,
    sandbox,
    isTrusted: projectEnvironment.isTrusted,
    isOneTurn: session.config.isOneTurn,
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
    credentials: new Credentials({
      environment,
      passed,
      asker: parts.plan.ask,
      persist: async (names) => {
        const { rememberPassedVariables } = await import("../../services/config/remember-rules.ts");
        await rememberPassedVariables(projectEnvironment.ownSettingsFile, names);
        await projectEnvironment.live.written();
      },
      onNotice: session.notices.notify,
    }),
    limits: await bashLimits(projectEnvironment),
  };
}

/** Commands that were ended after Quoll was killed are listed at the next start, with credentials hidden. */
async function commandWatch({ session, workspace }: ToolsRequest["agent"]): Promise<CommandWatch> {
  const orphans = await session.work.orphans.watch();
  let hiding: Redactor | undefined;
  // A call waits for the redactor before it runs.
  void session.redactor().then(
    (loaded) => {
      hiding = loaded;
    },
    () => undefined,
  );
  return {
    watch(spawn, command) {
      const where = `(in ${workspace.cwd})`;
      // Without the redactor, only the name of the command's program is listed.
      const name = /^[\w./-]{1,40}/.exec(command)?.[0] ?? "a command";
      orphans.watch(
        spawn,
        () => hiding?.redact(`${command.slice(0, MAX_RECORDED_CHARS)} ${where}`) ?? `${name} … ${where}`,
      );
    },
    drop: ({ tag }) => orphans.drop(tag),
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

/** The limits of the settings, which may change. */
async function bashLimits(environment: Pick<ProjectEnvironment, "settings">) {
  const { BASH_LIMITS } = await import("../../services/tools/bash/limits.ts");
  return {
    ...BASH_LIMITS,
    get defaultTimeoutMs() {
      return environment.settings.tools.bashTimeoutMs ?? BASH_LIMITS.defaultTimeoutMs;
    },
    get maxTimeoutMs() {
      return environment.settings.tools.bashMaxTimeoutMs ?? BASH_LIMITS.maxTimeoutMs;
    },
    get maxResultChars() {
      return environment.settings.tools.bashMaxOutputChars ?? BASH_LIMITS.maxResultChars;
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
