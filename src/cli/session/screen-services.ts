import type { Session } from "../../app/session/session.ts";
import type { ReadCall } from "../../contracts/call-record.ts";
import type { TerminalAnswers } from "../../contracts/machine-views.ts";
import type { ShownConversation } from "../../contracts/session.ts";
import type { TaskControl } from "../../contracts/task-control.ts";
import { shortPath } from "../../platform/directories.ts";
import type { SessionParts } from "../../protocol/open-session-port.ts";
import type { SessionSurroundings } from "../../protocol/surroundings-port.ts";
import { namedAgents, watchServers } from "./watch-servers.ts";

/** For a list that is open while a server works on an answer. */
const SLOW_SERVER_WAIT_MS = 5_000;

/** The facts of a session that screens see besides its engine. All screens of a session share them. */
export function sessionSurroundings(session: Session): SessionSurroundings {
  const { app, main, environment, extensions, statusLine, sandbox } = session;
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of [...listeners]) listener();
  };
  extensions.onStatus(changed);
  statusLine.onChanged(changed);
  const sandboxWord = onceKnown(async () => {
    const { kind } = await sandbox.state();
    return kind === undefined ? undefined : kind === "landlock" ? "weak sandbox" : "sandbox";
  }, changed);
  return {
    status() {
      const word = sandboxWord();
      const { cwd } = main.workspace;
      const isSandboxDemanded = environment.settings.sandbox.enabled === true;
      const confinement = word === undefined ? {} : { sandbox: word, isSandboxDemanded };
      const folders = { cwd, shownCwd: shortPath(cwd, app.own.home) };
      return { ...folders, ...confinement, texts: extensions.statusTexts(), ownLines: statusLine.lines };
    },
    look: (screen) => statusLine.look(screen),
    findFiles: session.findFiles,
    watch(watcher) {
      listeners.add(watcher.changed);
      const { servers } = session;
      const unwatch = watchServers({ servers, agents: namedAgents(session) }, watcher);
      return () => {
        listeners.delete(watcher.changed);
        unwatch();
      };
    },
  };
}

/** A word that is determined when it is first read. */
function onceKnown(find: () => Promise<string | undefined>, known: () => void): () => string | undefined {
  let word: string | undefined;
  let isAsked = false;
  return () => {
    if (!isAsked) {
      isAsked = true;
      void find().then((found) => {
        word = found;
        known();
      });
    }
    return word;
  };
}

/**
 * The parts of a session that a screen's port gets.
 * @param answers As for `commandContext`.
 * @param isCopying True if `/resume` copies sessions: one that another Quoll has open can still be copied.
 */
export function sessionParts(session: Session, answers?: () => TerminalAnswers, isCopying = false): SessionParts {
  return {
    engine: session.main.engine,
    surroundings: sessionSurroundings(session),
    tasks: taskControl(session),
    readCall: callReader(session),
    restored: shownConversation(session),
    commands: session.commands.registry,
    context: commandContext(session, isCopying, answers),
  };
}

/** The saved conversation that the session continues; undefined in a new session. */
function shownConversation({ conversation }: Session): ShownConversation | undefined {
  const { restored } = conversation;
  if (!restored) return undefined;
  const { entries, earlierIds, lastId } = restored;
  return {
    entries,
    earlierIds,
    async whole() {
      // A session that is not saved was read whole.
      const { transcriptPath } = conversation;
      if (transcriptPath === "" || lastId === null) return entries;
      const { readSession } = await import("../../services/session/read-session.ts");
      return readSession(transcriptPath, { leafId: lastId }).path;
    },
  };
}

/** Its code is loaded when the person first watches a task. */
function taskControl(session: Session): TaskControl {
  const { tasks, agents, conversation, app } = session;
  const { clock } = app;
  return {
    onChildTask: (listener) =>
      session.agents.subscribe(({ event, parentAgentId }) => {
        if (parentAgentId !== null && "task" in event) listener(event);
      }),
    tasks,
    async follow(id, report, signal) {
      const { followAgent } = await import("../../app/session/notices/follow-agent.ts");
      await followAgent({ tasks, agents, log: conversation.log, id, clock, signal }, report);
    },
  };
}

/** Its code is loaded when the person first looks at a long output. */
function callReader({ main, conversation, tasks, agents }: Session): ReadCall {
  return async (toolUseId, signal) => {
    const { readCall } = await import("../../app/session/actions/read-call.ts");
    const { messages } = main.engine.state;
    const { lastId } = main.engine.conversation;
    const sources = { folder: conversation.artifacts.path, messages, lastId, log: conversation.log, tasks, agents };
    return readCall(sources, toolUseId, signal);
  };
}

/**
 * The services of slash commands, besides the engine. @param answers The terminal's answers; absent if this process
 * does not draw on a terminal.
 */
function commandContext(
  session: Session,
  isCopying: boolean,
  answers?: () => TerminalAnswers,
): SessionParts["context"] {
  const { environment, extensions } = session;
  const { context } = session.commands;
  const { doctor } = context;
  const { list } = context.models;
  return {
    ...context,
    ...(isCopying && { isCopying: true }),
    models: {
      list,
      describe: async () => (await faceServices()).describeModels(environment, extensions.models),
      describeAll: async (signal) =>
        (await faceServices()).describeModels(environment, extensions.models, {
          waitMs: SLOW_SERVER_WAIT_MS,
          signal,
          runsHelpers: true,
        }),
    },
    facts: async () => (await import("../../app/session/session-facts.ts")).sessionFacts(session),
    editors: async () => (await import("../../app/session/settings/editors.ts")).editors(environment),
    sandbox: async () => {
      const { enabled } = environment.settings.sandbox;
      const isBypassed = session.main.permissions.mode === "bypassPermissions" && enabled !== true;
      return {
        findings: await session.sandbox.findings(),
        isSwitchedOff: enabled === false,
        isInUse: (await session.sandbox.state()).kind !== undefined && !isBypassed,
      };
    },
    terminal: async () => (await import("../../app/session/terminal-view.ts")).terminalView(session, answers?.()),
    changes: async () =>
      (await import("../../app/session/session-changes.ts")).sessionChanges(session, context.rewinds),
    folders: async () => (await import("../../app/session/settings/added-folders.ts")).addedFolders(session),
    statusLine: () => session.statusLine.state(),
    settings: async () =>
      (await import("../../app/session/settings/settings-view.ts")).settingsView({
        environment,
        config: session.config,
        context,
      }),
    accounts: {
      list: async () => (await faceServices()).accountsOf(environment).list(),
      save: async (provider, key) => (await faceServices()).accountsOf(environment).save(provider, key),
      saved: async () => (await faceServices()).accountsOf(environment).saved(),
      remove: async (provider) => (await faceServices()).accountsOf(environment).remove(provider),
    },
    ...(doctor && {
      bugReport: async (signal: AbortSignal) =>
        (await import("./bug-report.ts")).writeBugReport(session, doctor, signal),
    }),
  };
}

/** Loaded on demand, since few conversations need it. */
function faceServices() {
  return import("./face-services.ts");
}
