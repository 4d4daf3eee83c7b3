import { mkdtemp, realpath, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadShellParser } from "@quoll/bash-syntax/load-parser";
import type { ShellParser } from "@quoll/bash-syntax/types";
import type { AgentSource } from "../../../../src/contracts/agent.ts";
import { MAIN_AGENT } from "../../../../src/contracts/agent.ts";
import type { Progress } from "../../../../src/contracts/display.ts";
import { textOf } from "../../../../src/contracts/message.ts";
import type { Clock, Sandbox, Workspace } from "../../../../src/contracts/ports.ts";
import { makeGrant } from "../../../../src/contracts/subject.ts";
import type { Tool } from "../../../../src/contracts/tool.ts";
import { systemClock } from "../../../../src/platform/clock.ts";
import { processesWithTag } from "../../../../src/platform/processes/process-table.ts";
import { CommandSandbox } from "../../../../src/services/sandbox/command-sandbox.ts";
import { TaskRegistry } from "../../../../src/services/tasks/task-registry.ts";
import { BackgroundShells } from "../../../../src/services/tools/bash/background-shells.ts";
import { bashTool } from "../../../../src/services/tools/bash/bash.ts";
import { Credentials } from "../../../../src/services/tools/bash/credentials.ts";
import { BASH_LIMITS, type BashLimits } from "../../../../src/services/tools/bash/limits.ts";
import { ReadTracker } from "../../../../src/services/tools/read-tracker.ts";
import { taskOutputTool } from "../../../../src/services/tools/task-output/task-output.ts";
import { taskStopTool } from "../../../../src/services/tools/task-stop/task-stop.ts";
import { tempProject } from "../../../support/temp-project.ts";
import { toolContext, toolPorts } from "../../../support/tool-context.ts";
import { withoutDuration } from "../../../support/without-duration.ts";

const require = createRequire(import.meta.url);
let parser: Promise<ShellParser> | undefined;

export function shellParser(): Promise<ShellParser> {
  parser ??= loadShellParser({
    runtime: require.resolve("web-tree-sitter/web-tree-sitter.wasm"),
    grammar: require.resolve("tree-sitter-bash/tree-sitter-bash.wasm"),
  });
  return parser;
}

export const PATH = "/usr/local/bin:/usr/bin:/bin";
export const SHORT_LADDER = { interruptMs: 60, terminateMs: 60 };

/** A workspace of one root, as the session's own is. */
export function workspaceAt(root: string): Workspace {
  let cwd = root;
  const contains = (path: string) => path === root || path.startsWith(`${root}/`);
  return {
    roots: [root],
    projectRoot: root,
    isBroad: false,
    get cwd() {
      return cwd;
    },
    contains,
    moveTo(path) {
      if (!contains(path)) return false;
      cwd = path;
      return true;
    },
  };
}

type CallOptions = {
  readonly signal?: AbortSignal;
  readonly report?: (progress: Progress) => void;
  readonly confinement?: "sandbox" | "none";
};

/** Gives nothing and asks nobody. */
export function noCredentials(environment: Readonly<Record<string, string>> = {}): Credentials {
  return new Credentials({
    environment,
    passed: [],
    asker: { canAsk: false, ask: async () => ({ decision: "reject" }) },
    persist: async () => undefined,
    onNotice: () => undefined,
  });
}

export type BashSessionOptions = {
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly limits?: Partial<BashLimits>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly isTrusted?: boolean;
  readonly sandbox?: Sandbox;
  readonly isHidden?: (path: string) => boolean;
  readonly getParser?: () => Promise<ShellParser>;
  readonly clock?: Clock;
  /** The agent that calls; the main one by default. */
  readonly agent?: AgentSource;
};

/** The sandbox of a session whose settings switch it off. */
export function switchedOff(): Sandbox {
  const places = { projectRoot: "/", home: "/", stateFolder: "/", cacheFolder: "/", artifacts: "/" };
  const none = { roots: [], ownFolders: [], gitFolders: [], environment: {}, selfCommand: [] };
  return new CommandSandbox(() => ({ ...places, ...none, settings: { enabled: false } }));
}

