import { Command, CommanderError, Option } from "commander";
import { DEBUG_TOPICS } from "../contracts/debug.ts";
import { UserFacingError } from "../contracts/errors.ts";
import { PERMISSION_MODES } from "../contracts/permission-mode.ts";
import { EFFORTS } from "../contracts/provider.ts";
import { SETTING_SOURCES } from "../contracts/setting-sources.ts";
import { OUTPUT_FORMATS } from "../faces/headless/output-format.ts";
import { authCommand, statsCommand } from "./account/account-arguments.ts";
import { backgroundCommands } from "./background/background-arguments.ts";
import { completionCommand } from "./completion/completion-command.ts";
import { configCommand } from "./config/config-arguments.ts";
import { GivenOptions } from "./given-options.ts";
import {
  type DoctorOptions,
  type ExecOptions,
  INPUT_FORMATS,
  type InventoryOptions,
  type Invocation,
  type PermissionsAction,
  type PolicyOptions,
  type RouteOptions,
  type SandboxAction,
  type SessionOptions,
} from "./invocation.ts";
import { loginCommands } from "./mcp/login-arguments.ts";
import { serverCommands } from "./mcp/server-arguments.ts";
import { mcpServeCommand } from "./mcp-serve/mcp-serve-arguments.ts";
import {
  collect,
  collectRules,
  debugTopics,
  dollars,
  effortLevel,
  names,
  oneOf,
  positiveInteger,
  settingSources,
  thinkingMode,
  wholeNumber,
} from "./option-values.ts";
import { pluginCommand } from "./plugin/plugin-arguments.ts";
import { replayCommand, sessionsCommand } from "./replay/replay-arguments.ts";
import { withScreenOptions } from "./screen-options.ts";
import { isStreamInput, withoutUnknown } from "./stream-arguments.ts";
import { assertNotMisspelled, withoutHelpWord } from "./subcommand-words.ts";
import { worktreeCommand } from "./worktree/worktree-arguments.ts";

/** `-p`, also as the first of several short options; `-c`, `-r`, `-w` and the long names. */
const ONLY_SESSION = /^-[pcrw]|^--(?:print|continue|resume|worktree|bg)(?:=|$)/;
/** A subcommand, or a word that may be a misspelled one. */
const NAME_LIKE = /^[a-z][a-z-]*$/i;
/** The help lists the subcommands: `-h`, `-ph`, `--help`. */
const ASKS_FOR_HELP = /^(?:--h|-[^-]*h)/;
const INVENTORY_KINDS = ["commands", "tools", "agents", "skills"] as const;

/**
 * Reads the command line.
 * @throws {UserFacingError} (exit 2) the command line is wrong; one line gives the problem and where the options are
 * listed.
 */
export function parseArguments(words: readonly string[], version: string): Invocation {
  return parsedQuickly(words) ?? parsedWhole(words, version);
}

