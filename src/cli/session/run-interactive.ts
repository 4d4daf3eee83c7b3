import { AsyncLocalStorage } from "node:async_hooks";
import { join } from "node:path";
import { oneLine } from "@quoll/terminal-text/one-line";
import { firstPrompt } from "../../app/agent/main-agent.ts";
import { type App, openApp } from "../../app/open-app.ts";
import { firstSteps } from "../../app/session/first-steps.ts";
import { openSession } from "../../app/session/open-session.ts";
import type { Session } from "../../app/session/session.ts";
import { chosenTheme } from "../../app/session/settings/themes.ts";
import type { ProjectPorts } from "../../app/session/settle-trust.ts";
import { BUILTIN_COMMANDS } from "../../commands/builtin-commands.ts";
import type { AgentDefinition } from "../../contracts/agent-definition.ts";
import type { Approvable } from "../../contracts/approval.ts";
import { ConfigurationError } from "../../contracts/errors.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import type { ReplHandle, ReplProps, ReplResult } from "../../faces/repl/repl-props.ts";
import type { FirstPaint } from "../../faces/repl/terminal/first-paint.ts";
import { systemClock } from "../../platform/clock.ts";
import { shortPath } from "../../platform/directories.ts";
import { editFile, editText } from "../../platform/edit-file.ts";
import { environment } from "../../platform/env.ts";
import { gitBranch } from "../../platform/git/find-ref.ts";
import { host, printError } from "../../platform/host.ts";
import { freeMemory, suspendJob } from "../../platform/own-process.ts";
import { promptHistory } from "../../platform/prompt-history.ts";
import { isClaimed } from "../../platform/uncaught-errors.ts";
import type { DebugLog } from "../../services/telemetry/debug-log/create-debug-log.ts";
import { sessionDoctor } from "../doctor/session-doctor.ts";
import type { SessionOptions } from "../invocation.ts";
import { watchSignals } from "../signals.ts";
import { closeAloud } from "./close-session.ts";
import { copyToClipboard } from "./copy-to-clipboard.ts";
import { keybindingsFile } from "./open-keybindings-file.ts";
import { ownTerminal } from "./own-terminal.ts";
import { alertSettings, pastePlaceOf, promptSettings } from "./prompt-settings.ts";
import { faultLine, recordedFault } from "./record-faults.ts";
import { sessionParts } from "./screen-services.ts";
import { sessionConfigOf } from "./session-config.ts";
import { startPruning } from "./start-pruning.ts";
import { inWorktree } from "./worktree-option.ts";

const MAX_PATH_COLUMNS = 200;
const OFFLINE_NOTICE =
  "Offline: no model is configured. Type `/login <provider>` or set ANTHROPIC_API_KEY; `what can you do` lists what works without.";

export type InteractiveRun = {
  readonly prompt: string | undefined;
  readonly options: SessionOptions;
  readonly version: string;
  /** The part of the screen that is already drawn. */
  readonly firstPaint: FirstPaint;
  /** Called when the screen takes over the terminal and its signals. */
  started(): void;
};

/** `quoll`: conversations in a terminal, one after another, until the person leaves. */
export async function runInteractive(run: InteractiveRun): Promise<number> {
  // --resume without a session shows a list to choose from.
  const asks = startAsker(run);
  const app = openApp({ version: run.version });
  const notices: string[] = [];
  const { askTrust, askApproval, askAbove } = asks;
  const startupWarning = (line: string) => void notices.push(line);
  const placed = await inWorktree(
    run.options,
    { app, startedIn: host().cwd },
    { askTrust, askApproval, askAbove, startupWarning },
  );
  const { resume, continue: _, forkSession, sessionId, name, ...fresh } = placed.options;
  const choosing = (words: string) => ({ prompt: words, options: fresh, isCopying: forkSession === true });
  let isChoosing = resume === true;
  try {
    const startedAt = app.clock.now();
    const first = { ...run, options: placed.options, app, startedAt, asks, notices };
    let result = await converse({ ...first, ...(isChoosing && choosing("/resume")) }).catch((error: unknown) => {
      if (!isAmbiguous(error) || typeof resume !== "string") throw error;
      isChoosing = true;
      return converse({ ...first, ...choosing(`/resume ${resume}`) });
    });
    // `--fork-session` and `--name` are about the session that is chosen from the first list.
    const forking = forkSession ? { forkSession, ...(sessionId !== undefined && { sessionId }) } : {};
    let copying = isChoosing ? { ...forking, ...(name !== undefined && { name }) } : {};
    while (result.next) {
      const { sessionId: next } = result.next;
      // The chosen conversation continues as the agent that it had.
      const { agent: _, ...others } = fresh;
      const options = next === undefined ? fresh : { ...others, resume: next, ...copying };
      copying = {};
      result = await converse({ options, app, startedAt, asks, notices: [], prompt: undefined, version: run.version });
    }
    return result.exitCode;
  } finally {
    await app.close();
    const stays = await placed.leave();
    if (stays !== undefined) printError(stays);
  }
}

