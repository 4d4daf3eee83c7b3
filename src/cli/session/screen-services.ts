import type { Session } from "../../app/session/open-session.ts";
import type { ReadCall } from "../../contracts/call-record.ts";
import type { TerminalAnswers } from "../../contracts/machine-views.ts";
import type { ShownConversation } from "../../contracts/session.ts";
import type { TaskControl } from "../../contracts/task-control.ts";
import type { ReplProps } from "../../faces/repl/repl-props.ts";

/** For a list that is open while a server works on an answer. */
const SLOW_SERVER_WAIT_MS = 5_000;

/** The confinement of commands, in a word for the status line; determined when the first frame is drawn. */
export function sandboxWord({ sandbox }: Session) {
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

/** The saved conversation that the session continues; undefined in a new session. */
export function shownConversation({ conversation, transcriptPath }: Session): ShownConversation | undefined {
  const { restored } = conversation;
  if (!restored) return undefined;
  const { entries, earlierIds, lastId } = restored;
  return {
    entries,
    earlierIds,
    async whole() {
      // A session that is not saved was read whole.
      if (transcriptPath === "" || lastId === null) return entries;
      const [{ readingSession }, { runInSlices }] = await Promise.all([
        import("../../services/session/read-session.ts"),
        import("../../platform/sliced-work.ts"),
      ]);
      return (await runInSlices(readingSession(transcriptPath, { leafId: lastId }))).path;
    },
  };
}

/** Its code is loaded when the person first watches a task. */
export function taskControl(session: Session): TaskControl {
  const { tasks, agents, conversation, app } = session;
  const { clock } = app;
  return {
    onChildTask: (listener) =>
      session.subscribe(({ event, parentAgentId }) => {
        if (parentAgentId !== null && "task" in event) listener(event);
      }),
    stop: (id, signal) => tasks.stop(id, signal, "person"),
    moveToBackground: (id) => void tasks.moveToBackground(id),
    send: (id, message) => tasks.send(id, { message }),
    releaseCall: (toolUseId) => void tasks.releaseCall(toolUseId),
    async follow(id, report, signal) {
      const { followAgent } = await import("../../app/session/notices/follow-agent.ts");
      await followAgent({ tasks, agents, log: conversation.log, id, clock, signal }, report);
    },
  };
}

/** Its code is loaded when the person first looks at a long output. */
export function callReader({ artifacts, main, conversation, tasks, agents }: Session): ReadCall {
  return async (toolUseId, signal) => {
    const { readCall } = await import("../../app/session/actions/read-call.ts");
    const { messages } = main.engine.state;
    const { lastId } = main.engine.conversation;
    const places = { folder: artifacts.path, messages, lastId, log: conversation.log, tasks, agents };
    return readCall(places, toolUseId, signal);
  };
}

/**
 * The services of slash commands, besides the engine. @param answers The terminal's answers; absent if this process
 * does not draw on a terminal.
 */
export function commandContext(session: Session, answers?: () => TerminalAnswers): ReplProps["context"] {
  const { place, extensions } = session;
  const { context } = session.commands;
  const { doctor } = context;
  return {
    ...context,
    models: {
      ...context.models,
      describe: async () => (await faceServices()).describeModels(place, extensions.models),
      describeAll: async (signal) =>
        (await faceServices()).describeModels(place, extensions.models, {
          waitMs: SLOW_SERVER_WAIT_MS,
          signal,
          runsHelpers: true,
        }),
    },
    facts: async () => (await import("../../app/session/session-facts.ts")).sessionFacts(session),
    editors: async () => (await import("../../app/session/settings/editors.ts")).editors(place),
    sandbox: async () => ({
      findings: await session.sandbox.findings(),
      isSwitchedOff: place.settings.sandbox.enabled === false,
    }),
    terminal: async () => (await import("../../app/session/terminal-view.ts")).terminalView(session, answers?.()),
    changes: async () =>
      (await import("../../app/session/session-changes.ts")).sessionChanges(session, context.rewinds),
    folders: async () => (await import("../../app/session/settings/added-folders.ts")).addedFolders(session),
    statusLine: () => session.statusLine.state(),
    settings: async () =>
      (await import("../../app/session/settings/settings-view.ts")).settingsView({ ...session, context }),
    accounts: {
      list: async () => (await faceServices()).accountsOf(place).list(),
      save: async (provider, key) => (await faceServices()).accountsOf(place).save(provider, key),
      saved: async () => (await faceServices()).accountsOf(place).saved(),
      remove: async (provider) => (await faceServices()).accountsOf(place).remove(provider),
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
