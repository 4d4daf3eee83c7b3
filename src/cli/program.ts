import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { UserFacingError } from "../contracts/errors.ts";
import { PERMISSION_MODES, type PermissionMode } from "../contracts/permission.ts";
import { EFFORTS, type Effort } from "../contracts/provider.ts";
import { SETTING_SOURCES, type SettingSource } from "../contracts/settings.ts";
import { OUTPUT_FORMATS, type OutputFormat } from "../faces/headless/output-format.ts";
import { type AuthInvocation, authCommand, type StatsInvocation, statsCommand } from "./account-commands.ts";
import { splitRules } from "./arguments.ts";
import { type ReplayInvocation, replayCommand, sessionsCommand } from "./replay-commands.ts";
import { isStreamInput, withoutUnknown } from "./stream-arguments.ts";

export const INPUT_FORMATS = ["text", "stream-json"] as const;
type InputFormat = (typeof INPUT_FORMATS)[number];

/** What the command line says of a session. */
export type SessionOptions = {
  readonly print?: true;
  readonly continue?: true;
  readonly resume?: string | true;
  readonly forkSession?: true;
  readonly sessionId?: string;
  /** False by `--no-session-persistence`. */
  readonly sessionPersistence: boolean;
  readonly outputFormat: OutputFormat;
  readonly inputFormat?: InputFormat;
  readonly includePartialMessages?: true;
  readonly replayUserMessages?: true;
  /** JSON, or `@` and a file. */
  readonly jsonSchema?: string;
  readonly permissionPromptTool?: string;
  readonly systemPrompt?: string;
  readonly systemPromptFile?: string;
  readonly appendSystemPrompt?: string;
  readonly appendSystemPromptFile?: string;
  /** JSON. */
  readonly agents?: string;
  readonly settingSources?: readonly SettingSource[];
  readonly mcpConfig?: readonly string[];
  readonly strictMcpConfig?: true;
  readonly bare?: true;
  readonly fallbackModel?: readonly string[];
  readonly effort?: Effort;
  readonly thinking?: boolean;
  /** Only whether it is 0 counts. */
  readonly maxThinkingTokens?: number;
  readonly allowDangerouslySkipPermissions?: true;
  /** Options that are not ours, and were left aside. */
  readonly ignored?: readonly string[];
  readonly model?: string;
  readonly permissionMode?: PermissionMode;
  readonly dangerouslySkipPermissions?: true;
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  /** Commands that stay in the sandbox run without a question. */
  readonly allowSandboxed?: true;
  readonly tools?: readonly string[];
  readonly addDir?: readonly string[];
  readonly settings?: string;
  /** This folder, this run. */
  readonly trust?: true;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly cwd?: string;
  readonly verbose?: true;
  readonly debug?: true;
};

export type InventoryOptions = {
  readonly json?: true;
  readonly simple?: true;
  readonly mcp: boolean;
  readonly deny?: readonly string[];
};
export type RouteOptions = InventoryOptions & { readonly limit?: number };
export type ExecOptions = SessionOptions & { readonly input: string; readonly json?: true };

type PolicyName =
  | "permissionMode"
  | "dangerouslySkipPermissions"
  | "allowedTools"
  | "disallowedTools"
  | "allowSandboxed"
  | "addDir"
  | "settings"
  | "trust"
  | "cwd";

/** What decides about a call: the part of a session's options that `permissions` and `sandbox` take. */
export type PolicyOptions = Pick<SessionOptions, PolicyName> & { readonly json?: true };

export type PermissionsAction =
  | { readonly what: "list" }
  | { readonly what: "explain"; readonly call: string }
  | { readonly what: "test"; readonly file: string; readonly verbose?: boolean };

export type SandboxAction =
  | { readonly what: "status" | "doctor" }
  | { readonly what: "run"; readonly command: readonly string[] };

/** What the command line asks for. */
export type Invocation =
  | { readonly kind: "session"; readonly prompt: string | undefined; readonly options: SessionOptions }
  | { readonly kind: "inventory"; readonly what: string; readonly options: InventoryOptions }
  | { readonly kind: "route"; readonly prompt: string; readonly options: RouteOptions }
  | { readonly kind: "show"; readonly what: string; readonly name: string }
  | { readonly kind: "exec"; readonly tool: string; readonly options: ExecOptions }
  | { readonly kind: "models"; readonly json: boolean }
  | { readonly kind: "permissions"; readonly action: PermissionsAction; readonly options: PolicyOptions }
  | { readonly kind: "sandbox"; readonly action: SandboxAction; readonly options: PolicyOptions }
  | AuthInvocation
  | StatsInvocation
  | ReplayInvocation
  /** Help was asked for; it is the text to print. */
  | { readonly kind: "help"; readonly text: string };

