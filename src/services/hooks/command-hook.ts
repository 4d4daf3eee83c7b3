import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import type { HookSettings } from "../../contracts/hook-settings.ts";
import type { JsonObject } from "../../contracts/message.ts";
import { runCaptured } from "../../platform/processes/run-captured.ts";
import { type CommandEnd, commandAnswer } from "./command-answer.ts";

/** Output beyond this is dropped; longer context goes to a file anyway. */
const MAX_OUTPUT_BYTES = 1024 * 1024;
/** The time limit of a hook belongs to its caller. */
const NO_LIMIT_MS = 2 ** 31 - 1;
/** A folder in arguments of a program that runs without a shell. */
const FOLDER = /\$\{(?:CLAUDE|QUOLL)_(PROJECT_DIR|PLUGIN_ROOT|PLUGIN_DATA)\}/g;
/** Events whose commands can set variables for later commands of the session. */
const ENVIRONMENT_EVENTS: ReadonlySet<string> = new Set(["SessionStart", "Setup", "CwdChanged", "FileChanged"]);

/** The parts of a session that a hook's command uses. */
export type CommandPorts = {
  /** The project root; absolute. */
  readonly projectRoot: string;
  /** The whole environment of a command. */
  environment(): Promise<Readonly<Record<string, string>>>;
  /** The path of bash, or of another POSIX shell. */
  shell(): string;
  /**
   * The file to which a command of an event writes variables for later commands, and the function that reads it
   * afterwards; undefined if the session has no place for it.
   */
  variables?(): { readonly file: string; taken(): Promise<void> } | undefined;
};

type Declared = Pick<DeclaredHook, "hook" | "plugin" | "layer">;

/** Runs the command of a hook: the input is on its stdin. All processes of its group are gone when this returns. */
export async function runCommandHook(
  hook: Declared,
  input: JsonObject,
  ports: CommandPorts,
  signal: AbortSignal,
): Promise<JsonObject> {
  const event = String(input["hook_event_name"]);
  return commandAnswer(event, await runCommand(hook, input, ports, signal));
}

/** @throws {Error} one phrase: the command could not be started. */
export async function runCommand(
  { hook, plugin, layer }: Declared,
  input: JsonObject,
  ports: CommandPorts,
  signal: AbortSignal,
): Promise<CommandEnd> {
  const { projectRoot } = ports;
  const folders = foldersOf(projectRoot, plugin);
  const variables = ENVIRONMENT_EVENTS.has(String(input["hook_event_name"])) ? ports.variables?.() : undefined;
  const env = {
    ...(await ports.environment()),
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
  const ended = await runCaptured(
    {
      ...programOf(hook, ports, folders),
      ...{ cwd, env, input: `${JSON.stringify(input)}\n`, timeoutMs: NO_LIMIT_MS },
      ...{ maxBytes: MAX_OUTPUT_BYTES, dropsExcess: true },
    },
    signal,
  );
  await variables?.taken();
  if (ended.kind === "ended") return ended;
  const reason = ended.kind === "not-started" ? ended.reason : ended.kind;
  throw new Error(`it could not be started in ${cwd} (${reason})`);
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
  return { file: ports.shell(), args: ["-c", command] };
}