/** A real workspace with the three tools. At the end nothing of it may live: a left-over process fails the test. */
export async function bashSession({
  files = {},
  limits = {},
  environment = {},
  path = PATH,
  isTrusted = true,
  sandbox = switchedOff(),
  isHidden = (file) => /(?:^|\/)\.env$|\.pem$/.test(file),
  getParser = shellParser,
  clock = systemClock,
  agent = MAIN_AGENT,
}: BashSessionOptions = {}) {
  const project = await tempProject(files);
  const session = await realpath(await mkdtemp(join(tmpdir(), "quoll-session-")));
  const directory = join(session, "artifacts");
  const workspace = workspaceAt(project.dir);
  const all = { ...BASH_LIMITS, ladder: SHORT_LADDER, ...limits };
  const changes: string[] = [];
  const announced: string[] = [];
  const registry = new TaskRegistry({
    clock,
    changed: (what, { id, status }) => changes.push(`${id} ${what} ${status}`),
    announce: ({ id, state }) => announced.push(`${id} ${state}`),
  });
  const tasks = registry.seenBy(MAIN_AGENT);
  const shells = new BackgroundShells({ clock, limits: all, tasks });
  const outer = crypto.randomUUID();
  const save = async () => directory;
  const tracker = new ReadTracker();
  const bash = bashTool({
    workspace,
    artifacts: { directory, save },
    clock,
    shells,
    tracker: async () => tracker,
    shellParser: getParser,
    userPath: async () => path,
    isHidden,
    credentials: noCredentials(environment),
    sandbox,
    isTrusted,
    environment: { HOME: session, PATH: path, LC_ALL: "C.UTF-8", ...environment, QUOLL_SPAWN: outer },
    limits: all,
  });
  const prepare = (tool: Tool, input: Readonly<Record<string, unknown>>, signal = new AbortController().signal) =>
    tool.prepare(input, toolContext({ ...toolPorts(tasks), agent, toolUseId: "t1", cwd: workspace.cwd, signal }));
  const call = async (
    tool: Tool,
    input: Readonly<Record<string, unknown>>,
    { signal, report = () => undefined, confinement = "none" }: CallOptions = {},
  ) => {
    const prepared = await prepare(tool, input, signal);
    const result = await prepared.run(
      makeGrant({ toolUseId: "t1", confinement, decidedBy: { kind: "default" }, notes: [] }),
      report,
    );
    return { ...result, text: textOf(result.content), isError: result.isError ?? false };
  };
  const runTimed = (command: string, more: object = {}, options: Parameters<typeof call>[2] = {}) =>
    call(bash, { command, description: "A test", ...more }, options);
  return {
    ...project,
    directory,
    workspace,
    tasks,
    shells,
    tracker,
    /** The events about tasks. */
    changes,
    /** The notes about tasks for the model. */
    announced,
    /** The tag that everything of this session carries. */
    outer,
    load: () => bash.load?.(),
    alive: () => processesWithTag(outer).map((row) => row.command()),
    prepare: (command: string, more: object = {}) => prepare(bash, { command, description: "A test", ...more }),
    prepareRaw: (input: Readonly<Record<string, unknown>>) => prepare(bash, input),
    runTimed,
    /** Without the duration, which depends on the machine. */
    run: async (...command: Parameters<typeof runTimed>) => {
      const result = await runTimed(...command);
      const content = typeof result.content === "string" ? withoutDuration(result.content) : result.content;
      return { ...result, content, text: withoutDuration(result.text) };
    },
    taskOutput: (input: Readonly<Record<string, unknown>>, options: Parameters<typeof call>[2] = {}) =>
      call(taskOutputTool(), input, options),
    taskStop: (input: Readonly<Record<string, unknown>>) => call(taskStopTool(), input),
    async [Symbol.asyncDispose]() {
      await shells.closeAll();
      const left = processesWithTag(outer);
      for (const { pid } of left) process.kill(pid, "SIGKILL");
      await project[Symbol.asyncDispose]();
      await rm(session, { recursive: true, force: true });
      if (left.length > 0) throw new Error(`Left running: ${left.map((row) => row.command()).join("; ")}`);
    },
  };
}
