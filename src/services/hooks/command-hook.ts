import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import type { HookSettings } from "../../contracts/hook-settings.ts";
import type { JsonObject } from "../../contracts/message.ts";
import { type Captured, type CapturedRun, runCaptured } from "../../platform/processes/run-captured.ts";
import { shellProgram } from "../../platform/processes/shell-program.ts";
import { type CommandEnd, commandAnswer, MAX_ANSWER_BYTES } from "./command-answer.ts";
import { isAnsweredLater } from "./hook-answer.ts";
import { leadingObject } from "./json-objects.ts";

/** The time limit of a hook belongs to its caller. */
const NO_LIMIT_MS = 2 ** 31 - 1;
/** An object that announces a later answer is shorter. */
const MAX_FIRST_CHARS = 16 * 1024;
/** Matches a folder placeholder in arguments of a program that runs without a shell. */
const FOLDER = /\$\{(?:CLAUDE|QUOLL)_(PROJECT_DIR|PLUGIN_ROOT|PLUGIN_DATA)\}/g;
/** Events whose commands can set variables for later commands of the session. */
const ENVIRONMENT_EVENTS: ReadonlySet<string> = new Set(["SessionStart", "Setup", "CwdChanged", "FileChanged"]);

/** The parts of a session that a hook's command uses. */
export type CommandPorts = {
  /** The project root; absolute. */
  readonly projectRoot: string;
  /** The whole environment of a command, whose processes carry the tag. */
  environment(tag: string): Promise<Readonly<Record<string, string>>>;
  /** Ends processes that leave the group of a command. */
  readonly processes?: HookProcesses;
  /** The path of bash, or of another POSIX shell. */
  shell(): string;
  /**
   * The file to which a command of an event writes variables for later commands, and the function that reads the file
   * afterwards; undefined if the session has no place for it.
   */
  variables?(): { readonly file: string; taken(): Promise<void> } | undefined;
};

/** The processes of commands, which must not outlive Quoll or their time limit. */
export type HookProcesses = {
  started(pid: number, tag: string): void;
  /** The command has ended. */
  ended(tag: string): void;
  /** Ends the remaining processes of an interrupted command, in any process group. */
  stop(pid: number, tag: string): Promise<void>;
};

type Declared = Pick<DeclaredHook, "hook" | "plugin" | "layer">;

/** Follows the run of a command. */
export type CommandWatch = {
  /** Receives what the command has printed. */
  printed?(end: CommandEnd): void;
  /** The command has announced that it answers later. `limitMs`: the time that it asks for. */
  detach?(limitMs: number | undefined): void;
};

/**
 * Runs the command of a hook: the input is on its stdin. No process of the command's group is left when this function
 * returns.
 */
export async function runCommandHook(
  hook: Declared,
  input: JsonObject,
  ports: CommandPorts,
  signal: AbortSignal,
  { printed, detach }: CommandWatch = {},
): Promise<JsonObject> {
  const event = String(input["hook_event_name"]);
  const start = new FirstObject((value) => {
    if (isAnsweredLater(value)) detach?.(asyncTimeoutMs(value));
  });
  const end = await runCommand({ ...hook, printed: (piece) => start.add(piece) }, input, ports, signal);
  printed?.(end);
  const isDetached = start.value !== undefined && isAnsweredLater(start.value);
  return commandAnswer(event, isDetached ? { ...end, stdout: start.rest(end.stdout) } : end);
}

function asyncTimeoutMs({ asyncTimeout }: JsonObject): number | undefined {
  const isTime = typeof asyncTimeout === "number" && asyncTimeout > 0;
  return isTime ? Math.min(asyncTimeout, NO_LIMIT_MS) : undefined;
}

/** The JSON object with which an output begins. */
class FirstObject {
  readonly #found: (value: JsonObject) => void;
  readonly #decoder = new TextDecoder();
  #text = "";
  #isDone = false;
  value: JsonObject | undefined;

