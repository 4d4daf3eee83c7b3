import { atMost } from "@quoll/async/at-most";
import type { Semaphore } from "@quoll/async/semaphore";
import type { Clock } from "../../contracts/ports.ts";
import { LANE_MS } from "./mcp-limits.ts";
import {
  type OpenDeps,
  type OpenedSession,
  openSession,
  type SessionListeners,
  type UsableConfig,
} from "./session/open-client-session.ts";

export type StartDeps = OpenDeps &
  Omit<SessionListeners, "onLost"> & {
    readonly lanes: Semaphore;
    /** Called only for a session that `startServer` has returned. */
    onLost(opened: OpenedSession): void;
  };

/** `isLost` is true if the connection ended, even before the session was returned. */
export type StartedServer = { readonly opened: OpenedSession; readonly isLost: boolean };

/**
 * Opens a session when it is the server's turn to start.
 * @throws {McpStartError} as `openSession`.
 */
export async function startServer(config: UsableConfig, deps: StartDeps, signal: AbortSignal): Promise<StartedServer> {
  const limits = { ...deps.limits, startMs: config.startMs ?? deps.limits.startMs };
  // The object is created before the first await of a session, so that the end of one session is not attributed to
  // another.
  const mine: { opened?: OpenedSession; isLost: boolean } = { isLost: false };
  const onLost = () => {
    mine.isLost = true;
    if (mine.opened) deps.onLost(mine.opened);
  };
  const opened = await inLane(() => openSession(config, { ...deps, limits, onLost }, signal), deps);
  return Object.assign(mine, { opened });
}

type Lanes = { readonly lanes: Semaphore; readonly clock: Clock };

/** Waits for a turn to start. A slow server lets the next server start, so that it does not delay others. */
async function inLane(open: () => Promise<OpenedSession>, { lanes, clock }: Lanes): Promise<OpenedSession> {
  let opening: Promise<OpenedSession> | undefined;
  await lanes.run(async () => {
    opening = open();
    await atMost(
      opening.catch(() => undefined),
      LANE_MS,
      { clock },
    );
  });
  return opening ?? open();
}
