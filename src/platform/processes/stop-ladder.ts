import type { Clock } from "../../contracts/ports.ts";
import type { ProcessRow } from "./process-row.ts";
import { familyOf, isAlive, type Spawn } from "./process-table.ts";

/** How long to wait after each signal, in milliseconds. */
export type LadderDelays = { readonly interruptMs: number; readonly terminateMs: number };

export const STOP_LADDER: LadderDelays = { interruptMs: 2_000, terminateMs: 3_000 };

const FIRST_POLL_MS = 5;
const MAX_POLL_MS = 100;
/**
 * SIGKILL is sent again while new processes appear (a fork that was under way), or while the system is slow to end a
 * process.
 */
const MAX_KILL_ATTEMPTS = 50;

export type Stopped = {
  /** The processes to stop: `pid command`. */
  readonly ended: readonly string[];
  /** Processes that survived SIGKILL: another user's, or stuck in the kernel. */
  readonly survivors: readonly string[];
};

/**
 * Stops a spawn and all its descendants: SIGINT, then SIGTERM, then SIGKILL to its process group and to every process
 * that left the group but carries its tag. Returns as soon as no process is left. Never throws.
 */
export async function stopSpawn(spawn: Spawn, clock: Clock, delays: LadderDelays = STOP_LADDER): Promise<Stopped> {
  const roster = new Roster(spawn, clock);
  const ended = (await roster.look()).map(describe);
  if (ended.length === 0) return { ended, survivors: [] };
  const rungs = [
    { signal: "SIGINT", waitMs: delays.interruptMs },
    { signal: "SIGTERM", waitMs: delays.terminateMs },
  ] as const;
  for (const { signal, waitMs } of rungs) {
    signalFamily(spawn, await roster.look(), signal);
    if (await isGone(roster, waitMs, clock)) return { ended, survivors: [] };
  }
  for (let attempt = 0; attempt < MAX_KILL_ATTEMPTS; attempt += 1) {
    signalFamily(spawn, await roster.look(), "SIGKILL");
    if (await isGone(roster, MAX_POLL_MS, clock)) return { ended, survivors: [] };
  }
  return { ended, survivors: (await roster.look()).map(describe) };
}

/**
 * Remembers the members that it has seen: if a member's parent has ended, nothing else may connect the member to the
 * spawn.
 */
class Roster {
  readonly #spawn: Spawn;
  readonly #clock: Clock;
  #known: readonly ProcessRow[] = [];

  constructor(spawn: Spawn, clock: Clock) {
    this.#spawn = spawn;
    this.#clock = clock;
  }

  /** The processes that are alive now. */
  async look(): Promise<readonly ProcessRow[]> {
    this.#known = await familyOf(this.#spawn, this.#clock, { known: this.#known });
    return this.#known;
  }
}

/** Waits until all processes of a spawn have ended; false on timeout. */
async function isGone(roster: Roster, waitMs: number, clock: Clock): Promise<boolean> {
  const until = clock.monotonicMs() + waitMs;
  const never = new AbortController().signal;
  let seen = await roster.look();
  for (let pollMs = FIRST_POLL_MS; seen.length > 0; pollMs = Math.min(pollMs * 2, MAX_POLL_MS)) {
    const leftMs = until - clock.monotonicMs();
    if (leftMs <= 0) return false;
    await clock.sleep(Math.min(pollMs, leftMs), never);
    // The whole table is read again only after all known members have ended.
    if (!seen.some(isAlive)) seen = await roster.look();
  }
  return true;
}

function signalFamily(spawn: Spawn, family: readonly ProcessRow[], signal: NodeJS.Signals): void {
  if (spawn.isWrapper && signal !== "SIGKILL") {
    for (const row of family) if (row.pid !== spawn.pid && isAlive(row)) send(row.pid, signal);
    return;
  }
  // One call for the group also reaches processes that are forked in the meantime. `family` contains members of the
  // group only if the group belongs to the spawn.
  if (family.some(({ groupId }) => groupId === spawn.pid)) send(-spawn.pid, signal);
  for (const row of family) if (row.groupId !== spawn.pid && isAlive(row)) send(row.pid, signal);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended in the meantime, or belongs to another user. In both cases the ladder checks again.
  }
}

function describe(row: ProcessRow): string {
  return `${row.pid} ${row.command()}`.trim();
}