  constructor(found: (value: JsonObject) => void) {
    this.#found = found;
  }

  add(piece: Uint8Array): void {
    if (this.#isDone) return;
    this.#text += this.#decoder.decode(piece, { stream: true });
    this.value = leadingObject(this.#text)?.value;
    this.#isDone = this.value !== undefined || this.#text.length > MAX_FIRST_CHARS || /^\s*[^\s{]/.test(this.#text);
    if (this.value) this.#found(this.value);
  }

  /** The output after the object. */
  rest(output: string): string {
    return leadingObject(output)?.rest ?? output;
  }
}

/** @throws {Error} one phrase: the command could not be started. */
export async function runCommand(
  { hook, plugin, layer, printed }: Declared & Pick<CapturedRun, "printed">,
  input: JsonObject,
  ports: CommandPorts,
  signal: AbortSignal,
): Promise<CommandEnd> {
  const { projectRoot } = ports;
  const folders = foldersOf(projectRoot, plugin);
  const tag = crypto.randomUUID();
  const variables = ENVIRONMENT_EVENTS.has(String(input["hook_event_name"])) ? ports.variables?.() : undefined;
  const env = {
    ...(await ports.environment(tag)),
    ...Object.fromEntries(
      Object.entries(folders).flatMap(([name, folder]) => [
        [`CLAUDE_${name}`, folder],
        [`QUOLL_${name}`, folder],
      ]),
    ),
    ...(variables && { CLAUDE_ENV_FILE: variables.file, QUOLL_ENV_FILE: variables.file }),
  };
  // The approval of a project's hook covers the files that its relative paths name below the project root.
  const isAtRoot = layer === "project" || typeof input["cwd"] !== "string";
  const cwd = isAtRoot ? projectRoot : String(input["cwd"]);
  const ended = await watched(
    {
      ...programOf(hook, ports, folders),
      cwd,
      env,
      input: `${JSON.stringify(input)}\n`,
      timeoutMs: NO_LIMIT_MS,
      maxBytes: MAX_ANSWER_BYTES,
      dropsExcess: true,
      ...(printed && { printed }),
    },
    { tag, processes: ports.processes },
    signal,
  );
  await variables?.taken();
  if (ended.kind === "ended") return ended;
  const reason = ended.kind === "not-started" ? ended.reason : ended.kind;
  throw new Error(`it could not be started in ${cwd} (${reason})`);
}

/**
 * A process that left the group is found by its tag; this needs a scan of all processes, so it is done only for a
 * command that was cut off.
 */
async function watched(
  run: CapturedRun,
  { tag, processes }: { readonly tag: string; readonly processes: HookProcesses | undefined },
  signal: AbortSignal,
): Promise<Captured> {
  let started: number | undefined;
  try {
    return await runCaptured(
      {
        ...run,
        started: (pid) => {
          started = pid;
          processes?.started(pid, tag);
        },
      },
      signal,
    );
  } catch (error) {
    if (started !== undefined) await processes?.stop(started, tag);
    throw error;
  } finally {
    processes?.ended(tag);
  }
}

type Folders = Readonly<Record<string, string>>;

function foldersOf(projectRoot: string, plugin: DeclaredHook["plugin"]): Folders {
  return {
    PROJECT_DIR: projectRoot,
    ...(plugin && { PLUGIN_ROOT: plugin.root, PLUGIN_DATA: plugin.data }),
  };
}

function programOf({ command = "", args, shell }: HookSettings, ports: CommandPorts, folders: Folders) {
  if (args) {
    const filled = [command, ...args].map((word) =>
      word.replace(FOLDER, (source, name: string) => folders[name] ?? source),
    );
    return { file: filled[0] ?? "", args: filled.slice(1) };
  }
  if (shell === "powershell") return { file: "pwsh", args: ["-NoProfile", "-NonInteractive", "-Command", command] };
  return shellProgram(ports.shell(), command);
}
