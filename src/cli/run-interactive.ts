import { join } from "node:path";
import { clearCommand } from "../commands/clear.ts";
import { costCommand } from "../commands/cost.ts";
import { effortCommand } from "../commands/effort.ts";
import { exitCommand } from "../commands/exit.ts";
import { helpCommand } from "../commands/help.ts";
import { loginCommand } from "../commands/login.ts";
import { modelCommand } from "../commands/model.ts";
import { permissionsCommand } from "../commands/permissions.ts";
import { portsCommand } from "../commands/ports.ts";
import { queueCommand } from "../commands/queue.ts";
import { resumeCommand } from "../commands/resume.ts";
import { thinkingCommand } from "../commands/thinking.ts";
import type { Command } from "../contracts/command.ts";
import { errorMessage } from "../contracts/errors.ts";
import type { TrustRequest } from "../contracts/permission.ts";
import type { Clock } from "../contracts/ports.ts";
import type { FirstPaint } from "../faces/repl/first-paint.ts";
import type { ReplHandle, ReplProps, ReplResult } from "../faces/repl/repl-props.ts";
import { systemClock } from "../platform/clock.ts";
import { shortPath } from "../platform/directories.ts";
import { editFile } from "../platform/edit-file.ts";
import { environment } from "../platform/env.ts";
import { gitBranch } from "../platform/git-head.ts";
import { complain } from "../platform/host.ts";
import { promptHistory } from "../platform/prompt-history.ts";
import { suspendJob } from "../platform/suspend.ts";
import { listSessions } from "../services/session/list-sessions.ts";
import type { TrustAnswer } from "./open-place.ts";
import type { SessionOptions } from "./program.ts";
import { watchSignals } from "./signals.ts";
import { declaredInventory } from "./surface.ts";
import { watchPlace } from "./watch-place.ts";
import { type Wired, type WireRequest, wire } from "./wire.ts";

const OFFLINE_NOTICE =
  "Offline: no model is configured. Type `/login <provider>` or set ANTHROPIC_API_KEY; `what can you do` lists what works without.";

export type InteractiveRun = {
  readonly prompt: string | undefined;
  readonly options: SessionOptions;
  readonly version: string;
  /** What stands on the screen already. */
  readonly firstPaint: FirstPaint;
  /** Called when the screen is ours, signals included. */
  started(): void;
};

/** `quoll`: conversations in a terminal, one after another, until the person leaves. */
export async function runInteractive(run: InteractiveRun): Promise<number> {
  // --resume without a name is answered on the screen, where one can choose.
  const { resume, ...rest } = run.options;
  const isChoosing = resume === true;
  const askTrust = trustAsker(run);
  let result = await converse({ ...run, askTrust, ...(isChoosing && { prompt: "/resume", options: rest }) });
  while (result.next) {
    const { continue: _, forkSession: __, sessionId: ___, ...kept } = rest;
    const options = { ...kept, resume: result.next.sessionId };
    result = await converse({ options, askTrust, prompt: undefined, version: run.version });
  }
  return result.exitCode;
}

type AskTrust = (request: TrustRequest) => Promise<TrustAnswer>;

type Conversation = Pick<InteractiveRun, "options" | "prompt" | "version"> &
  Partial<InteractiveRun> & { readonly askTrust: AskTrust };

/** Asks on a screen of its own; a yes for this session holds for the conversations that follow. */
function trustAsker({ firstPaint }: InteractiveRun): AskTrust {
  let kept: TrustAnswer | undefined;
  return async (request) => {
    if (kept !== undefined) return kept;
    const { askTrust } = await import("../faces/repl/ask-trust.ts");
    const answer = await askTrust(request, { terminal: terminal(), clock: systemClock, firstPaint });
    if (answer !== "exit") kept = answer;
    return answer;
  };
}

function terminal() {
  const { stdin, stdout, stderr } = process;
  return { stdin, stdout, stderr, isDumb: environment()["TERM"] === "dumb" };
}

async function converse(run: Conversation): Promise<ReplResult> {
  const { options, version } = run;
  const notices: string[] = [];
  // The screen's code is the largest part of the start: it loads while the rest is put together.
  const screen = import("../faces/repl/run-repl.tsx");
  const { askTrust } = run;
  const warn = (line: string) => void notices.push(line);
  const wired = await wire({
    options,
    version,
    answerer: "person",
    askTrust,
    warn,
    ...(await wishesOf(options, warn)),
  });
  if (wired.choice.provider === "offline" && wired.choice.fallback) notices.unshift(OFFLINE_NOTICE);
  let handle: ReplHandle | undefined;
  const signals = watchSignals(() => handle?.stop(signals.exitCode ?? 1));
  const onFault = (error: unknown) => {
    handle?.restore();
    complain(`quoll: a fault of Quoll itself: ${errorMessage(error)} The session is saved.`);
    handle?.stop(1);
  };
  process.on("uncaughtException", onFault).on("unhandledRejection", onFault);
  try {
    const { startRepl } = await screen;
    run.started?.();
    handle = startRepl(replProps(wired, notices, run));
    const result = await handle.done;
    return signals.exitCode === undefined ? result : { exitCode: signals.exitCode };
  } finally {
    process.off("uncaughtException", onFault).off("unhandledRejection", onFault);
    signals.stop();
    const ended = await wired.close();
    if (ended.length > 0) complain(`Ended what still ran in the background: ${ended.join(", ")}`);
  }
}

