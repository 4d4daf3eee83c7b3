import { createTools, type ToolSet } from "../../app/agent/create-tools.ts";
import type { ToolsSession } from "../../app/agent/tools-request.ts";
import { wirePermissions } from "../../app/agent/wire-permissions.ts";
import { lazyFiles } from "../../app/mentions/lazy-file-finder.ts";
import { LIST_TOOLS } from "../../app/session/actions/session-task-list.ts";
import { environmentWith } from "../../app/session/environment-with.ts";
import { type SessionOrphans, sessionOrphans } from "../../app/session/open-orphan-watch.ts";
import type { ProjectEnvironment } from "../../app/session/project-environment.ts";
import { sessionWeb } from "../../app/session/session-web.ts";
import { createSandbox, lazyRedactor } from "../../app/session/wire-safety.ts";
import { MAIN_AGENT } from "../../contracts/agent.ts";
import { AGENT_TOOL } from "../../contracts/agent-definition.ts";
import { NO_HOOKS } from "../../contracts/hook.ts";
import { type AssistantMessage, toolUses } from "../../contracts/message.ts";
import type { PermissionMode } from "../../contracts/permission-mode.ts";
import type { ModelCatalog, Sandbox } from "../../contracts/ports.ts";
import type { Asker, QuestionDesk } from "../../contracts/question.ts";
import { RECALL } from "../../contracts/recall.ts";
import type { RestoredSession, SessionLog } from "../../contracts/session.ts";
import type { Answerer } from "../../contracts/session-config.ts";
import { SKILL_TOOL } from "../../contracts/skill.ts";
import type { SpendGuard } from "../../contracts/spend.ts";
import type { Tool, ToolPorts } from "../../contracts/tool.ts";
import { WEB_FETCH, WEB_SEARCH } from "../../contracts/web.ts";
import { ModelTools } from "../../engine/model-tools.ts";
import { QueryEngine } from "../../engine/query-engine.ts";
import { SessionState } from "../../engine/session-state.ts";
import type { ArtifactFolder } from "../../platform/artifact-folder.ts";
import { randomIds, systemClock } from "../../platform/clock.ts";
import { OpenQuestions } from "../../protocol/open-questions.ts";
import { systemPrompt } from "../../services/context/system-prompt.ts";
import { toolRegistry } from "../../services/inventory/create-registry.ts";
import { modelCatalog } from "../../services/provider/catalog.ts";
import type { CallMatcher } from "../../services/replay/call-matcher.ts";
import type { Playback } from "../../services/replay/playback.ts";
import type { Setup } from "../../services/replay/recording.ts";
import { answerQuestion, type ReplayPolicy, replayPermissions } from "../../services/replay/replay-permissions.ts";
import { absentTool, replayTools } from "../../services/replay/replay-tools.ts";
import { unsavedSessionLog } from "../../services/session/unsaved-session-log.ts";
import { TaskRegistry } from "../../services/tasks/task-registry.ts";
import type { AgentDeps } from "../../services/tools/agent/agent.ts";
import type { SkillDeps } from "../../services/tools/skill/skill.ts";
import type { TaskListDeps } from "../../services/tools/task-list/task-text.ts";

export type ReplayRequest = {
  /** The folders of the scratch copy. */
  readonly environment: ProjectEnvironment;
  readonly playback: Playback;
  readonly matcher: CallMatcher;
  readonly artifacts: ArtifactFolder;
  readonly version: string;
  readonly allowsRecorded: boolean;
  /** The recording is a file of unknown origin. */
  readonly isForeign: boolean;
  readonly setup: Setup | undefined;
  /** The recorded answers for the tools that they name. */
  readonly answers: readonly AssistantMessage[];
  /** The conversation of the earlier processes. */
  readonly restored: Pick<RestoredSession, "entries" | "lastId"> | undefined;
  /** Prints one line. */
  note(line: string): void;
};

export type ReplayEngine = {
  readonly engine: QueryEngine;
  /** The conversation, with which the next process continues. */
  said(): ReplayRequest["restored"];
  close(): Promise<void>;
};

/** A replay buys nothing, so no cap applies. */
const NO_CAPS: SpendGuard = {
  startTurn: () => undefined,
  reserve: async () => ({ settle: async () => undefined }),
  close: async () => undefined,
};
/** The ids of a replay are new ones, so the recording says what Recall found. */
const noNetwork = () => Promise.reject<never>(new Error("A replay reaches no network."));
const noWeb = (environment: ProjectEnvironment, version: string) => ({
  documents: sessionWeb(environment, version, false).documents,
  reader: noNetwork,
});
const NO_RECALL = { forModel: () => Promise.reject(new Error("A replay has no search.")) };
const NO_SKILLS: SkillDeps = {
  find: () => Promise.reject(new Error("A replay starts no skills.")),
  load: () => Promise.reject(new Error("A replay starts no skills.")),
  runInAgent: () => Promise.reject(new Error("A replay starts no skills.")),
};
const NO_AGENTS: AgentDeps = {
  find: () => Promise.reject(new Error("A replay starts no agents.")),
  run: () => Promise.reject(new Error("A replay starts no agents.")),
  earlier: async () => undefined,
  send: () => Promise.reject(new Error("A replay starts no agents.")),
};
const NO_TASK_LIST: TaskListDeps = {
  open: () => Promise.reject(new Error("A replay has no task list.")),
  fire: async () => ({}),
  completed: () => "",
};
/** Tools whose results come from the recording. */
const UNREPLAYED: ReadonlySet<string> = new Set([RECALL, SKILL_TOOL, AGENT_TOOL, WEB_FETCH, WEB_SEARCH, ...LIST_TOOLS]);
const WINDOW_TOKENS = 1_000_000_000;
const UNSAFE: ReadonlySet<PermissionMode> = new Set(["bypassPermissions", "auto"]);

