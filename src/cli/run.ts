import { resolve } from "node:path";
import { StartupCancelledError } from "../app/session/startup-cancelled.ts";
import { type ConfigProblem, ConfigurationError, UserFacingError } from "../contracts/errors.ts";
import { directories, shortPath } from "../platform/directories.ts";
import { environment } from "../platform/env.ts";
import { exitProcess } from "../platform/exit-process.ts";
import { host, printError } from "../platform/host.ts";
import { flushOut, printOut } from "../platform/standard-output.ts";
import { normalizeArguments } from "./arguments.ts";
import type { Invocation } from "./invocation.ts";
import { faultLine, RecordedFault } from "./session/record-faults.ts";
import { parsedQuickly } from "./session-arguments.ts";
import { INTERRUPTED, watchSignals } from "./signals.ts";

/** Runs the command line and ends the process with its exit code. */
export async function run(argv: readonly string[], version: string): Promise<void> {
  process.exitCode = await exitCodeOf(argv, version);
  await flushOut();
  // Keep-alive sockets must not delay the exit.
  exitProcess();
}

async function exitCodeOf(argv: readonly string[], version: string): Promise<number> {
  try {
    return await dispatch(await invocationOf(normalizeArguments(argv), version), version);
  } catch (error) {
    const instead = await meantInstead(error);
    if (instead) return instead === "leave" ? 2 : exitCodeOf(instead, version);
    const isDebug = wantsDebug(argv);
    if (error instanceof UserFacingError) {
      printError(isDebug ? String(error.stack) : `quoll: ${optionMessage(error)}`);
      return error.exitCode;
    }
    const fault = error instanceof RecordedFault ? error.cause : error;
    if (isDebug && fault instanceof Error) printError(String(fault.stack));
    printError(faultLine(error));
    return 1;
  }
}

/** The command line that the person at the terminal means; undefined if there is nothing to ask, or nobody to answer. */
async function meantInstead(error: unknown): Promise<readonly string[] | "leave" | undefined> {
  if (!(error instanceof UserFacingError) || !process.stdin.isTTY || !process.stdout.isTTY) return undefined;
  const { UnknownCommandError } = await import("./subcommand-words.ts");
  if (!(error instanceof UnknownCommandError)) return undefined;
  return (await import("./ask-about-word.ts")).askAboutWord(error);
}

/** The declaration of all subcommands is loaded only for a line that needs it. */
async function invocationOf(words: readonly string[], version: string): Promise<Invocation> {
  const session = parsedQuickly(words);
  if (session) return session;
  const { parseArguments } = await import("./program.ts");
  return parseArguments(words, version);
}

/** Checked without the parser, because the parser's own errors may have to be printed. */
function wantsDebug(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end < 0 ? argv : argv.slice(0, end)).some((word) => /^--debug(?:=|$)/.test(word));
}

async function dispatch(invocation: Invocation, version: string): Promise<number> {
  switch (invocation.kind) {
    case "help":
      printOut(invocation.text);
      return 0;
    case "session":
      return runSession(invocation, version);
    case "config": {
      const { runConfigCommand } = await import("./config/config-command.ts");
      return runConfigCommand(invocation, version);
    }
    case "completion":
      return printCompletion(invocation.shell, version);
    case "exec": {
      const { execTool } = await import("./inspect/exec-tool.ts");
      return execTool(invocation.tool, invocation.options, version);
    }
    case "models":
      return (await import("./account/list-models.ts")).listModels(invocation.json);
    case "permissions": {
      const { runPermissionsCommand } = await import("./inspect/permissions-command.ts");
      return runPermissionsCommand(invocation.action, invocation.options);
    }
    case "sandbox": {
      const { runSandboxCommand } = await import("./inspect/sandbox-command.ts");
      return runSandboxCommand(invocation.action, invocation.options);
    }
    case "doctor": {
      const { runDoctorCommand } = await import("./doctor/doctor-command.ts");
      return runDoctorCommand(invocation.options, version);
    }
    case "auth":
      return (await import("./account/auth-command.ts")).runAuthCommand(invocation.action);
    case "mcp-login":
    case "mcp":
    case "mcp-serve":
    case "plugin":
      return runExtensionCommand(invocation, version);
    case "stats": {
      const { runStatsCommand } = await import("./account/stats-command.ts");
      return runStatsCommand(invocation.options);
    }
    case "sessions": {
      const { exportSession } = await import("./replay/export-session.ts");
      return exportSession(invocation.session, invocation.options, version);
    }
    case "saved":
      return (await import("./sessions/sessions-command.ts")).runSessionsCommand(invocation.action, version);
    case "backups":
      return (await import("./sessions/backups-command.ts")).runBackupsCommand(invocation.action, version);
    case "search": {
      const { searchSessions } = await import("./inspect/search-sessions.ts");
      return searchSessions(invocation.words, invocation.options);
    }
    case "agents":
      return (await import("./inspect/list-agents.ts")).listAgentTypes(invocation);
    case "background":
      return (await import("./background/background-command.ts")).runBackgroundCommand(invocation.action, version);
    case "worktree":
      return (await import("./worktree/worktree-command.ts")).runWorktreeCommand(invocation.action, version);
    case "replay": {
      const { runReplayCommand } = await import("./replay/replay-command.ts");
      return runReplayCommand(invocation.wanted, invocation.options, version);
    }
    default: {
      const { runInventoryCommand } = await import("./inspect/inventory-command.ts");
      return runInventoryCommand(invocation);
    }
  }
}