/** True if several saved sessions have the name that the person gave. */
function isAmbiguous(error: unknown): boolean {
  return error instanceof ConfigurationError && error.problem === "severalSessions";
}

type Asks = Required<Pick<ProjectPorts, "askTrust" | "askApproval" | "askAbove">>;

type Conversation = Pick<InteractiveRun, "options" | "prompt" | "version"> &
  Partial<InteractiveRun> & {
    readonly asks: Asks;
    readonly app: App;
    /** When this process began; milliseconds since the epoch. */
    readonly startedAt: number;
    /** Lines from before the conversation. */
    readonly notices: readonly string[];
    /** True if the next conversation is a copy of the one that the person chooses. */
    readonly isCopying?: boolean;
  };

/**
 * Asks about trust and approval on a separate screen. An answer also holds for the conversations that follow, as long
 * as they have no other content than the person saw.
 */
function startAsker({ firstPaint, options }: InteractiveRun): Asks {
  const screen = () => ({ terminal: ownTerminal({ options }), clock: systemClock, firstPaint });
  return {
    askTrust: keptAnswer(async (request) =>
      (await import("../../faces/repl/ask-trust.ts")).askTrust(request, screen()),
    ),
    askApproval: keptAnswer(async (request) =>
      (await import("../../faces/repl/ask-trust.ts")).askApproval(request, screen()),
    ),
    askAbove: async (request) => (await import("../../faces/repl/ask-trust.ts")).askAbove(request, screen()),
  };
}

function keptAnswer<Request extends { readonly items: readonly Approvable[] }, Answer extends string>(
  ask: (request: Request) => Promise<Answer>,
): (request: Request) => Promise<Answer> {
  let last: { readonly answer: Answer; readonly seen: ReadonlySet<string> } | undefined;
  return async (request) => {
    const texts = request.items.map(textOf);
    if (last && texts.every((text) => last?.seen.has(text))) return last.answer;
    const answer = await ask(request);
    last = { answer, seen: new Set(texts) };
    return answer;
  };
}

function textOf({ kind, name, content }: Approvable): string {
  return JSON.stringify([kind, name, content]);
}

async function converse(run: Conversation): Promise<ReplResult> {
  const { options, asks } = run;
  const { askTrust, askApproval, askAbove } = asks;
  const notices = [...run.notices];
  // The screen's code takes the longest to load, so it loads while the session is opened.
  const screen = import("../../faces/repl/run-repl.ts");
  const notify = (line: string) => void notices.push(line);
  const startedIn = host().cwd;
  const config = sessionConfigOf(options, { startedIn, answerer: "person", ...(await wishesOf(options, notify)) });
  let opened: Session | undefined;
  const doctor = sessionDoctor({ app: run.app, config, extensions: () => opened?.extensions });
  const commands = { builtin: BUILTIN_COMMANDS, doctor };
  const session = await openSession(run.app, config, {
    askTrust,
    askApproval,
    askAbove,
    startupWarning: notify,
    commands,
    notifyAtEnd: printError,
  });
  opened = session;
  const first = session.conversation.restored ? undefined : firstSteps(session);
  if (!first && session.choice.provider === "offline" && session.choice.fallback) notices.unshift(OFFLINE_NOTICE);
  const { main: mainAgent } = session.delegation;
  if (mainAgent) notices.unshift(agentNotice(mainAgent, session.environment));
  const theme = await chosenTheme(session.environment, notify);
  let handle: ReplHandle | undefined;
  let stopLog = () => {};
  let stopPruning = () => {};
  const signals = watchSignals(() => handle?.stop(signals.exitCode ?? 1));
  // Runs as Quoll's own code even if the error is one of an extension, whose writes to the terminal are held back.
  const onFault = AsyncLocalStorage.bind((error: unknown) => {
    if (isClaimed(error)) return;
    handle?.restore();
    printError(`${faultLine(recordedFault(error, session))}. The session is saved.`);
    handle?.stop(1);
  });
  process.on("uncaughtException", onFault).on("unhandledRejection", onFault);
  try {
    const { startRepl } = await screen;
    run.started?.();
    const props = replProps(session, { notices, first, theme }, run);
    handle = startRepl(props);
    // After the first frame, because the code of servers and their programs take the processor.
    void handle.drawn.then(() => {
      setImmediate(() => session.servers.start());
      // A plain screen has no place for it.
      if (!props.terminal.isPlain) setImmediate(() => session.statusLine.start());
      setImmediate(() => void offerImport(session));
      stopPruning = startPruning(session, run.startedAt);
    });
    stopLog = logTerminal(session.debugging.log);
    const result = await handle.done;
    return signals.exitCode === undefined ? result : { exitCode: signals.exitCode };
  } catch (error) {
    throw recordedFault(error, session);
  } finally {
    process.off("uncaughtException", onFault).off("unhandledRejection", onFault);
    signals.stop();
    stopLog();
    stopPruning();
    await closeAloud(session);
  }
}

function agentNotice({ name, file }: AgentDefinition, { own, project }: Session["environment"]): string {
  const shown = shortPath(file, own.home, project.root);
  const from = file === "" ? "" : ` (${oneLine(shown, MAX_PATH_COLUMNS)})`;
  return `This conversation works as the agent ${name}${from}.`;
}

