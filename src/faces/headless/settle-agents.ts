import type { Engine } from "../../contracts/engine.ts";
import type { TaskInfo } from "../../contracts/task.ts";
import type { ProgramSession } from "../../protocol/session-port.ts";

/** The background work of a session. */
export type BackgroundAgents = {
  /** The background commands that still run, and that end with Quoll. */
  readonly commands: readonly TaskInfo[];
  /** The number of background agents that have not ended. */
  readonly count: number;
  /** Ends them. @returns one phrase for each agent: `a1 (Explore: look around)`. */
  stop(): Promise<readonly string[]>;
  /** The longest wait at the end of a run. */
  readonly waitMs: number;
};

type Waiting = {
  readonly engine: Pick<Engine, "state">;
  readonly session: ProgramSession;
  readonly agents: BackgroundAgents;
  /** Ends the wait: the run is interrupted. */
  readonly signal: AbortSignal;
  err(line: string): void;
};

/**
 * Waits until neither a turn nor a background agent runs; the engine starts a turn with the answers of the agents.
 * After the maximum wait, the agents are stopped and named.
 */
export async function settleAgents({ engine, session, agents, signal, err }: Waiting): Promise<void> {
  let left = agents.waitMs;
  for (;;) {
    await turnEnded({ engine, session });
    if (agents.count === 0 || signal.aborted) return;
    const before = performance.now();
    await agentEnded(session, left, signal);
    left = Math.max(0, left - (performance.now() - before));
    if (left > 0 || agents.count === 0 || signal.aborted) continue;
    const stopped = await agents.stop();
    err(`stopped agents that still ran after ${Math.round(agents.waitMs / 1000)} s: ${stopped.join(", ")}`);
  }
}

/** Resolves when an agent has ended, after `ms`, or when `signal` aborts. */
async function agentEnded(session: ProgramSession, ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = () => resolve();
  const unsubscribe = session.subscribe((told) => {
    if (told.type === "engine" && told.event.type === "task_ended") resolve();
  });
  const timer = setTimeout(done, ms);
  signal.addEventListener("abort", done, { once: true });
  await promise;
  clearTimeout(timer);
  signal.removeEventListener("abort", done);
  unsubscribe();
}

/** Resolves when the engine runs no turn and no operation. */
async function turnEnded({ engine, session }: Pick<Waiting, "engine" | "session">): Promise<void> {
  while (engine.state.busy) {
    await new Promise<void>((resolve) => {
      const unsubscribe = session.subscribe((told) => {
        if (told.type !== "engine" || told.event.type !== "busy_changed") return;
        unsubscribe();
        resolve();
      });
    });
  }
}
