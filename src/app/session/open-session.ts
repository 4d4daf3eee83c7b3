import { join } from "node:path";
import { MAIN_AGENT } from "../../contracts/agent.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import { randomIds } from "../../platform/clock.ts";
import { entryExists } from "../../platform/paths.ts";
import { OpenQuestions } from "../../protocol/open-questions.ts";
import { agentStore, takeInterruptedAgents } from "../agent/agent-store.ts";
import { leaseAgentHooks } from "../agent/main-agent.ts";
import { type Agent, openAgent } from "../agent/open-agent.ts";
import { SessionAgents } from "../agent/session-agents.ts";
import { type Closers, opening } from "../closers.ts";
import { openHooks } from "../hooks/open-hooks.ts";
import { agentServers } from "../mcp/agent-servers.ts";
import { type LateServers, lateServers } from "../mcp/connect-servers.ts";
import { withHooks } from "../mcp/hooked-elicit.ts";
import { lazyFileFinder, lazyFiles } from "../mentions/lazy-file-finder.ts";
import type { App } from "../open-app.ts";
import { skillApprover } from "../skills/approve-skill.ts";
import { LazyStatusLine } from "../status-line/lazy-status-line.ts";
import { sessionCommands } from "./actions/session-commands.ts";
import { sessionImages } from "./actions/session-images.ts";
import { sessionTasks } from "./actions/session-tasks.ts";
import { openCheckpoints } from "./checkpoints/open-checkpoints.ts";
import { closeMain } from "./close-main.ts";
import { firstState } from "./first-state.ts";
import { followTurns } from "./notices/follow-turns.ts";
import { PersonNotices } from "./notices/person-notices.ts";
import { sessionOrphans } from "./open-orphan-watch.ts";
import { openRecords, type SessionRecords } from "./records/open-records.ts";
import { SessionSpending } from "./records/session-spending.ts";
import type { Session, SessionPorts } from "./session.ts";
import { mainFolders } from "./session-folders.ts";
import { openSessionModel, type SessionModel } from "./session-model.ts";
import { connectSettings, keepRules } from "./settings/connect-settings.ts";
import type { TakingUp } from "./take-up.ts";
import { wireExtensions } from "./wire-extensions.ts";

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
  parts.hooks.follow(main, agents);
  const ended: string[] = [];
  closers.defer(async () => ended.push(...(await closeMain(main, ports))));
  telemetry?.tellFirstLoss(teller.tell);
  connectSettings(parts.place, main.permissions, parts);

  const servers = lateServers(
    { config, ports: withHooks(ports.mcp, parts) },
    { ...parts, ...main, ...ports, sandbox, tell: teller.tell },
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

/** Makes the parts that ask and notify the person, run hooks and limit the spending. */
async function guards(
  { app, config, ports, closers }: Opening,
  chosen: SessionModel,
  { watch, debugging }: SessionRecords,
) {
  const { place, catalog, redactor, extensions, conversation, mainAgent } = chosen;
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
  const hookPorts = { given: ports.hooks, tell: teller.tell, approve: approveSkill };
  const hooks = await openHooks({ app, chosen, spend, watch, orphans, ports: hookPorts }, closers);
  if (mainAgent) await leaseAgentHooks(mainAgent, { hooks, place, closers });
  return {
    hooks,
    ...checkpointing,
    approveSkill,
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