/** The session that most command lines begin; undefined for a line that needs the declaration of everything. */
function parsedQuickly(words: readonly string[]): Invocation | undefined {
  if (!isPlainSession(words) || isStreamInput(words)) return undefined;
  let invocation: Invocation | undefined;
  const program = asSession(new GivenOptions("quoll", words), (asked) => {
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

function parsedWhole(words: readonly string[], version: string): Invocation {
  let invocation: Invocation | undefined;
  let help = "";
  const found = (asked: Invocation) => {
    invocation = asked;
  };
  const whole = isPlainSession(words) ? sessionProgram(version, found) : createProgram(version, found);
  const names = whole.commands.map((command) => command.name());
  const argv = withoutHelpWord(words, names);
  const isStream = isStreamInput(argv);
  const isSession = isStream || isSurelySession(argv, names);
  const program = isSession && names.length > 0 ? sessionProgram(version, found) : whole;
  const given = isStream ? withoutUnknown(argv, program.options) : { argv, ignored: [] };
  quiet(program, (text) => {
    help += text;
  });
  try {
    program.parse([...given.argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // A command with subcommands was called without a subcommand.
    if (error.exitCode === 0 || error.code === "commander.help") return { kind: "help", text: help };
    const called = calledCommand(program, given.argv);
    throw new UserFacingError(`${usageError(error.message)} (${called} --help shows the options)`, 2, { cause: error });
  }
  if (!invocation) throw new UserFacingError("No command was given (quoll --help shows the options).", 2);
  if (invocation.kind !== "session") return invocation;
  assertNotMisspelled(argv, names);
  if (given.ignored.length === 0) return invocation;
  return { ...invocation, options: { ...invocation.options, ignored: given.ignored } };
}

/** The command that a line calls: `quoll permissions explain`. */
function calledCommand(program: Command, argv: readonly string[]): string {
  const names = [program.name()];
  let command: Command | undefined = program;
  for (const word of argv) {
    command = command?.commands.find((one) => one.name() === word);
    if (!command) break;
    names.push(word);
  }
  return names.join(" ");
}

/**
 * Declares the program; `found` receives the parsed command. Reference pages and completions are made from this
 * declaration too.
 */
export function createProgram(version: string, found: (invocation: Invocation) => void): Command {
  const program = sessionProgram(version, found);
  const policy = [permissionsCommand(found), sandboxCommand(found), doctorCommand(found)];
  const replaying = [sessionsCommand(found), replayCommand(found)];
  const tools = [mcpCommand(found), pluginCommand(found), worktreeCommand(found)];
  const rest = [...backgroundCommands(found), authCommand(found), statsCommand(found), ...replaying, ...tools];
  for (const command of [...inventoryCommands(found), ...policy, ...rest]) program.addCommand(command);
  return program;
}

function sessionProgram(version: string, found: (invocation: Invocation) => void): Command {
  return asSession(new Command("quoll"), found).version(version, "-v, --version", "print the version");
}

function asSession(command: Command, found: (invocation: Invocation) => void): Command {
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

/** After `--`, or after an option that only a session has, a word is the prompt even if it equals a command's name. */
function isSurelySession(argv: readonly string[], names: readonly string[]): boolean {
  const sign = argv.findIndex((word) => word === "--" || ONLY_SESSION.test(word));
  return sign >= 0 && !argv.slice(0, sign).some((word) => names.includes(word));
}

/**
 * True for a command line that begins a session and has no word that could be a subcommand before the first option that only a session
 * has. Quoll then parses it without declaring the subcommands, which would take milliseconds.
 */
function isPlainSession(words: readonly string[]): boolean {
  const sign = words.findIndex((word) => ONLY_SESSION.test(word));
  const isPlain = (word: string) => !(NAME_LIKE.test(word) || word === "--" || ASKS_FOR_HELP.test(word));
  return (
    words.slice(0, sign < 0 ? undefined : sign).every(isPlain) && (sign < 0 || !ASKS_FOR_HELP.test(words[sign] ?? ""))
  );
}

/** Options that affect permissions. */
function withPolicyOptions(command: Command): Command {
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

function withSessionOptions(command: Command): Command {
  return withPolicyOptions(command)
    .option("-p, --print", "print the answer and exit; piped input is added to the prompt")
    .option("-c, --continue", "continue the most recent session of this project")
    .option("-r, --resume [session]", "resume a session by its id or a prefix of the id")
    .option("--fork-session", "with --continue or --resume: continue in a copy")
    .option("--session-id <id>", "the id of a new session")
    .option("--no-session-persistence", "do not save this session to disk")
    .addOption(new Option("--output-format <format>", "output format of -p").choices(OUTPUT_FORMATS).default("text"))
    .addOption(new Option("--model <name>", "a model id or alias; `offline` needs no account"))
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
function withProgramOptions(command: Command): Command {
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
    .option("--fallback-model <list>", "models to try in order when the model is overloaded", names)
    .option("--effort <level>", `how much the model thinks: ${EFFORTS.join(", ")}`, effortLevel)
    .option("--thinking <mode>", "`adaptive`, `enabled` or `disabled`", thinkingMode)
    .option("--max-thinking-tokens <n>", "maximum thinking tokens; 0 turns thinking off", wholeNumber)
    .option("--allow-dangerously-skip-permissions", "allow a switch to bypassPermissions during the session");
}

function inventoryCommands(found: (invocation: Invocation) => void): readonly Command[] {
  const inventory = withFilters(new Command("inventory"))
    .description("list commands, tools, agents or skills")
    .argument("<kind>", INVENTORY_KINDS.join(", "), oneOf(INVENTORY_KINDS))
    .action((what: string, options: InventoryOptions) => found({ kind: "inventory", what, options }));
  const route = withFilters(new Command("route"))
    .description("rank commands and tools for a prompt")
    .argument("<prompt>")
    .option("--limit <n>", "maximum number of entries", positiveInteger)
    .action((prompt: string, options: RouteOptions) => found({ kind: "route", prompt, options }));
  const show = new Command("show")
    .description("show one command or tool in full")
    .argument("<kind>", "command or tool", oneOf(["command", "tool"]))
    .argument("<name>")
    .action((what: string, name: string) => found({ kind: "show", what, name }));
  const exec = withSessionOptions(new Command("exec"))
    .description("run one tool like a call of the model, with permissions")
    .argument("<tool>")
    .requiredOption("--input <json|@file|->", "the tool's input: JSON, a file that holds it, or - for stdin")
    .option("--json", "print the whole result as JSON")
    .action((tool: string, options: ExecOptions) => found({ kind: "exec", tool, options }));
  const models = new Command("models")
    .description("list known models and aliases, with context window, price and whether a key is available")
    .option("--json", "as JSON")
    .action(({ json = false }: { json?: boolean }) => found({ kind: "models", json }));
  const agents = new Command("agents")
    .description("list the types of agents that the model can start here, by source")
    .option("--json", "as JSON")
    .action(({ json = false }: { json?: boolean }) => found({ kind: "agents", json }));
  const config = configCommand(found, (command) => withProgramOptions(withSessionOptions(command)));
  return [inventory, route, show, exec, models, agents, config, completionCommand(found)];
}

function mcpCommand(found: (invocation: Invocation) => void): Command {
  const mcp = new Command("mcp").description("configure MCP servers, or run Quoll as an MCP server").helpCommand(false);
  for (const command of [...serverCommands(found), ...loginCommands(found)]) mcp.addCommand(command);
  return mcp.addCommand(mcpServeCommand(found, withPolicyOptions));
}

function permissionsCommand(found: (invocation: Invocation) => void): Command {
  const ask = (action: PermissionsAction, options: PolicyOptions) => found({ kind: "permissions", action, options });
  const list = withPolicyOptions(new Command("list"))
    .description("list every active rule, with its file and line")
    .option("--json", "as JSON")
    .action((options: PolicyOptions) => ask({ what: "list" }, options));
  const explain = withPolicyOptions(new Command("explain"))
    .description("explain which rule or mode decides about a call, and how to change the verdict")
    .argument("<call>", "`Bash(npm test)`, `Edit(src/a.ts)` …, or a shell command")
    .option("--json", "as JSON")
    .action((call: string, options: PolicyOptions) => ask({ what: "explain", call }, options));
  const test = withPolicyOptions(new Command("test"))
    .description("check a table of expected verdicts; exit 1 if one differs")
    .argument("<file>", "JSON: [{ call, expect }, …]")
    .option("--verbose", "print each row, not only differences")
    .action((file: string, { verbose = false, ...options }: PolicyOptions & { verbose?: boolean }) =>
      ask({ what: "test", file, verbose }, options),
    );
  return new Command("permissions")
    .description("inspect the permission rules")
    .addCommand(list)
    .addCommand(explain)
    .addCommand(test);
}

function sandboxCommand(found: (invocation: Invocation) => void): Command {
  const ask = (action: SandboxAction, options: PolicyOptions) => found({ kind: "sandbox", action, options });
  const status = withPolicyOptions(new Command("status"))
    .description("show how commands are confined here")
    .option("--json", "as JSON")
    .action((options: PolicyOptions) => ask({ what: "status" }, options));
  const doctor = withPolicyOptions(new Command("doctor"))
    .description("find out why the sandbox is missing or weak, and how to fix it")
    .option("--json", "as JSON")
    .action((options: PolicyOptions) => ask({ what: "doctor" }, options));
  const run = withPolicyOptions(new Command("run"))
    .description("run a command in the model's sandbox")
    .argument("<command...>", "after --: the program and its arguments")
    .passThroughOptions()
    .action((command: readonly string[], options: PolicyOptions) => ask({ what: "run", command }, options));
  return new Command("sandbox")
    .description("the sandbox for commands")
    .enablePositionalOptions()
    .addCommand(status)
    .addCommand(doctor)
    .addCommand(run);
}

function doctorCommand(found: (invocation: Invocation) => void): Command {
  return new Command("doctor")
    .description("check everything that Quoll needs; exit 1 if a requirement is missing")
    .option("--json", "as JSON, for a bug report")
    .option("--model <name>", "check this model")
    .option("--settings <file|json>", "another settings file, or JSON text")
    .option("--mcp-config <file|json>", "check these MCP servers (may be repeated)", collect)
    .option("-C, --cwd <folder>", "check this folder")
    .action((options: DoctorOptions) => found({ kind: "doctor", options }));
}

function withFilters(command: Command): Command {
  return command
    .option("--json", "as JSON")
    .option("--simple", "only the tools of a small prompt")
    .option("--no-mcp", "without MCP servers")
    .option("--deny <prefix>", "without names that begin with this prefix (repeatable)", collect);
}

function quiet(command: Command, onHelp: (text: string) => void): void {
  const onError = (text: string) => (text.startsWith("Usage:") ? onHelp(text) : undefined);
  command.exitOverride().configureOutput({ writeOut: onHelp, writeErr: onError });
  for (const child of command.commands) quiet(child, onHelp);
}

function usageError(message: string): string {
  return (
    message
      .replace(/^error: /, "")
      // The value of an unknown option may be a secret.
      .replace(/^(unknown option '--[^=']+)=.*?'(?= |$)/s, "$1'")
      .replace(/\s*\n\s*/g, " ")
      .replace(/^./, (first) => first.toUpperCase())
  );
}