const NO_ANSWERS: Asker = { canAsk: false, ask: async () => ({ decision: "reject" }) };

/** The parts whose work the recording does. */
const ABSENT_PARTS = {
  skills: NO_SKILLS,
  agents: NO_AGENTS,
  taskList: NO_TASK_LIST,
  web: { askPage: noNetwork, searchWeb: noNetwork },
};

/** The engine and tools for one process of a session, with a recording in place of the model. */
export function replayEngine(request: ReplayRequest): ReplayEngine {
  const { playback, matcher, artifacts, setup, note } = request;
  const environment = replayEnvironment(request.environment, modeOf(request));
  const { workspace } = environment;
  const questions = new OpenQuestions(randomIds, answererOf(request));
  const sandbox = createSandbox(environment, artifacts, { onNotice: note, rules: () => own.pathRules() });
  const redactor = lazyRedactor(environment);
  const model = setup?.model ?? request.answers[0]?.model ?? "default";
  const state = new SessionState({ mode: modeOf(request), model: { provider: playback.provider, model }, workspace });
  const { own, permissions } = judges(request, { state, environment, questions, sandbox });
  const toolPorts = replayPorts(setup);
  const orphans = sessionOrphans(environment);
  const session = toolsSession(request, { questions, redactor, orphans });
  const tools = createTools({
    agent: { session, environment, workspace, sandbox, state },
    permissions: own,
    ...ABSENT_PARTS,
    tasks: toolPorts.tasks,
  });
  const there = tools.tools.filter(({ spec }) => !UNREPLAYED.has(spec.name));
  const offered = there.filter(({ spec }) => setup?.tools?.includes(spec.name) ?? true);
  const names = new Set(there.map(({ spec }) => spec.name));
  const log = watchedLog(request);
  const engine = new QueryEngine(
    {
      catalog: roomyCatalog(modelCatalog(environment.settings)),
      clock: systemClock,
      ids: randomIds,
      agent: MAIN_AGENT,
      log,
      state,
      permissions,
      questions,
      tools: new ModelTools(toolRegistry([...replayTools(offered, matcher), ...absentTools(request, names)])),
      toolPorts,
      artifacts,
      redactor,
      cwd: () => workspace.cwd,
      system: systemPrompt({ tools: [...names], instructions: true }),
      spend: NO_CAPS,
      hooks: NO_HOOKS,
      asker: NO_ANSWERS,
      // Modalities that the model no longer supports don't matter, since nothing is sent.
      compactor: [],
      transcriptPath: "",
      describeSession: async () => "",
      selectModel: async (name) => ({ provider: playback.provider, model: name }),
      forgetFiles: () => tools.returnFiles([], []),
      forgetResults: () => undefined,
      endBackgroundWork: () => tools.endBackgroundWork(),
    },
    request.restored ? { restored: request.restored } : {},
  );
  tools.returnFiles([], engine.conversation.messages);
  return {
    engine,
    said: () => saidIn(engine, log),
    close: () => closeAll({ engine, tools, sandbox, orphans }),
  };
}

type Made = Pick<ToolsSession, "questions" | "redactor"> & { readonly orphans: SessionOrphans };

/** The parts of a session for the tools: what the recording does is absent. */
function toolsSession(request: ReplayRequest, { questions, redactor, orphans }: Made): ToolsSession {
  const { artifacts, version, note, environment } = request;
  return {
    app: { version },
    config: { answerer: answererOf(request) },
    conversation: { artifacts },
    questions,
    redactor,
    notices: { notify: note },
    recall: NO_RECALL,
    web: noWeb(environment, version),
    work: { orphans },
  };
}

type Open = {
  readonly engine: QueryEngine;
  readonly tools: ToolSet;
  readonly sandbox: Sandbox;
  readonly orphans: SessionOrphans;
};

async function closeAll({ engine, tools, sandbox, orphans }: Open): Promise<void> {
  engine.interrupt();
  await engine.close();
  await tools.endBackgroundWork();
  await sandbox.close();
  await orphans.close();
}

function saidIn({ conversation: { lastId } }: QueryEngine, log: SessionLog): ReplayRequest["restored"] {
  return lastId === null ? undefined : { entries: log.pathTo(lastId), lastId };
}

