import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";

/** Times between two looks: a look at /proc takes microseconds, and `ps` is a process. */
const PROC_MS = 25;
const PS_MS = 250;

/**
 * Watches the memory of a process while it runs, because no runtime limits its own memory alike on all systems.
 * @param exceeded Called once, when the process holds more than `maxBytes` of memory.
 * @returns a function that ends the watch.
 */
export function watchMemory(pid: number, maxBytes: number, exceeded: () => void): () => void {
  const isLinux = process.platform === "linux";
  let isOver = false;
  const end = () => {
    isOver = true;
    clearInterval(timer);
  };
  const judge = (kib: number | undefined) => {
    if (isOver || kib === undefined || kib * 1024 <= maxBytes) return;
    end();
    exceeded();
  };
  const look = () => (isLinux ? judge(residentKib(pid)) : residentByPs(pid, judge));
  const timer = setInterval(look, isLinux ? PROC_MS : PS_MS);
  return end;
}

/** VmRSS of proc_pid_status(5); undefined for a process that has ended. */
function residentKib(pid: number): number | undefined {
  try {
    const found = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return found === undefined ? undefined : Number(found);
  } catch {
    return undefined;
  }
}

function residentByPs(pid: number, answer: (kib: number | undefined) => void): void {
  execFile("/bin/ps", ["-o", "rss=", "-p", String(pid)], (error, stdout) => {
    const kib = Number(stdout.trim() || Number.NaN);
    answer(error || Number.isNaN(kib) ? undefined : kib);
  });
}
