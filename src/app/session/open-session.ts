import { join } from "node:path";
import { MAIN_AGENT } from "../../contracts/agent.ts";
import type { AgentDefinition } from "../../contracts/agent-definition.ts";
import type { Command } from "../../contracts/command.ts";
import type { EventEnvelope } from "../../contracts/event.ts";
import type { FindFiles } from "../../contracts/file-mention.ts";
import type { Files } from "../../contracts/files.ts";
import type { Hooks } from "../../contracts/hook.ts";
import type { ImagePasting } from "../../contracts/pasted-image.ts";
import type { ModelCatalog, Redactor, Sandbox } from "../../contracts/ports.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import type { Tasks } from "../../contracts/task.ts";
import type { SessionState } from "../../engine/session-state.ts";
import { randomIds } from "../../platform/clock.ts";
import { shortPath } from "../../platform/directories.ts";
import { entryExists } from "../../platform/paths.ts";
import { OpenQuestions } from "../../protocol/open-questions.ts";
import type { ProviderChoice } from "../../services/provider/choose-provider.ts";
import { agentStore, takeInterruptedAgents } from "../agent/agent-store.ts";
import { hidingUnwanted } from "../agent/choose-tools.ts";
import type { Delegation } from "../agent/delegation.ts";
import { hidingForAgent, leaseAgentHooks } from "../agent/main-agent.ts";
import { type Agent, openAgent } from "../agent/open-agent.ts";
import { SessionAgents } from "../agent/session-agents.ts";
import { type Closers, opening } from "../closers.ts";
import type { OpenExtensions } from "../extensions/session-extensions.ts";
import { openHooks } from "../hooks/open-hooks.ts";
import type { SessionHooks } from "../hooks/session-hooks.ts";
import { agentServers } from "../mcp/agent-servers.ts";
import { type LateServers, lateServers } from "../mcp/connect-servers.ts";
import { withHooks } from "../mcp/hooked-elicit.ts";
import type { McpPorts } from "../mcp/wire-mcp.ts";
import { lazyFileFinder, lazyFiles } from "../mentions/lazy-file-finder.ts";
import type { App } from "../open-app.ts";
import { skillApprover } from "../skills/approve-skill.ts";
import type { OpenSkills } from "../skills/open-skills.ts";
import { LazyStatusLine } from "../status-line/lazy-status-line.ts";
import { type CommandPorts, type SessionCommands, sessionCommands } from "./actions/session-commands.ts";
import { sessionImages } from "./actions/session-images.ts";
import { SessionTaskList } from "./actions/session-task-list.ts";
import { sessionTasks } from "./actions/session-tasks.ts";
import { openCheckpoints } from "./checkpoints/open-checkpoints.ts";
import { closeMain } from "./close-main.ts";
import { firstState } from "./first-state.ts";
import { sessionRecalls } from "./notes/session-recalls.ts";
import { followTurns } from "./notices/follow-turns.ts";
import { leftOverLines } from "./notices/left-over-lines.ts";
import { PersonNotices } from "./notices/person-notices.ts";
import { type SessionWatch, watchSession } from "./notices/watch-session.ts";
import type { SessionConversation } from "./open-conversation.ts";
import { sessionOrphans } from "./open-orphan-watch.ts";
import type { ProjectEnvironment } from "./project-environment.ts";
import { type Debugging, openDebugging } from "./records/lazy-debug-log.ts";
import { lazyTelemetry } from "./records/lazy-telemetry.ts";
import { chargesBefore, SessionSpending } from "./records/session-spending.ts";
import { mainFolders } from "./session-folders.ts";
import { openSessionModel, type SessionModel } from "./session-model.ts";
import type { PromptAdditions } from "./session-prompt.ts";
import { sessionWeb } from "./session-web.ts";
import { connectSettings, keepRules } from "./settings/connect-settings.ts";
import type { ProjectPorts } from "./settle-trust.ts";
import type { TakingUp } from "./take-up.ts";
import { wireExtensions } from "./wire-extensions.ts";

/** The callbacks that a session gets in addition to its configuration. */
export type SessionPorts = ProjectPorts & {
  readonly hooks?: Hooks;
  readonly mcp?: McpPorts;
  /** The slash commands; by default none. */
  readonly commands?: CommandPorts;
  /** The files that tools read and change; by default those on the disk. */
  readonly files?: Files;
  /** Tells the person one line about a rewind that was interrupted and is finished now; by default `warn` does. */
  tellRewind?(line: string): void;
  /** Tells the person one line when the session has ended; by default `warn` does. */
  tellAtEnd?(line: string): void;
};