/** A log in memory that reports its entries to the playback. */
function watchedLog({ playback, restored }: ReplayRequest): SessionLog {
  const log = unsavedSessionLog({ sessionId: "replay", ...restored });
  const { sessionId, sync, pathTo, viewTo, linksTo } = log;
  return {
    sessionId,
    append(body, place) {
      playback.note(body);
      return log.append(body, place);
    },
    sync,
    pathTo,
    viewTo,
    linksTo,
  };
}

function answererOf({ matcher }: ReplayRequest): Answerer {
  return matcher.wasAlone ? "nobody" : "program";
}

/** The services of calls in a replay: questions and child agents are not available. */
function replayPorts(setup: ReplayRequest["setup"]): ToolPorts {
  return {
    agent: MAIN_AGENT,
    ask: NO_ANSWERS,
    tasks: new TaskRegistry({ clock: systemClock }).seenBy(MAIN_AGENT),
    files: lazyFiles(),
    spawnAgent: () => Promise.reject(new Error("A replay cannot start agents.")),
    forkPoint: () => null,
    findables: () => [],
    hasTool: (name) => setup?.tools?.includes(name) ?? true,
    accepts: () => ({ images: true, documents: true }),
  };
}

type Judging = {
  readonly state: SessionState;
  readonly environment: ProjectEnvironment;
  readonly questions: QuestionDesk;
  readonly sandbox: Sandbox;
};

/** Judges calls and answers their questions: `own` as in any session, `permissions` with the recording. */
function judges(request: ReplayRequest, { state, environment, questions, sandbox }: Judging) {
  const { matcher, artifacts, allowsRecorded, isForeign, note } = request;
  const isConfined = async () => (await sandbox.state()).kind !== undefined;
  const isInCopy = (path: string) => environment.workspace.contains(path);
  const policy: ReplayPolicy = { matcher, allowsRecorded, isForeign, isConfined, isInCopy };
  const own = wirePermissions({
    questions,
    artifacts,
    notify: note,
    folders: { environment, sandbox },
    config: { answerer: "program" },
    agent: { state },
  });
  const edits = wirePermissions({
    questions,
    artifacts,
    notify: note,
    folders: { environment: replayEnvironment(environment, "acceptEdits"), sandbox },
    config: { answerer: "nobody" },
  });
  questions.answerWith(async (question) => {
    questions.reply(question.id, await answerQuestion(question, policy));
  });
  return { own, permissions: replayPermissions(own, edits, policy) };
}

/**
 * The permission mode of the calls. If the recorded session allowed everything or a model decided, the recorded
 * decisions apply instead.
 */
export function replayMode(mode: PermissionMode | undefined): PermissionMode {
  return mode === undefined || UNSAFE.has(mode) ? "default" : mode;
}

function modeOf({ setup, note }: ReplayRequest): PermissionMode {
  const mode = setup?.mode;
  if (mode !== undefined && UNSAFE.has(mode)) note(`the session ran in mode ${mode}; it is replayed in mode default`);
  return replayMode(mode);
}

/**
 * A replay uses nothing of the user's: no network, no credentials, no further folder, and no command outside the
 * sandbox.
 */
function replayEnvironment(environment: ProjectEnvironment, defaultMode: PermissionMode): ProjectEnvironment {
  const { settings } = environment;
  const { network, filesystem, ...sandbox } = settings.sandbox;
  const local = network?.allowLocalBinding === undefined ? {} : { allowLocalBinding: network.allowLocalBinding };
  const ofReplay = {
    ...settings,
    defaultMode,
    passedVariables: [],
    // Files of a copy need no backup.
    guardsDestruction: false,
    sandbox: { ...sandbox, excludedCommands: [], network: local, filesystem: { ...filesystem, allowWrite: [] } },
  };
  return environmentWith(environment, () => ({ settings: ofReplay }));
}

/** The recorded model may be unknown here, and a conversation that fitted its window must not end for lack of room. */
function roomyCatalog(catalog: ModelCatalog): ModelCatalog {
  return {
    resolve: (name) => catalog.resolve(name),
    capabilities: (model) => ({ ...catalog.capabilities(model), contextWindow: WINDOW_TOKENS }),
    cost: (model, usage) => catalog.cost(model, usage),
    list: () => catalog.list(),
  };
}

/** Tools of the recording that are not built in. */
function absentTools({ answers, matcher }: ReplayRequest, builtIn: ReadonlySet<string>): readonly Tool[] {
  const uses = answers.flatMap((answer) => toolUses(matcher.messageOf(answer)));
  const ran = uses.filter(({ id }) => matcher.find(id)?.recorded?.ran).map(({ name }) => name);
  const absent = [...new Set(ran)].filter((name) => !builtIn.has(name) && !isKnown(name, builtIn));
  return absent.map((name) => absentTool(name, matcher));
}

function isKnown(name: string, builtIn: ReadonlySet<string>): boolean {
  return [...builtIn].some((known) => known.toLowerCase() === name.toLowerCase());
}
