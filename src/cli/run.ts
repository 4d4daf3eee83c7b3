import { resolve } from "node:path";
import { StartupCancelledError } from "../app/session/startup-cancelled.ts";
import { type ConfigProblem, ConfigurationError, UserFacingError } from "../contracts/errors.ts";
import { directories, shortPath } from "../platform/directories.ts";
import { environment } from "../platform/env.ts";
import { host, printError } from "../platform/host.ts";
import { exitProcess } from "../platform/own-process.ts";
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
  if (invocation.kind === "session") return runSession(invocation, version);
  if (invocation.kind === "command") return invocation.run(version);
  printOut(invocation.text);
  return 0;
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