/** One conversation with all parts that its agents share. */
export type Session = AsyncDisposable & {
  readonly app: App;
  readonly config: SessionConfig;
  readonly place: ProjectEnvironment;
  readonly catalog: ModelCatalog;
  readonly choice: ProviderChoice;
  readonly conversation: SessionConversation;
  readonly sandbox: Sandbox;
  /** The remaining budget under the caps, for `/cost`. */
  readonly spend: Pick<SessionSpending, "status">;
  redactor(): Promise<Redactor>;
  /** Telemetry and the debug log. */
  readonly watch: SessionWatch;
  readonly hooks: SessionHooks;
  /** The debug log, if there is one, and the recorder for the stack of a fault. */
  readonly debugging: Debugging;
  /** Reports the events of all agents; an event names its agent. @returns the function that removes the reader. */
  subscribe(reader: (envelope: EventEnvelope) => void): () => void;
  /** The agent that the person talks with. */
  readonly main: Agent;
  /** The main agent's mutable state: mode, model, effort, thinking, working folder, prompts. */
  readonly state: SessionState;
  readonly commands: SessionCommands;
  readonly skills: OpenSkills;
  readonly delegation: Delegation;
  /** The agents and the background work. */
  readonly tasks: Tasks;
  /** The agents that work for the tasks. */
  readonly agents: Pick<SessionAgents, "get" | "lastEntryOf">;
  /** The definition that the main conversation works as. */
  readonly mainAgent?: AgentDefinition;
  readonly extensions: OpenExtensions;
  /** The text that the settings add to the system prompt. */
  readonly additions: PromptAdditions;
  /** The MCP servers. */
  readonly servers: Pick<LateServers, "client" | "open" | "start" | "isExpecting" | "known" | "onClient">;
  /** Writes allow rules to the user's own file for this project. @throws {UserFacingError} it can't be written. */
  rememberRules(rules: readonly string[]): Promise<void>;
  /** Accepts the images that the person pastes. */
  readonly images: ImagePasting;
  /** Finds files for the mentions of a prompt. */
  readonly findFiles: FindFiles;
  /** The person's custom lines below the prompt. */
  readonly statusLine: LazyStatusLine;
  /** Ends the turn, background work and the session. @returns one phrase for each task that was still running. */
  close(): Promise<readonly string[]>;
};

/**
 * Opens a session and its first agent. If opening fails half-way, everything that was opened is freed.
 * @throws {UserFacingError} the user can fix the problem: a setting, an option, a missing key, a locked session.
 * @throws {StartupCancelledError} the person chose to leave when asked about the folder.
 */
export async function openSession(app: App, config: SessionConfig, ports: SessionPorts): Promise<Session> {
  const session = await opening((closers) => assemble({ app, config, ports, closers }));
  const checkpoints = join(app.own.data, "checkpoints", session.place.project.id);
  if (!entryExists(join(checkpoints, "rewinding"))) return session;
  const { finishOtherRewinds } = await import("./checkpoints/finish-other-rewinds.ts");
  const open = (saved: SessionConfig, given: SessionPorts) =>
    opening((closers) => assemble({ app, config: saved, ports: given, closers }));
  await finishOtherRewinds(session, { checkpoints, open, warn: ports.warn });
  return session;
}

type Opening = {
  readonly app: App;
  readonly config: SessionConfig;
  readonly ports: SessionPorts;
  readonly closers: Closers;
};

async function assemble(opening: Opening): Promise<Session> {
  const { app, ports, closers } = opening;
  const chosen = await openSessionModel(opening);
  const { config } = chosen;
  const records = await openRecords(opening, chosen);
  const parts = { app, closers, ...chosen, ...records, ...(await guards(opening, chosen, records)) };
  const { teller, questions, telemetry, agents, ...shared } = parts;
  const folders = mainFolders(parts);
  const { sandbox } = folders;
  const late: { servers?: LateServers } = {};
  const state = firstState(config, { ...parts, workspace: folders.workspace });
  const images = sessionImages({ place: parts.place, catalog: parts.catalog, main: () => main });
  const main: Agent = openAgent({
    ...{ ...parts, state, warn: teller.tell },
    ...{ folders, place: folders.place, workspace: folders.workspace, sandbox },
    files: ports.files ?? lazyFiles(),
    servers: agentServers(parts, () => late.servers),
    images,
    source: MAIN_AGENT,
  });
  parts.hooks.follow(main);
  const ended: string[] = [];
  closers.defer(async () => ended.push(...(await closeMain(main, ports))));
  telemetry?.tellFirstLoss(teller.tell);
  connectSettings(parts.place, main.permissions, parts);

  const shown = { permissions: hidingUnwanted(hidingForAgent(main.permissions, parts.mainAgent), config) };
  const servers = lateServers(
    { config, ports: withHooks(ports.mcp, parts) },
    { ...parts, ...main, ...shown, ...ports, sandbox, tell: teller.tell },
  );
  late.servers = servers;
  const session = { ...parts, main, sandbox, servers, folders, warn: ports.warn, tell: teller.tell };
  followTurns(session);
  closers.defer(() => servers.close());
  await servers.begin();
  await takeUp(session, ports);
  await takeInterruptedAgents(session);

  const close = async () => {
    await closers.close();
    return ended;
  };
  closers.defer(() => teller.stop());
  const known = app.opened({ close });
  closers.defer(() => known.closed());
  return {
    ...{ ...shared, state, sandbox, main, agents },
    tasks: parts.tasks.seenBy(MAIN_AGENT),
    commands: sessionCommands(ports.commands ?? { builtin: [] }, session),
    subscribe: (reader) => agents.subscribe(reader),
    servers,
    rememberRules: (rules) => keepRules(parts.place, rules),
    images: images.paste,
    findFiles: lazyFileFinder(session),
    statusLine: new LazyStatusLine(session, closers),
    close,
    [Symbol.asyncDispose]: async () => void (await close()),
  };
}

