import { setTimeout as sleep } from "node:timers/promises";
import type { Clock, Ids } from "../contracts/ports.ts";

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: (ms, signal) =>
    sleep(ms, undefined, { signal }).catch(() => {
      throw signal.reason;
    }),
};

/** The processor time that this process has used, in milliseconds; time in which other programs run does not count. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

export const randomIds: Ids = { next: () => crypto.randomUUID() };
