import { Command, CommanderError } from "commander";
import { UserFacingError } from "../contracts/errors.ts";
import { authCommand, statsCommand } from "./account/account-arguments.ts";
import { backgroundCommands } from "./background/background-arguments.ts";
import { actions } from "./command-action.ts";
import { completionCommand } from "./completion/completion-command.ts";
import { configCommand } from "./config/config-arguments.ts";
import { groupHelp, withoutAnswers, withoutConversation } from "./help-groups.ts";
import type { Found, Invocation } from "./invocation.ts";
import { loginCommands, serverCommands } from "./mcp/server-arguments.ts";
import { mcpServeCommand } from "./mcp-serve/mcp-serve-arguments.ts";
import { collect, oneOf, positiveInteger } from "./option-values.ts";
import { pluginCommand } from "./plugin/plugin-arguments.ts";
import { replayCommand } from "./replay/replay-arguments.ts";
import {
  asSession,
  isPlainSession,
  ONLY_SESSION,
  parsedQuickly,
  quiet,
  withPolicyOptions,
  withProgramOptions,
  withSessionOptions,
} from "./session-arguments.ts";
import { backupsCommand, sessionsCommand } from "./sessions/sessions-arguments.ts";
import { isStreamInput, withoutUnknown } from "./stream-arguments.ts";
import { assertNoOtherName, assertNotMisspelled, meantOption, withoutHelpWord } from "./subcommand-words.ts";
import { worktreeCommand } from "./worktree/worktree-arguments.ts";

const INVENTORY_KINDS = ["commands", "tools", "agents", "skills"] as const;

/**
 * Reads the command line.
 * @throws {UserFacingError} (exit 2) the command line is wrong; one line gives the problem and where the options are
 * listed.
 */
export function parseArguments(words: readonly string[], version: string): Invocation {
  return parsedQuickly(words) ?? parsedWhole(words, version);
}

function parsedWhole(words: readonly string[], version: string): Invocation {
  let invocation: Invocation | undefined;
  let help = "";
  const found = (asked: Invocation) => {
    invocation = asked;
  };
  const whole = isPlainSession(words) ? sessionProgram(version, found) : createProgram(version, found);
  const names = whole.commands.flatMap((command) => [command.name(), ...command.aliases()]);
  const argv = withoutHelpWord(words, names);
  assertNoOtherName(argv);
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
    const problem = usageError(error.message, called);
    throw new UserFacingError(`${problem} (${nameOf(called)} --help shows the options)`, 2, { cause: error });
  }
  if (!invocation) throw new UserFacingError("No command was given (quoll --help shows the options).", 2);
  if (invocation.kind !== "session") return invocation;
  assertNotMisspelled(argv, names);
  if (given.ignored.length === 0) return invocation;
  return { ...invocation, options: { ...invocation.options, ignored: given.ignored } };
}

/** The command that a line calls. */
function calledCommand(program: Command, argv: readonly string[]): Command {
  let command = program;
  for (const word of argv) {
    const inner = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (!inner) break;
    command = inner;
  }
  return command;
}

/** `quoll permissions explain`. */
function nameOf(command: Command): string {
  return command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();
}

/**
 * Declares the program; `found` receives the parsed command. Reference pages and completions are made from this
 * declaration too.
 */
export function createProgram(version: string, found: (invocation: Invocation) => void): Command {
  const program = sessionProgram(version, found);
  const take: Found = (run) => found({ kind: "command", run });
  const policy = [permissionsCommand(take), sandboxCommand(take), doctorCommand(take)];
  const replaying = [sessionsCommand(take), backupsCommand(take), replayCommand(take)];
  const tools = [mcpCommand(take), pluginCommand(take), worktreeCommand(take)];
  const rest = [...backgroundCommands(take), authCommand(take), statsCommand(take), ...replaying, ...tools];
  for (const command of [...inventoryCommands(take), ...policy, ...rest]) program.addCommand(command);
  groupHelp(program);
  return program;
}

function sessionProgram(version: string, found: (invocation: Invocation) => void): Command {
  return asSession(new Command("quoll"), found).version(version, "-v, --version", "print the version");
}

/** After `--`, or after an option that only a session has, a word is the prompt even if it equals a command's name. */
function isSurelySession(argv: readonly string[], names: readonly string[]): boolean {
  const sign = argv.findIndex((word) => word === "--" || ONLY_SESSION.test(word));
  return sign >= 0 && !argv.slice(0, sign).some((word) => names.includes(word));
}

function inventoryCommands(found: Found): readonly Command[] {
  const run = actions(found, () => import("./inspect/inventory-command.ts"));
  const inventory = withFilters(new Command("inventory"))
    .description("list commands, tools, agents or skills")
    .argument("<kind>", INVENTORY_KINDS.join(", "), oneOf(INVENTORY_KINDS))
    .option("--trust", "for skills and agents: as if this folder were trusted")
    .action(run((code) => code.listInventory));
  const route = withFilters(new Command("route"))
    .description("rank commands and tools for a prompt")
    .argument("<prompt>")
    .option("--limit <n>", "maximum number of entries", positiveInteger)
    .action(run((code) => code.showRoute));
  const show = new Command("show")
    .description("show one command or tool in full")
    .argument("<kind>", "command or tool", oneOf(["command", "tool"]))
    .argument("<name>")
    .action(run((code) => code.show));
  const exec = withoutConversation(withSessionOptions(new Command("exec")))
    .description("run one tool like a call of the model, with permissions")
    .argument("<tool>")
    .requiredOption("--input <json|@file|->", "the tool's input: JSON, a file that holds it, or - for stdin")
    .option("--json", "print the whole result as JSON")
    .action(actions(found, () => import("./inspect/exec-tool.ts"))((code) => code.execTool));
  const models = new Command("models")
    .description("list known models and aliases, with context window, price and whether a key is available")
    .option("--json", "as JSON")
    .action(actions(found, () => import("./account/list-models.ts"))((code) => code.listModels));
  const agents = new Command("agents")
    .description("list the types of agents that the model can start here, by source")
    .option("--json", "as JSON")
    .option("--trust", "as if this folder were trusted")
    .action(({ json = false, trust = false }: { json?: boolean; trust?: boolean }) =>
      found(async () => (await import("./inspect/list-agents.ts")).listAgentTypes({ json, isTrusted: trust })),
    );
  const config = configCommand(found, (command) => withoutAnswers(withProgramOptions(withSessionOptions(command))));
  return [inventory, route, show, exec, models, agents, config, completionCommand(found)];
}