async function printCompletion(
  shell: Extract<Invocation, { kind: "completion" }>["shell"],
  version: string,
): Promise<number> {
  const [{ completionScript }, { createProgram }] = await Promise.all([
    import("./completion/completion-script.ts"),
    import("./program.ts"),
  ]);
  const program = createProgram(version, () => undefined);
  printOut(completionScript(program, shell));
  return 0;
}

type ExtensionInvocation = Extract<Invocation, { kind: "mcp" | "mcp-login" | "mcp-serve" | "plugin" }>;

async function runExtensionCommand(invocation: ExtensionInvocation, version: string): Promise<number> {
  switch (invocation.kind) {
    case "mcp-login": {
      const { runLoginCommand } = await import("./mcp/login-command.ts");
      return runLoginCommand(invocation);
    }
    case "mcp": {
      const { runMcpCommand } = await import("./mcp/mcp-command.ts");
      return runMcpCommand(invocation.action, version);
    }
    case "mcp-serve": {
      const { serveMcp } = await import("./mcp-serve/serve-mcp.ts");
      return serveMcp(invocation.options, version);
    }
    case "plugin": {
      const { runPluginCommand } = await import("./plugin/plugin-command.ts");
      return runPluginCommand(invocation.action);
    }
  }
}

type SessionInvocation = Extract<Invocation, { kind: "session" }>;

async function runSession(invocation: SessionInvocation, version: string): Promise<number> {
  const { prompt, options } = invocation;
  if (options.bg) {
    const { startBackground } = await import("./background/start-background.ts");
    return startBackground(prompt, options);
  }
  if (options.inputFormat === "stream-json") {
    const { runStream } = await import("./session/run-stream.ts");
    return runStream(prompt, options, version);
  }
  return options.print ? print(invocation, version) : interact(invocation, version);
}

async function print({ prompt, options }: SessionInvocation, version: string): Promise<number> {
  const { runPrint } = await import("./session/run-print.ts");
  return runPrint(prompt, options, version);
}

async function interact({ prompt, options }: SessionInvocation, version: string): Promise<number> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new UserFacingError(
      'An interactive session needs a terminal: use `quoll -p "…"` to get an answer without one.',
      2,
    );
  }
  const [{ paintFirst }, { ownTerminal }] = await Promise.all([
    import("../faces/repl/terminal/first-paint.ts"),
    import("./session/own-terminal.ts"),
  ]);
  const own = directories(environment());
  const cwd = shortPath(resolve(host().cwd, options.cwd ?? "."), own.home);
  const leave = (exitCode: number | undefined) => {
    first.dispose();
    exitProcess(exitCode);
  };
  // In raw mode, Ctrl+C is a key.
  const first = paintFirst(ownTerminal({ options }), { version, cwd }, () => leave(INTERRUPTED));
  const signals = watchSignals(() => leave(signals.exitCode));
  try {
    const { runInteractive } = await import("./session/run-interactive.ts");
    return await runInteractive({ prompt, options, version, firstPaint: first, started: () => signals.stop() });
  } catch (error) {
    first.dispose();
    if (error instanceof StartupCancelledError) return 0;
    throw error;
  } finally {
    signals.stop();
  }
}

/** Adds the related option to a problem of the session's configuration. */
const WITH_OPTION: Readonly<Record<ConfigProblem, (message: string) => string>> = {
  tools: (message) => `--tools: ${message}`,
  agent: (message) => `--agent: ${message}`,
  fallbackModels: (message) => `--fallback-model: ${message}`,
  noSession: (message) => `${message} Leave out --continue to start a new session.`,
  sessionExists: (message) => `${message} To continue that session, use --resume instead of --session-id.`,
  severalSessions: (message) => `${message} Give the id, or more of the name.`,
  sessionOpen: (message) => `${message} To continue in a copy of the session, add --fork-session.`,
};

/** The message of an error for a person at the command line. */
function optionMessage(error: Error): string {
  return error instanceof ConfigurationError ? WITH_OPTION[error.problem](error.message) : error.message;
}
