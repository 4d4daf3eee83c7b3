import type { OpenedSession } from "../opened-session.ts";
import { warmUp } from "../warm-up.ts";
import { warnOfLimits } from "./warn-of-limits.ts";

/**
 * Reacts to turns, requests and moves into worktrees: informs servers, updates their tools, and warns about the limits
 * of providers.
 */
export function followTurns(session: OpenedSession): void {
  const { config, closers, agents, servers, folders, main, access, notices, redactor, checkpoints } = session;
  const { clock } = session.app;
  closers.defer(agents.subscribe(({ event }) => void (event.type === "turn_started" && servers.noticeChanges())));
  closers.defer(warmUp({ agents, registry: main.registry, redactor, checkpoints, clock }));
  closers.defer(folders.onMoved(async () => servers.client?.rootsChanged()));
  if (config.answerer !== "person") return;
  closers.defer(warnOfLimits({ agents, rateLimits: access.rateLimits, tell: notices.notify, now: () => clock.now() }));
}
