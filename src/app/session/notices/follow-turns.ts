import type { SessionConfig } from "../../../contracts/session-config.ts";
import type { MainFolders } from "../../agent/main-folders.ts";
import type { Agent } from "../../agent/open-agent.ts";
import type { SessionAgents } from "../../agent/session-agents.ts";
import type { Closers } from "../../closers.ts";
import type { LateServers } from "../../mcp/connect-servers.ts";
import type { ModelAccess } from "../../model-access.ts";
import type { App } from "../../open-app.ts";
import { type WarmUpParts, warmUp } from "../warm-up.ts";
import type { PersonNotices } from "./person-notices.ts";
import { warnOfLimits } from "./warn-of-limits.ts";

type TurnParts = Pick<WarmUpParts, "redactor" | "checkpoints"> & {
  readonly app: Pick<App, "clock">;
  readonly config: Pick<SessionConfig, "answerer">;
  readonly closers: Closers;
  readonly agents: SessionAgents;
  readonly servers: Pick<LateServers, "noticeChanges" | "client">;
  readonly folders: Pick<MainFolders, "onMoved">;
  readonly main: Agent;
  readonly access: Pick<ModelAccess, "rateLimits">;
  readonly notices: PersonNotices;
};

/**
 * Reacts to turns, requests and moves into worktrees: informs servers, updates their tools, and warns about the limits
 * of providers.
 */
export function followTurns(parts: TurnParts): void {
  const { config, closers, agents, servers, folders, main, access, notices, redactor, checkpoints } = parts;
  const { clock } = parts.app;
  closers.defer(agents.subscribe(({ event }) => void (event.type === "turn_started" && servers.noticeChanges())));
  closers.defer(warmUp({ agents, registry: main.registry, redactor, checkpoints, clock }));
  closers.defer(folders.onMoved(async () => servers.client?.rootsChanged()));
  if (config.answerer !== "person") return;
  closers.defer(warnOfLimits({ agents, rateLimits: access.rateLimits, tell: notices.tell, now: () => clock.now() }));
}