const INVENTORY_KINDS = ["commands", "tools", "agents", "skills"] as const;

/**
 * Reads the command line.
 * @throws {UserFacingError} (exit 2) it is wrong; one line says what and how to see the options.
 */
export function parseArguments(argv: readonly string[], version: string): Invocation {
  let invocation: Invocation | undefined;
  let help = "";
  const found = (asked: Invocation) => {
    invocation = asked;
  };
  const whole = createProgram(version, found);
  const isStream = isStreamInput(argv);
  const isSession = isStream || isPromptBehindDashes(argv, whole.commands);
  const program = isSession ? sessionProgram(version, found) : whole;
  const given = isStream ? withoutUnknown(argv, program.options) : { argv, ignored: [] };
  quiet(program, (text) => {
    help += text;
  });
  try {
    program.parse([...given.argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // A command that has commands of its own, and none of them.
    if (error.exitCode === 0 || error.code === "commander.help") return { kind: "help", text: help };
    throw new UserFacingError(`${oneLine(error.message)} (quoll --help shows the options)`, 2, { cause: error });
  }
  if (!invocation) throw new UserFacingError("Nothing was asked for (quoll --help shows the options).", 2);
  if (invocation.kind !== "session" || given.ignored.length === 0) return invocation;
  return { ...invocation, options: { ...invocation.options, ignored: given.ignored } };
}

/** The program's declaration; `found` is told what was asked. Reference pages and completions are made from it too. */
export function createProgram(version: string, found: (invocation: Invocation) => void): Command {
  const program = sessionProgram(version, found);
  const policy = [permissionsCommand(found), sandboxCommand(found)];
  const replaying = [sessionsCommand(found), replayCommand(found)];
  for (const command of [...inventoryCommands(found), ...policy, authCommand(found), statsCommand(found), ...replaying])
    program.addCommand(command);
  return program;
}

function sessionProgram(version: string, found: (invocation: Invocation) => void): Command {
  return withProgramOptions(withSessionOptions(new Command("quoll")))
    .description("A coding agent that lives in the terminal.")
    .argument("[prompt]", "what to do; without -p it is the first message of an interactive session")
    .version(version, "-v, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand(false)
    .enablePositionalOptions()
    .action((prompt: string | undefined, options: SessionOptions) => found({ kind: "session", prompt, options }));
}

/** What stands behind `--` is the prompt, even where it is the name of a command. */
function isPromptBehindDashes(argv: readonly string[], commands: readonly Command[]): boolean {
  const dashes = argv.indexOf("--");
  return dashes >= 0 && !argv.slice(0, dashes).some((word) => commands.some((command) => command.name() === word));
}

/** What decides about calls. */
function withPolicyOptions(command: Command): Command {
  return command
    .addOption(new Option("--permission-mode <mode>", "what needs a yes").choices(PERMISSION_MODES))
    .option("--dangerously-skip-permissions", "the same as --permission-mode bypassPermissions")
    .option("--allowed-tools <rules>", "rules that allow, such as `Bash(npm test *)`", collectRules)
    .option("--disallowed-tools <rules>", "rules that deny", collectRules)
    .option("--allow-sandboxed", "commands that stay in the sandbox run without a question")
    .option("--add-dir <folder>", "one more folder to work in (may be repeated)", collect)
    .option("--settings <file|json>", "one more settings file, or its text")
    .option("--trust", "trust this folder, for this run: what its own files allow counts")
    .option("-C, --cwd <folder>", "work in this folder");
}

function withSessionOptions(command: Command): Command {
  return withPolicyOptions(command)
    .option("-p, --print", "print the answer and exit; piped input is added to the prompt")
    .option("-c, --continue", "go on with the newest session of this project")
    .option("-r, --resume [session]", "go on with a session, by its id or the beginning of it")
    .option("--fork-session", "with --continue or --resume: go on in a copy")
    .option("--session-id <id>", "the id of a new session")
    .option("--no-session-persistence", "keep nothing of this session on disk")
    .addOption(new Option("--output-format <format>", "how -p answers").choices(OUTPUT_FORMATS).default("text"))
    .addOption(new Option("--model <name>", "a model id or alias; `offline` needs no account"))
    .option("--tools <names>", "the only tools that the model is given", collectRules)
    .option("--max-turns <n>", "model requests at most", positiveInteger)
    .option("--max-budget-usd <usd>", "US dollars that the session may cost at most", dollars)
    .option("--verbose", "with -p: name each tool call on stderr")
    .option("--debug", "print the stack of an error");
}

/** What scripts and programs say, beside what people do. */
function withProgramOptions(command: Command): Command {
  return command
    .addOption(new Option("--input-format <format>", "how -p is spoken to").choices(INPUT_FORMATS))
    .option("--include-partial-messages", "with stream-json: tell answers while they come")
    .option("--replay-user-messages", "with stream-json both ways: repeat each message when its turn begins")
    .option("--json-schema <json|@file>", "with -p: the JSON schema that the answer must fit")
    .option("--permission-prompt-tool <tool>", "who is asked about calls: an MCP tool, or `stdio` for the other end")
    .option("--system-prompt <text>", "in place of the system prompt")
    .option("--system-prompt-file <file>", "the same, from a file")
    .option("--append-system-prompt <text>", "behind the system prompt")
    .option("--append-system-prompt-file <file>", "the same, from a file")
    .option("--agents <json>", "agents by name; they are listed, and can't run yet")
    .option("--setting-sources <list>", `which settings are read, of ${SETTING_SOURCES.join(", ")}`, settingSources)
    .option("--mcp-config <file|json>", "servers of tools (may be repeated)", collect)
    .option("--strict-mcp-config", "only the servers of --mcp-config")
    .option("--bare", "no instruction files and no servers but those named; only Read, Edit, Write and Bash")
    .option("--fallback-model <list>", "asked in turn when the model is overloaded", names)
    .option("--effort <level>", `how hard the model thinks: ${EFFORTS.join(", ")}`, effortLevel)
    .option("--thinking <mode>", "`adaptive`, `enabled` or `disabled`", thinkingMode)
    .option("--max-thinking-tokens <n>", "the model may think with so many tokens; 0: no thinking", wholeNumber)
    .option("--allow-dangerously-skip-permissions", "let bypassPermissions be entered in mid-session");
}

function inventoryCommands(found: (invocation: Invocation) => void): readonly Command[] {
  const inventory = withFilters(new Command("inventory"))
    .description("list what can be invoked")
    .argument("<kind>", INVENTORY_KINDS.join(", "), oneOf(INVENTORY_KINDS))
    .action((what: string, options: InventoryOptions) => found({ kind: "inventory", what, options }));
  const route = withFilters(new Command("route"))
    .description("rank commands and tools for a prompt")
    .argument("<prompt>")
    .option("--limit <n>", "entries at most", positiveInteger)
    .action((prompt: string, options: RouteOptions) => found({ kind: "route", prompt, options }));
  const show = new Command("show")
    .description("show one command or tool whole")
    .argument("<kind>", "command or tool", oneOf(["command", "tool"]))
    .argument("<name>")
    .action((what: string, name: string) => found({ kind: "show", what, name }));
  const exec = withSessionOptions(new Command("exec"))
    .description("run one tool as a model's call would be run, permissions included")
    .argument("<tool>")
    .requiredOption("--input <json|@file|->", "the tool's input: JSON, a file that holds it, or - for stdin")
    .option("--json", "print the whole result as JSON")
    .action((tool: string, options: ExecOptions) => found({ kind: "exec", tool, options }));
  const models = new Command("models")
    .description("list the models and aliases that are known, with window, price and whether there is a key")
    .option("--json", "as JSON")
    .action(({ json = false }: { json?: boolean }) => found({ kind: "models", json }));
  return [inventory, route, show, exec, models];
}

function permissionsCommand(found: (invocation: Invocation) => void): Command {
  const ask = (action: PermissionsAction, options: PolicyOptions) => found({ kind: "permissions", action, options });
  const list = withPolicyOptions(new Command("list"))
    .description("list every rule in force, with its file and line")
    .option("--json", "as JSON")
    .action((options: PolicyOptions) => ask({ what: "list" }, options));
  const explain = withPolicyOptions(new Command("explain"))
    .description("say what would decide about a call, and what would change it")
    .argument("<call>", "`Bash(npm test)`, `Edit(src/a.ts)` …, or a shell command")
    .option("--json", "as JSON")
    .action((call: string, options: PolicyOptions) => ask({ what: "explain", call }, options));
  const test = withPolicyOptions(new Command("test"))
    .description("check a table of expected verdicts; exit 1 if one differs")
    .argument("<file>", "JSON: [{ call, expect }, …]")
    .option("--verbose", "name each row, not just those that differ")
    .action((file: string, { verbose = false, ...options }: PolicyOptions & { verbose?: boolean }) =>
      ask({ what: "test", file, verbose }, options),
    );
  return new Command("permissions")
    .description("look at what is allowed, asked and denied")
    .addCommand(list)
    .addCommand(explain)
    .addCommand(test);
}

function sandboxCommand(found: (invocation: Invocation) => void): Command {
  const ask = (action: SandboxAction, options: PolicyOptions) => found({ kind: "sandbox", action, options });
  const status = withPolicyOptions(new Command("status"))
    .description("say how commands are confined here")
    .option("--json", "as JSON")
    .action((options: PolicyOptions) => ask({ what: "status" }, options));
  const doctor = withPolicyOptions(new Command("doctor"))
    .description("find out why a sandbox is missing or weak, and how to mend it")
    .option("--json", "as JSON")
    .action((options: PolicyOptions) => ask({ what: "doctor" }, options));
  const run = withPolicyOptions(new Command("run"))
    .description("run a command as the model's commands are run")
    .argument("<command...>", "behind --: the program and its arguments")
    .passThroughOptions()
    .action((command: readonly string[], options: PolicyOptions) => ask({ what: "run", command }, options));
  return new Command("sandbox")
    .description("the operating system's confinement of commands")
    .enablePositionalOptions()
    .addCommand(status)
    .addCommand(doctor)
    .addCommand(run);
}

function withFilters(command: Command): Command {
  return command
    .option("--json", "as JSON")
    .option("--simple", "only the tools of a small prompt")
    .option("--no-mcp", "without what MCP servers offer")
    .option("--deny <prefix>", "without names that begin so (may be repeated)", collect);
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function collectRules(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...splitRules(value)];
}

function names(value: string): readonly string[] {
  return value.split(",").flatMap((name) => name.trim() || []);
}

function settingSources(value: string): readonly SettingSource[] {
  return names(value).map((name) => {
    const source = SETTING_SOURCES.find((one) => one === name);
    if (!source) throw new InvalidArgumentError(`Each must be one of ${SETTING_SOURCES.join(", ")}.`);
    return source;
  });
}

function effortLevel(value: string): Effort {
  // A level between ours that neighbours have.
  const effort = EFFORTS.find((one) => one === (value === "xhigh" ? "high" : value));
  if (!effort) throw new InvalidArgumentError(`It must be one of ${EFFORTS.join(", ")}.`);
  return effort;
}

function thinkingMode(value: string): boolean | undefined {
  if (value === "adaptive") return undefined;
  if (value !== "enabled" && value !== "disabled")
    throw new InvalidArgumentError("It must be adaptive, enabled or disabled.");
  return value === "enabled";
}

function positiveInteger(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError("It must be a whole number from 1.");
  return Number(value);
}

function wholeNumber(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError("It must be a whole number from 0.");
  return Number(value);
}

/** Programs write sums with as many digits as their numbers have: `0.30000000000000004`. */
function dollars(value: string): number {
  if (!/^(?:\d{1,9}(?:\.\d{1,20})?|\.\d{1,20})$/.test(value))
    throw new InvalidArgumentError("It must be a sum in US dollars, such as 2.50.");
  return Number(value);
}

function oneOf(allowed: readonly string[]): (value: string) => string {
  return (value) => {
    if (!allowed.includes(value)) throw new InvalidArgumentError(`It must be one of ${allowed.join(", ")}.`);
    return value;
  };
}

function quiet(command: Command, onHelp: (text: string) => void): void {
  const onError = (text: string) => (text.startsWith("Usage:") ? onHelp(text) : undefined);
  command.exitOverride().configureOutput({ writeOut: onHelp, writeErr: onError });
  for (const child of command.commands) quiet(child, onHelp);
}

function oneLine(message: string): string {
  return (
    message
      .replace(/^error: /, "")
      // What was meant for an option that doesn't exist may be a secret.
      .replace(/^(unknown option '--[^=']+)=.*?'(?= |$)/s, "$1'")
      .replace(/\s*\n\s*/g, " ")
      .replace(/^./, (first) => first.toUpperCase())
  );
}
