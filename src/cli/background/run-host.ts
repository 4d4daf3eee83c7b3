import { AsyncLocalStorage } from "node:async_hooks";
import { firstPrompt } from "../../app/agent/main-agent.ts";
import { type App, openApp } from "../../app/open-app.ts";
import { openSession } from "../../app/session/open-session.ts";
import type { Session } from "../../app/session/session.ts";
import { chosenTheme } from "../../app/session/settings/themes.ts";
import type { ProjectPorts } from "../../app/session/settle-trust.ts";
import { BUILTIN_COMMANDS } from "../../commands/builtin-commands.ts";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type { TrustRequest } from "../../contracts/permission.ts";
import { host, printError, printProblem } from "../../platform/host.ts";
import { exitProcess } from "../../platform/own-process.ts";
import { flushOut, printLine } from "../../platform/standard-output.ts";
import { isClaimed } from "../../platform/uncaught-errors.ts";
import { BackgroundRecords } from "../../services/background/io/background-records.ts";
import { sessionDoctor } from "../doctor/session-doctor.ts";
import { faultLine, recordedFault } from "../session/record-faults.ts";
import { sessionConfigOf } from "../session/session-config.ts";
import { mcpOf, sessionTexts } from "../session/session-texts.ts";
import { inWorktree, type PlacedOptions } from "../session/worktree-option.ts";
import { watchSignals } from "../signals.ts";
import { BackgroundHost } from "./background-host.ts";
import type { HostReport, HostRequest } from "./host-request.ts";

const NO_MODEL =
  "No model is configured, so there is nothing to do in the background: type `/login <provider>` in `quoll`, or set ANTHROPIC_API_KEY.";

/** Runs as the host of a background session until the session ends. The first line on stdout is a `HostReport`. */
export async function runHost(id: string, version: string): Promise<never> {
  // The starting process stops reading stdout when it has the report.
  process.stdout.on("error", () => undefined);
  try {
    const warnings: string[] = [];
    const background = await openHost(id, version, warnings);
    const done = guard(background);
    await background.open();
    report({ isOpen: true, warnings });
    await flushOut();
    await background.done;
    done();
  } catch (error) {
    const exitCode = error instanceof UserFacingError ? error.exitCode : 1;
    const message = error instanceof UserFacingError ? error.message : errorMessage(error);
    printProblem(message);
    report({ isOpen: false, message, exitCode });
    await flushOut();
    process.exitCode = exitCode;
  }
  return exitProcess();
}

function report(line: HostReport): void {
  printLine(JSON.stringify(line));
}

async function openHost(id: string, version: string, warnings: string[]): Promise<BackgroundHost> {
  const app = openApp({ version });
  const { prompt, options } = new BackgroundRecords(app.own.state).takeRequest(id) as HostRequest;
  const startupWarning = (line: string) => void warnings.push(line);
  const ports = { startupWarning, askTrust: refuseTrust, warnings };
  const startedIn = host().cwd;
  const placed = await inWorktree(options, { app, startedIn }, ports);
  try {
    return await openPlaced({ id, app, prompt, placed, startedIn, ports });
  } catch (error) {
    await placed.leave();
    throw error;
  }
}

type Placing = {
  readonly id: string;
  readonly app: App;
  readonly prompt: string | undefined;
  readonly placed: PlacedOptions;
  readonly startedIn: string;
  readonly ports: ProjectPorts & { readonly warnings: readonly string[] };
};

async function openPlaced({ id, app, prompt, placed, startedIn, ports }: Placing): Promise<BackgroundHost> {
  const { outputSchema: _, ...texts } = await sessionTexts(placed.options);
  const config = sessionConfigOf(placed.options, { startedIn, answerer: "person", ...texts, ...mcpOf(placed.options) });
  const doctor = sessionDoctor({ app, config, extensions: () => undefined });
  const { startupWarning } = ports;
  const atEnd: string[] = [];
  const notifyAtEnd = (line: string) => void atEnd.push(line);
  const commands = { builtin: BUILTIN_COMMANDS, doctor };
  const session = await openSession(app, config, { startupWarning, askTrust: refuseTrust, commands, notifyAtEnd });
  if (session.choice.provider === "offline" && session.choice.fallback) {
    await session.close();
    throw new UserFacingError(NO_MODEL);
  }
  try {
    await assertCommand(session, prompt);
  } catch (error) {
    await session.close();
    throw error;
  }
  const first = firstPrompt(session, prompt);
  const leave = async () => {
    const stays = await placed.leave();
    return [...atEnd, ...(stays === undefined ? [] : [stays])];
  };
  const theme = await chosenTheme(session.environment, ports.startupWarning);
  return new BackgroundHost({ id, session, startedIn, prompt: first, notices: ports.warnings, theme, leave });
}

/** @throws {UserFacingError} (exit 2) the prompt is a command that does not exist or needs a screen. */
async function assertCommand({ commands }: Session, prompt = ""): Promise<void> {
  if (!prompt.startsWith("/")) return;
  commands.assertNeedsNoScreen(prompt);
  await commands.assertKnown(prompt, new AbortController().signal);
}

/** @throws {UserFacingError} always: nobody can be asked here. */
async function refuseTrust({ root }: TrustRequest): Promise<never> {
  throw new UserFacingError(
    `The folder ${root} is not trusted yet: start quoll there once to decide, or add --trust for this session.`,
    2,
  );
}

/** Ends the host at a signal and at a fault. @returns the function that removes the guard. */
function guard(background: BackgroundHost): () => void {
  const signals = watchSignals(
    () => void background.end({ state: "failed", why: "interrupted", problem: "interrupted" }),
  );
  const onFault = AsyncLocalStorage.bind((error: unknown) => {
    if (isClaimed(error)) return;
    const line = faultLine(recordedFault(error, background.session));
    printError(line);
    void background.end({ state: "failed", why: line, problem: line });
  });
  process.on("uncaughtException", onFault).on("unhandledRejection", onFault);
  return () => {
    signals.stop();
    process.off("uncaughtException", onFault).off("unhandledRejection", onFault);
  };
}