/** System prompt and servers of the command line; what reads them is loaded where there are any. */
async function wishesOf(
  options: SessionOptions,
  warn: (line: string) => void,
): Promise<Pick<WireRequest, "systemPrompt" | "mcp">> {
  const { systemPrompt, systemPromptFile, appendSystemPrompt, appendSystemPromptFile, agents, mcpConfig } = options;
  const given = [systemPrompt, systemPromptFile, appendSystemPrompt, appendSystemPromptFile, agents, mcpConfig];
  if (options.jsonSchema !== undefined) warn("--json-schema does nothing without -p");
  if (given.every((one) => one === undefined)) return {};
  const [{ mcpOf, sessionTexts }, { agentsRemark }] = await Promise.all([
    import("./session-texts.ts"),
    import("../faces/headless/agents.ts"),
  ]);
  const texts = await sessionTexts(options);
  const remark = agentsRemark(texts.agents);
  if (remark !== undefined) warn(remark);
  return { ...(texts.systemPrompt && { systemPrompt: texts.systemPrompt }), ...inBackground(mcpOf(options)) };
}

/** A server may take half a minute to start: a person can read and type meanwhile. */
function inBackground({ mcp }: Pick<WireRequest, "mcp">): Pick<WireRequest, "mcp"> {
  return mcp ? { mcp: { ...mcp, isInBackground: true } } : {};
}

/** How commands are confined, in a word for the status line; the machine is asked when the first frame is drawn. */
function sandboxWord({ sandbox }: Wired) {
  let word: string | undefined;
  let isAsked = false;
  let changed: () => void = () => undefined;
  const read = () => {
    if (!isAsked) {
      isAsked = true;
      void sandbox.state().then(({ kind }) => {
        word = kind === undefined ? undefined : kind === "landlock" ? "weak sandbox" : "sandbox";
        changed();
      });
    }
    return word;
  };
  const onKnown = (listener: () => void) => {
    changed = listener;
  };
  return { read, onKnown };
}

function replProps(wired: Wired, notices: readonly string[], run: Conversation): ReplProps {
  const { prompt, version, firstPaint } = run;
  const { engine, catalog, permissions, workspace, clock, directories, place, choice } = wired;
  const isWithoutModel = choice.provider === "offline" && choice.fallback;
  const sandbox = sandboxWord(wired);
  const terminalSettings = place.settings.terminal ?? {};
  return {
    engine,
    commands: createCommands(clock),
    context: {
      inventory: declaredInventory(),
      permissions,
      models: { list: () => catalog.list(), describe: async () => (await faceServices()).describeModels(place) },
      accounts: {
        list: async () => (await faceServices()).accountsOf(place).list(),
        save: async (provider, key) => (await faceServices()).accountsOf(place).save(provider, key),
      },
      spend: wired.spend,
      ports: wired.ports,
      sessions: { list: async () => listSessions(wired.sessionsFolder) },
    },
    terminal: terminal(),
    editFile: async (file, signal) => {
      (await wired.sandbox.beginOutside({ makes: [], mayMakeMore: false }, signal)).end();
      return editFile(file, environment(), signal);
    },
    info: {
      version,
      cwd: shortPath(workspace.cwd, directories.home),
      branch: () => gitBranch(workspace.cwd),
      get sandbox() {
        return sandbox.read();
      },
      isSaved: run.options.sessionPersistence,
      notices,
    },
    attention: { notifications: terminalSettings.notifications ?? true, title: terminalSettings.title ?? true },
    history: promptHistory(join(directories.state, "history", `${wired.projectId}.jsonl`)),
    clock,
    suspend: suspendJob,
    watch: (told) => watchPlace({ mcp: wired.mcp, onSandbox: sandbox.onKnown }, told),
    ...(isWithoutModel && { findLocalServers: async (signal) => (await faceServices()).localServers(place, signal) }),
    ...(prompt !== undefined && { initialPrompt: prompt }),
    ...(firstPaint && { firstPaint }),
  };
}

/** What few conversations need, loaded when one does. */
function faceServices() {
  return import("./face-services.ts");
}

function createCommands(clock: Clock): readonly Command[] {
  // The first one is marked when the list opens: it must not change anything.
  return [
    helpCommand(),
    clearCommand(),
    costCommand(),
    effortCommand(),
    exitCommand(),
    loginCommand(),
    modelCommand(),
    permissionsCommand(),
    portsCommand(),
    queueCommand(),
    resumeCommand(clock),
    thinkingCommand(),
  ];
}
