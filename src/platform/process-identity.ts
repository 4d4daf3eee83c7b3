import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { orUndefined } from "../contracts/or-undefined.ts";

const PS_TIMEOUT_MS = 2_000;

/** The identity of a process, distinct from a later process with the same id. */
export type ProcessIdentity = {
  readonly pid: number;
  /** In a system-specific form: only compare for equality. Empty when the system doesn't report it. */
  readonly startTime: string;
  readonly host: string;
  /** Changes with every boot; empty when the system doesn't report it. */
  readonly bootId: string;
  /** Pid namespace: pids are unique only within one (containers); empty without namespaces. */
  readonly pidNamespace: string;
};

let own: ProcessIdentity | undefined;

/** Cached, since it never changes and every lock contains it. */
export function ownIdentity(): ProcessIdentity {
  own ??= {
    pid: process.pid,
    startTime: processStartTime(process.pid) ?? "",
    host: hostname(),
    bootId: orUndefined(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1"))?.trim() ?? "",
    pidNamespace: pidNamespace(),
  };
  return own;
}

/** True for the process that asks. */
export function isOwnProcess({ pid, startTime, host, pidNamespace }: ProcessIdentity): boolean {
  const own = ownIdentity();
  return pid === own.pid && startTime === own.startTime && host === own.host && pidNamespace === own.pidNamespace;
}

/** True if a process still runs; `unknown` for a process on another machine or in another container. */
export function isRunning(identity: ProcessIdentity): "yes" | "no" | "unknown" {
  const own = ownIdentity();
  if (identity.host !== own.host) return "unknown";
  if (identity.bootId !== "" && own.bootId !== "" && identity.bootId !== own.bootId) return "no";
  if (identity.pidNamespace !== own.pidNamespace) return "unknown";
  const startTime = processStartTime(identity.pid);
  if (startTime === undefined) return "no";
  // Without both start times, only the pid counts.
  return identity.startTime === "" || startTime === "" || startTime === identity.startTime ? "yes" : "no";
}

/** Start time of a process; undefined when it does not exist, empty when the system doesn't report it. */
export function processStartTime(pid: number): string | undefined {
  if (!exists(pid)) return undefined;
  if (process.platform !== "linux") return startTimeFromPs(pid);
  const stat = orUndefined(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  if (stat === undefined) return exists(pid) ? "" : undefined;
  // proc(5): the name, in brackets, may hold brackets itself; fields 3 (state) and 22 (start) are counted from its end.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" || fields[0] === "X" ? undefined : (fields[19] ?? "");
}

function exists(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process of another user is alive.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function startTimeFromPs(pid: number): string | undefined {
  try {
    const options = { env: { LC_ALL: "C" }, timeout: PS_TIMEOUT_MS, encoding: "utf8", stdio: "pipe" } as const;
    return execFileSync("/bin/ps", ["-o", "lstart=", "-p", String(pid)], options).trim();
  } catch {
    return exists(pid) ? "" : undefined;
  }
}

function pidNamespace(): string {
  return orUndefined(() => readlinkSync("/proc/self/ns/pid")) ?? "";
}
