import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");

/**
 * The processor time of each folder of tests, in milliseconds, most first.
 * @param log The lines that tests/support/preload.ts wrote: a process, its time so far, and the test file that it has ended.
 */
export function cpuPerRoom(log: string): readonly (readonly [room: string, milliseconds: number])[] {
  const soFar = new Map<string, number>();
  const rooms = new Map<string, number>();
  for (const line of log.split("\n").filter(Boolean)) {
    const [pid = "", time = "0", file = ""] = line.split(" ");
    const room = roomOf(file);
    rooms.set(room, (rooms.get(room) ?? 0) + Number(time) - (soFar.get(pid) ?? 0));
    soFar.set(pid, Number(time));
  }
  return [...rooms].sort(([, one], [, other]) => other - one);
}

/** The lines that `npm test` prints, so that growth is seen. */
export function roomLines(log: string): string {
  const rooms = cpuPerRoom(log);
  const sum = rooms.reduce((total, [, time]) => total + time, 0);
  const lines = rooms.map(([room, time]) => `${(time / 1_000).toFixed(1).padStart(7)} s  ${room}`);
  return [`Processor time of the tests: ${(sum / 1_000).toFixed(0)} s`, ...lines].join("\n");
}

function roomOf(file: string): string {
  const parts = file.slice(ROOT.length + 1).split("/");
  const isDeeper = parts.length > 3 && parts[0] === "tests" && parts[1] !== "e2e";
  return parts.slice(0, isDeeper ? 3 : 2).join("/");
}