/** A new session has nothing to take up but the worktree that it starts in. */
async function takeUp(resumed: TakingUp, ports: SessionPorts): Promise<void> {
  if (resumed.conversation.restored) return (await import("./take-up.ts")).takeUp(resumed, ports);
  const others = await resumed.main.worktree?.hold();
  if (others !== undefined) ports.warn(others);
}

/** Opens the records of the session: its files on disk and its telemetry. */
async function openRecords({ app, config, ports, closers }: Opening, chosen: SessionModel) {
  const { place, catalog, choice, redactor, conversation } = chosen;
  const { clock, own, version } = app;
  const { warn } = ports;
  const { project } = place;
  const { sessionId } = conversation.log;
  const leftOver = await leftOverLines(app, place, conversation.restored);
  for (const warning of [...conversation.warnings, ...leftOver]) warn(warning);
  const isInteractive = ports.askTrust !== undefined;
  const telemetry = await lazyTelemetry({ place, version, warn, catalog, sessionId, isInteractive, redactor });
  closers.defer(() => telemetry?.close());
  const debugging = await openDebugging({
    around: app,
    version,
    sessionId,
    topics: config.debug,
    isSaved: config.isSaved,
    about: [`in ${shortPath(project.cwd, own.home)}, with ${choice.model}`],
    clock,
    redactor,
    warn,
  });
  closers.defer(() => debugging.close());
  const watch = watchSession(telemetry, debugging.log);
  const earlierCharges = await chargesBefore(conversation, own.data, warn);
  const taskList = new SessionTaskList({
    ...{ config, data: own.data, projectId: project.id, name: place.settings.taskList },
    folder: conversation.artifacts.path,
  });
  const recall = sessionRecalls({ own, project, conversation, settings: place.settings, redactor });
  closers.defer(() => recall.close());
  return {
    recall,
    web: sessionWeb(place, version),
    searches: await canSearch(chosen),
    taskList,
    telemetry,
    debugging,
    watch,
    earlierCharges,
  };
}

type Records = Awaited<ReturnType<typeof openRecords>>;

/** Makes the parts that ask and notify the person, run hooks and limit the spending. */
async function guards(
  { app, config, ports, closers }: Opening,
  { place, catalog, access, redactor, extensions, conversation, mainAgent }: SessionModel,
  { watch, debugging }: Records,
) {
  const questions = new OpenQuestions(randomIds, config.answerer);
  const agents = new SessionAgents(watch);
  const teller = new PersonNotices({ config, agents, warn: ports.warn });
  wireExtensions(extensions, { config, conversation, debugging, agents, closers, tell: teller.tell });
  const spend = new SessionSpending({ app, config, place, catalog, conversation, questions }, teller.tell);
  closers.defer(() => spend.close());
  const orphans = sessionOrphans(app);
  closers.defer(() => orphans.close());
  const saved = { place, config, conversation, warn: teller.tell };
  const agentRecords = agentStore(saved);
  closers.defer(() => agentRecords.close());
  const waking = {
    agentsMayWake: () => place.settings.agents?.wake ?? config.answerer !== "person",
    shellsMayWake: () => place.settings.tools?.bashWakes ?? false,
  };
  const tasks = sessionTasks(app.clock, agents, agentRecords, { ...waking, redactor });
  const checkpointing = openCheckpoints({ app, config, place, conversation, tasks, closers, tell: teller.tell });
  const approveSkill = skillApprover({ questions, place, teller });
  const hooks = await openHooks({
    ...{ app, place, access, catalog, spend, watch, conversation, agents, closers },
    ...{ given: ports.hooks, tell: teller.tell, redactor, orphans, extensions },
    ...{ canApprove: config.answerer === "person", approve: approveSkill },
  });
  if (mainAgent) await leaseAgentHooks(mainAgent, { hooks, place, closers });
  const watching = { ...watch, command: (command: Command) => hooks.command(watch.command(command)) };
  return {
    hooks,
    ...checkpointing,
    approveSkill,
    watch: watching,
    agents,
    questions,
    teller,
    spend,
    orphans,
    tasks,
    agentStore: agentRecords,
    toldProblems: new Set<string>(),
  };
}

/** True if somebody can answer WebSearch when the session begins. */
async function canSearch({
  place: { settings, env },
  provider,
  access: { credentials },
}: SessionModel): Promise<boolean> {
  if (provider.searchesWeb) return true;
  const { chooseSearch } = await import("./choose-search.ts");
  return (await chooseSearch({ settings, provider, env, credentials })) !== undefined;
}
