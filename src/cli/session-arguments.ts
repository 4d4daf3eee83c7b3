import { Command, CommanderError, Option } from "commander";
import { DEBUG_TOPICS } from "../contracts/debug.ts";
import { PERMISSION_MODES } from "../contracts/permission-mode.ts";
import { EFFORTS } from "../contracts/provider.ts";
import { SETTING_SOURCES } from "../contracts/setting-sources.ts";
import { OUTPUT_FORMATS } from "../faces/headless/output-format.ts";
import { INPUT_FORMATS, type Invocation, type SessionOptions } from "./invocation.ts";
import {
  collect,
  collectRules,
  debugTopics,
  dollars,
  effortLevel,
  names,
  positiveInteger,
  sessionId,
  settingSources,
  thinkingMode,
  wholeNumber,
} from "./option-values.ts";
import { withScreenOptions } from "./screen-options.ts";
import { isStreamInput } from "./stream-arguments.ts";

/** `-p`, also as the first of several short options; `-c`, `-r`, `-w` and the long names. */
export const ONLY_SESSION = /^-[pcrw]|^--(?:print|continue|resume|worktree|bg)(?:=|$)/;
/** A subcommand, or a word that may be a misspelled one. */
const NAME_LIKE = /^[a-z][a-z-]*$/i;
/** The help lists the subcommands: `-h`, `-ph`, `--help`. */
const ASKS_FOR_HELP = /^(?:--h|-[^-]*h)/;

/** The session that most command lines begin; undefined for a line that needs the declaration of everything. */
export function parsedQuickly(words: readonly string[]): Invocation | undefined {
  if (!isPlainSession(words) || isStreamInput(words)) return undefined;
  let invocation: Invocation | undefined;
  const program = asSession(new Command("quoll"), (asked) => {
    invocation = asked;
  });
  quiet(program, () => undefined);
  try {
    program.parse([...words], { from: "user" });
  } catch (error) {
    // The whole program gives the whole help, and names a similar option.
    if (error instanceof CommanderError) return undefined;
    throw error;
  }
  return invocation;
}

/** Declares a session. */
export function asSession(command: Command, found: (invocation: Invocation) => void): Command {
  return withScreenOptions(withProgramOptions(withSessionOptions(command)))
    .description("A coding agent for the terminal.")
    .argument("[prompt]", "the task; without -p, the first message of an interactive session")
    .option("-w, --worktree [name]", "work in a git worktree of this repository, on a separate branch")
    .option("--worktree-base <branch>", "the branch or commit from which a new worktree begins")
    .option("--bg", "start the session in the background (quoll ps, attach, logs, stop)")
    .helpOption("-h, --help", "print this help")
    .helpCommand(false)
    .enablePositionalOptions()
    .action((prompt: string | undefined, options: SessionOptions) => found({ kind: "session", prompt, options }));
}

/**
 * True for a command line that begins a session and has no word that could be a subcommand before the first option that only a session
 * has. Quoll then parses it without declaring the subcommands, which would take milliseconds.
 */
export function isPlainSession(words: readonly string[]): boolean {
  const sign = words.findIndex((word) => ONLY_SESSION.test(word));
  const isPlain = (word: string) => !(NAME_LIKE.test(word) || word === "--" || ASKS_FOR_HELP.test(word));
  return (
    words.slice(0, sign < 0 ? undefined : sign).every(isPlain) && (sign < 0 || !ASKS_FOR_HELP.test(words[sign] ?? ""))
  );
}

/** Options that affect permissions. */
export function withPolicyOptions(command: Command): Command {
  return command
    .addOption(new Option("--permission-mode <mode>", "which calls need permission").choices(PERMISSION_MODES))
    .option("--dangerously-skip-permissions", "the same as --permission-mode bypassPermissions")
    .option("--allowed-tools <rules>", "allow rules, such as `Bash(npm test *)`", collectRules)
    .option("--disallowed-tools <rules>", "deny rules", collectRules)
    .option("--allow-sandboxed", "run commands that stay in the sandbox without asking")
    .option("--add-dir <folder>", "another folder to work in (repeatable)", collect)
    .option("--settings <file|json>", "another settings file, or JSON text")
    .option("--trust", "trust this folder for this run: its own files may allow calls")
    .option("-C, --cwd <folder>", "work in this folder");
}

