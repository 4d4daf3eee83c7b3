import {
  type OpenDeps,
  type OpenedSession,
  openSession,
  type SessionListeners,
  type UsableConfig,
} from "./session/open-client-session.ts";

export type StartDeps = OpenDeps &
  Omit<SessionListeners, "onLost"> & {
    /** Called only for a session that `startServer` has returned. */
    onLost(opened: OpenedSession): void;
  };

/** `isLost` is true if the connection ended, even before the session was returned. */
export type StartedServer = { readonly opened: OpenedSession; readonly isLost: boolean };

/**
 * Opens a session, within the server's own limit.
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
  const opened = await openSession(config, { ...deps, limits, onLost }, signal);
  return Object.assign(mine, { opened });
}