function mcpCommand(found: Found): Command {
  const mcp = new Command("mcp").description("configure MCP servers, or run Quoll as an MCP server").helpCommand(false);
  for (const command of [...serverCommands(found), ...loginCommands(found)]) mcp.addCommand(command);
  return mcp.addCommand(mcpServeCommand(found, withPolicyOptions));
}

function permissionsCommand(found: Found): Command {
  const run = actions(found, () => import("./inspect/permissions-command.ts"));
  const list = withPolicyOptions(new Command("list"))
    .description("list every active rule, with its file and line")
    .option("--json", "as JSON")
    .action(run((code) => code.listRules));
  const explain = withPolicyOptions(new Command("explain"))
    .description("explain which rule or mode decides about a call, and how to change the verdict")
    .argument("<call>", "`Bash(npm test)`, `Edit(src/a.ts)` …, or a shell command")
    .option("--json", "as JSON")
    .action(run((code) => code.explainCall));
  const test = withPolicyOptions(new Command("test"))
    .description("check a table of expected verdicts; exit 1 if one differs")
    .argument("<file>", "JSON: [{ call, expect }, …]")
    .option("--verbose", "print each row, not only differences")
    .action(run((code) => code.testRules));
  return new Command("permissions")
    .description("inspect the permission rules")
    .addCommand(list)
    .addCommand(explain)
    .addCommand(test);
}

function sandboxCommand(found: Found): Command {
  const action = actions(found, () => import("./inspect/sandbox-command.ts"));
  const status = withPolicyOptions(new Command("status"))
    .description("show the sandbox of commands here")
    .option("--json", "as JSON")
    .action(action((code) => code.showStatus));
  const doctor = withPolicyOptions(new Command("doctor"))
    .description("find out why the sandbox is missing or weak, and how to fix it")
    .option("--json", "as JSON")
    .action(action((code) => code.showFindings));
  const run = withPolicyOptions(new Command("run"))
    .description("run a command in the model's sandbox")
    .argument("<command...>", "after --: the program and its arguments")
    .passThroughOptions()
    .action(action((code) => code.runInSandbox));
  return new Command("sandbox")
    .description("the sandbox for commands")
    .enablePositionalOptions()
    .addCommand(status)
    .addCommand(doctor)
    .addCommand(run);
}

function doctorCommand(found: Found): Command {
  return new Command("doctor")
    .description("check everything that Quoll needs; exit 1 if a requirement is missing")
    .option("--json", "as JSON, for a bug report")
    .option("--model <name>", "check this model")
    .option("--settings <file|json>", "another settings file, or JSON text")
    .option("--mcp-config <file|json>", "check these MCP servers (may be repeated)", collect)
    .option("-C, --cwd <folder>", "check this folder")
    .action(actions(found, () => import("./doctor/doctor-command.ts"))((code) => code.runDoctorCommand));
}

/** An argument as the usage line names it, and its meaning. */
function argumentWords(command: Command, name: string): string {
  const about = command.registeredArguments.find((one) => one.name() === name)?.description ?? "";
  return about === "" ? `<${name}>` : `<${name}>: ${about}`;
}

function withFilters(command: Command): Command {
  return command
    .option("--json", "as JSON")
    .option("--simple", "only the tools of a small prompt")
    .option("--no-mcp", "without MCP servers")
    .option("--deny <prefix>", "without names that begin with this prefix (repeatable)", collect);
}

function usageError(message: string, called: Command): string {
  return (
    message
      .replace(/^error: /, "")
      .replace(/^missing required argument '(.+)'$/, (_, name: string) => `missing ${argumentWords(called, name)}`)
      .replace(/^required option '(.+)' not specified$/, "missing $1")
      .replace(/^option '(?:-\w, )?(--[\w-]+) (<.+>)' argument missing$/, "missing $2 after $1")
      .replace(/^option '(?:-\w, )?(--[^']+)' argument ('.*') is invalid\. /s, "$2 is not valid for $1. ")
      .replace(/^command-argument value ('.*') is invalid for argument '(.+?)'\. /s, "$1 is not valid for <$2>. ")
      // The value of an unknown option may be a secret.
      .replace(/^(unknown option '--[^=']+)=.*?'(?= |$)/s, "$1'")
      .replace(/^(unknown option '(--[\w-]+)').*$/s, (whole, start: string, name: string) => {
        const use = meantOption(
          name,
          called.options.map(({ long }) => long),
        );
        return use === undefined ? whole : `${start}: use ${use}`;
      })
      .replace(/\s*\n\s*/g, " ")
      .replace(/^./, (first) => first.toUpperCase())
  );
}