export function withSessionOptions(command: Command): Command {
  return withPolicyOptions(command)
    .option("-p, --print", "print the answer and exit; piped input is added to the prompt")
    .option("-c, --continue", "continue the most recent session of this project")
    .option("-r, --resume [session]", "resume a session by its name or id, or the beginning of either")
    .option("--fork-session", "with --continue or --resume: continue in a copy")
    .option("--session-id <uuid>", "the id of a new session", sessionId)
    .option("--name <name>", "the name of the session, for lists and for --resume")
    .option("--no-session-persistence", "do not save this session to disk")
    .addOption(new Option("--output-format <format>", "output format of -p").choices(OUTPUT_FORMATS).default("text"))
    .addOption(new Option("-m, --model <name>", "a model id or alias; `offline` needs no account"))
    .option("--plugin-dir <folder>", "load the plugin in this folder for this session (repeatable)", collect)
    .option("--tools <names>", "give the model only these tools", collectRules)
    .option("--max-turns <n>", "maximum number of model requests", positiveInteger)
    .option("--max-budget-usd <usd>", "maximum cost of the session in US dollars", dollars)
    .option("--verbose", "with -p: print each tool call to stderr")
    .option(
      "--debug [filter]",
      `write a debug log, and print the stack of an error; filter: ${DEBUG_TOPICS.join(", ")}`,
      debugTopics,
    );
}

/** Options for scripts and programs. */
export function withProgramOptions(command: Command): Command {
  return command
    .addOption(new Option("--input-format <format>", "input format of -p").choices(INPUT_FORMATS))
    .option("--include-partial-messages", "with stream-json: stream answers as they arrive")
    .option("--replay-user-messages", "with stream-json input and output: repeat each message when its turn begins")
    .option("--json-schema <json|@file>", "with -p: JSON schema of the answer")
    .option(
      "--permission-prompt-tool <tool>",
      "who answers permission questions: an MCP tool, or `stdio` for the client",
    )
    .option("--system-prompt <text>", "replace the system prompt")
    .option("--system-prompt-file <file>", "replace the system prompt with a file")
    .option("--append-system-prompt <text>", "append to the system prompt")
    .option("--append-system-prompt-file <file>", "append a file to the system prompt")
    .option("--agent <name>", "work as this agent in the main conversation")
    .option("--agents <json>", "definitions of agents by name, as JSON")
    .option("--setting-sources <list>", `settings to read: ${SETTING_SOURCES.join(", ")}`, settingSources)
    .option("--mcp-config <file|json>", "MCP servers (repeatable)", collect)
    .option("--strict-mcp-config", "use only the MCP servers of --mcp-config")
    .option("--bare", "no instruction files, only the MCP servers of --mcp-config, only Read, Edit, Write and Bash")
    .option("--safe-mode", "no customisation at all, to find out what disturbs Quoll; deny and ask rules hold")
    .option("--fallback-model <list>", "models to try in order when the model is overloaded", names)
    .option("--effort <level>", `how much the model thinks: ${EFFORTS.join(", ")}`, effortLevel)
    .option("--thinking <mode>", "`adaptive`, `enabled` or `disabled`", thinkingMode)
    .option("--max-thinking-tokens <n>", "maximum thinking tokens; 0 turns thinking off", wholeNumber)
    .option("--allow-dangerously-skip-permissions", "allow a switch to bypassPermissions during the session");
}

/** Errors are thrown, and help goes to `onHelp`. */
export function quiet(command: Command, onHelp: (text: string) => void): void {
  const onError = (text: string) => (text.startsWith("Usage:") ? onHelp(text) : undefined);
  command.exitOverride().configureOutput({ writeOut: onHelp, writeErr: onError });
  for (const child of command.commands) quiet(child, onHelp);
}
