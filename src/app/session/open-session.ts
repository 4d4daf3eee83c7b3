import { join } from "node:path";
import { oneLine } from "@quoll/terminal-text/one-line";
import { MAIN_AGENT } from "../../contracts/agent.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import { isOpenTask, type TaskInfo } from "../../contracts/task.ts";
import { entryExists } from "../../platform/paths.ts";
import { takeInterruptedAgents } from "../agent/agent-store.ts";
import type { Agent } from "../agent/open-agent.ts";
import { openMainAgent } from "../agent/open-main-agent.ts";
import { opening } from "../closers.ts";
import { lateServers } from "../mcp/connect-servers.ts";
import { lazyFileFinder } from "../mentions/lazy-file-finder.ts";
import type { App } from "../open-app.ts";
import { LazyStatusLine } from "../status-line/lazy-status-line.ts";
import { sessionCommands } from "./actions/session-commands.ts";
import { firstState } from "./first-state.ts";
import { notifyOfLimits } from "./notices/notify-of-limits.ts";
import { type LateParts, type OpenedSession, openedSession } from "./opened-session.ts";
import { openRecords } from "./records/open-records.ts";
import type { Session, SessionPorts } from "./session.ts";
import { sessionGuards } from "./session-guards.ts";
import { type Opening, openSessionModel } from "./session-model.ts";
import { connectSettings } from "./settings/connect-settings.ts";
import { warmUp } from "./warm-up.ts";

const MAX_TITLE_COLUMNS = 100;

/**
 * Opens a session and its first agent. If opening fails half-way, everything that was opened is freed.
 * @throws {UserFacingError} the user can fix the problem: a setting, an option, a missing key, a locked session.
 * @throws {StartupCancelledError} the person chose to leave when asked about the folder.
 */
export async function openSession(app: App, config: SessionConfig, ports: SessionPorts): Promise<Session> {
  const session = await opening((closers) => assemble({ app, config, ports, closers }));
  const checkpoints = join(app.own.data, "checkpoints", session.environment.project.id);
  if (!entryExists(join(checkpoints, "rewinding"))) return session;
  const { finishOtherRewinds } = await import("./checkpoints/finish-other-rewinds.ts");
  const open = (saved: SessionConfig, given: SessionPorts) =>
    opening((closers) => assemble({ app, config: saved, ports: given, closers }));
  await finishOtherRewinds(session, { checkpoints, open, notify: ports.startupWarning });
  return session;
}

async function assemble(opening: Opening<SessionPorts>): Promise<Session> {
  const { app, ports, closers } = opening;
  const chosen = await openSessionModel(opening);
  const records = await openRecords(opening, chosen);
  const guards = await sessionGuards(opening, chosen, records);
  const late: LateParts = {};
  const session = openedSession({ app, ports, closers, chosen, records, guards }, late);
  const { environment, folders, agents, notices } = session;
  const main = openMainAgent(session, firstState(chosen, records.watch, folders.workspace));
  late.main = main;
  guards.hooks.follow(main, agents);
  const ended: string[] = [];
  closers.defer(async () => ended.push(...(await closeMain(main, ports))));
  records.telemetry?.notifyFirstLoss(notices.notify);
  connectSettings(environment, main.permissions, session);

  const servers = lateServers({ main, folders, spend: guards.spend, laterSecrets: chosen.laterSecrets, ports });
  late.servers = servers;
  followTurns(session);
  closers.defer(() => servers.close());
  await servers.begin();
  await takeUp(session, ports);
  await takeInterruptedAgents(session);

  const close = async () => {
    await closers.close();
    return ended;
  };
  closers.defer(() => notices.stop());
  const known = app.opened({ close });
  closers.defer(() => known.closed());
  return sessionOf(session, ports, close);
}

/** Adds to the session what commands and faces use besides. */
function sessionOf(session: OpenedSession, ports: SessionPorts, close: Session["close"]): Session {
  return Object.assign(session, {
    tasks: session.work.tasks.seenBy(MAIN_AGENT),
    commands: sessionCommands(ports.commands ?? { builtin: [] }, session),
    findFiles: lazyFileFinder(session),
    statusLine: new LazyStatusLine(session, session.closers),
    close,
    [Symbol.asyncDispose]: async () => void (await close()),
  });
}

/** A new session has nothing to take up but the worktree that it starts in. */
async function takeUp(session: OpenedSession, ports: SessionPorts): Promise<void> {
  if (session.conversation.restored) return (await import("./take-up.ts")).takeUp(session, ports);
  const others = await session.main.worktree?.hold();
  if (others !== undefined) ports.startupWarning(others);
}

/**
 * Closes the main agent, and tells the person about a worktree or a command that stays.
 * @returns one phrase for each task that was still running.
 */
async function closeMain(main: Agent, { notifyAtEnd, startupWarning }: SessionPorts): Promise<readonly string[]> {
  const ended = await main.close();
  for (const line of keptShellLines(main.toolPorts.tasks.list())) (notifyAtEnd ?? startupWarning)(line);
  const stays = await main.worktree?.close();
  if (stays !== undefined) (notifyAtEnd ?? startupWarning)(stays);
  return ended;
}

/** One line for each command that keeps running after Quoll ends: its process, and how to end it. */
function keptShellLines(tasks: readonly TaskInfo[]): readonly string[] {
  return tasks.flatMap((task) => {
    const { id, title, process: started, outputFile } = task;
    if (!task.isKept || !started || !isOpenTask(task)) return [];
    // The command leads its own process group.
    return [
      `${id} (${oneLine(title, MAX_TITLE_COLUMNS)}) keeps running as process ${started.pid}; its output: ${outputFile}. To end it: kill -- -${started.pid}`,
    ];
  });
}

/**
 * Reacts to turns, requests and moves into worktrees: informs servers, updates their tools, and warns about the limits
 * of providers.
 */
function followTurns(session: OpenedSession): void {
  const { config, closers, agents, servers, folders, main, access, notices, redactor, checkpoints } = session;
  const { clock } = session.app;
  closers.defer(agents.subscribe(({ event }) => void (event.type === "turn_started" && servers.noticeChanges())));
  closers.defer(warmUp({ agents, registry: main.registry, redactor, checkpoints, clock }));
  closers.defer(folders.onMoved(async () => servers.client?.rootsChanged()));
  if (config.answerer !== "person") return;
  closers.defer(
    notifyOfLimits({ agents, rateLimits: access.rateLimits, notify: notices.notify, now: () => clock.now() }),
  );
}