/** Runs after the first frame. An offer that fails is no fault of the session. */
async function offerImport(session: Session): Promise<void> {
  try {
    const { offerImport } = await import("./offer-import.ts");
    await offerImport(session);
  } catch (error) {
    session.debugging.noteFault(error);
  }
}

/** The system prompt and servers of the command line; their readers are loaded only if needed. */
async function wishesOf(
  options: SessionOptions,
  notify: (line: string) => void,
): Promise<Pick<SessionConfig, "systemPrompt" | "agents" | "mcp">> {
  const { systemPrompt, systemPromptFile, appendSystemPrompt, appendSystemPromptFile, agents, mcpConfig } = options;
  const { strictMcpConfig: strict } = options;
  const given = [systemPrompt, systemPromptFile, appendSystemPrompt, appendSystemPromptFile, agents];
  // A server may take half a minute to start. The person can read and type in the meantime.
  const mcp = {
    configs: mcpConfig ?? [],
    inProcess: [],
    isInBackground: true,
    ...(strict && { isStrict: true as const }),
  } as const;
  if (options.jsonSchema !== undefined) notify("--json-schema does nothing without -p");
  if (given.every((one) => one === undefined)) return { mcp };
  const { sessionTexts } = await import("./session-texts.ts");
  const texts = await sessionTexts(options);
  const { systemPrompt: prompt, agents: defined } = texts;
  return { ...(prompt && { systemPrompt: prompt }), ...(defined && { agents: defined }), mcp };
}

async function editorEnvironment(project: Session["environment"]) {
  return (await import("../../app/session/settings/editors.ts")).withEditor(environment(), project);
}

type Told = Pick<ReplProps["info"], "notices"> & {
  readonly first: ReplProps["info"]["first"];
  readonly theme: ReplProps["theme"];
};

function replProps(session: Session, { notices, first, theme }: Told, run: Conversation): ReplProps {
  const { version, firstPaint } = run;
  const prompt = firstPrompt(session, run.prompt);
  const { app, environment: projectEnvironment, choice, extensions } = session;
  const { workspace } = session.main;
  const { clock, own } = app;
  const isWithoutModel = choice.provider === "offline" && choice.fallback;
  const terminalSettings = projectEnvironment.settings.terminal ?? {};
  const terminal = ownTerminal({ options: run.options, settings: terminalSettings, cwd: () => workspace.cwd });
  // The settings may want another screen than the file that was looked into first.
  const isBelow = !terminal.isPlain && !terminal.isFull;
  if (!isBelow) firstPaint?.dispose();
  return {
    session: sessionParts(session, terminal.answers, run.isCopying),
    terminal,
    theme,
    editFile: async (file, signal) => {
      (await session.sandbox.beginUnconfined({ makes: [], mayMakeMore: false }, signal)).end();
      return editFile(file, await editorEnvironment(projectEnvironment), signal);
    },
    editText: async (text, signal) => {
      (await session.sandbox.beginUnconfined({ makes: [], mayMakeMore: false }, signal)).end();
      return editText(text, await editorEnvironment(projectEnvironment), signal);
    },
    copyText: copyToClipboard,
    prompt: promptSettings(terminalSettings),
    info: {
      version,
      cwd: shortPath(workspace.cwd, own.home),
      branch: gitBranch,
      isSaved: run.options.sessionPersistence,
      isLater: run.firstPaint === undefined,
      notices,
      ...(first && { first }),
    },
    attention: alertSettings(terminalSettings),
    history: promptHistory(join(own.state, "history", `${projectEnvironment.project.id}.jsonl`), pastePlaceOf(session)),
    clock,
    freeMemory,
    ...(!run.options.safeMode && { keybindings: keybindingsFile(own) }),
    suspend: suspendJob,
    rendererOf: (language) => extensions.renderer(language),
    images: session.images,
    ...(isWithoutModel && {
      findLocalServers: async (signal) => (await import("./face-services.ts")).localServers(projectEnvironment, signal),
    }),
    ...(prompt !== undefined && { initialPrompt: prompt }),
    ...(firstPaint && isBelow && { firstPaint }),
    initialInput: firstPaint?.takeKeys() ?? "",
  };
}

/** Logs the terminal's kind, the startup time and each resize. @returns a function that stops the logging. */
function logTerminal(log: DebugLog | undefined): () => void {
  if (!log) return () => undefined;
  const env = environment();
  const size = () => `${process.stdout.columns}×${process.stdout.rows}`;
  const kind = ["TERM", "COLORTERM", "TERM_PROGRAM", "TMUX"].map((name) => `${name}=${env[name] ?? ""}`).join(" ");
  log.note("ui", `the screen is drawn ${Math.round(performance.now())} ms after the start: ${size()}, ${kind}`);
  const onResize = () => log.note("ui", `the terminal is now ${size()}`);
  process.stdout.on("resize", onResize);
  return () => void process.stdout.off("resize", onResize);
}
