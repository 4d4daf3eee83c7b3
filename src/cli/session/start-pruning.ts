import type { Session } from "../../app/session/session.ts";

/** The start of a session and the person's first prompt come first. */
const DELAY_MS = 10_000;

/**
 * Looks for outdated sessions and checkpoints in the background, some time after the start.
 * @param startedAt When this process began; milliseconds since the epoch.
 * @returns a function that stops it, if it has not begun.
 */
export function startPruning(session: Session, startedAt: number): () => void {
  // Without the person's own settings, their wish is not known.
  if (session.config.settingSources !== undefined) return () => undefined;
  const timer = setTimeout(() => void prune(session, startedAt), DELAY_MS);
  timer.unref();
  return () => clearTimeout(timer);
}

/** A prune that fails is no fault of the session. */
async function prune({ app, environment, main, debugging }: Session, startedAt: number): Promise<void> {
  try {
    const { pruneAtStart } = await import("../../app/session/saved/prune-at-start.ts");
    const retention = environment.settings.sessions ?? {};
    const notify = (line: string) => main.engine.notify(line, "info");
    await pruneAtStart({ own: environment.own, retention, startedAt, now: app.clock.now(), notify });
  } catch (error) {
    debugging.noteFault(error);
  }
  try {
    const { pruneCheckpointsAtStart } = await import("../../app/session/checkpoints/prune-checkpoints.ts");
    for (const line of await pruneCheckpointsAtStart(environment, app.clock.now())) main.engine.notify(line, "info");
  } catch (error) {
    debugging.noteFault(error);
  }
}
