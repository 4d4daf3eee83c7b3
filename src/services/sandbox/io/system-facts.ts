import { existsSync, readdirSync, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { orUndefined } from "../../../contracts/or-undefined.ts";
import { statsAt } from "../../../platform/paths.ts";

/** System facts that decide whether programs can be confined; undefined where the system does not report them. */
export type SystemFacts = {
  readonly os: string;
  readonly architecture: string;
  readonly isRoot: boolean;
  /** True on Bun, the one runtime that can call the kernel directly. */
  readonly hasNativeCalls: boolean;
  /** `user.max_user_namespaces`. */
  readonly maxUserNamespaces: number | undefined;
  /** Debian's `kernel.unprivileged_userns_clone`. */
  readonly unprivilegedClone: boolean | undefined;
  /** AppArmor's `kernel.apparmor_restrict_unprivileged_userns` (Ubuntu 23.10 and later). */
  readonly appArmorRestricts: boolean | undefined;
  /** True if there is an AppArmor profile for bwrap. */
  readonly hasBwrapProfile: boolean;
  /** A short phrase such as "Docker" or "a container"; undefined outside a container. */
  readonly container: string | undefined;
  /** True if a system call filter already applies to this process. */
  readonly isFiltered: boolean;
  /** Effective capabilities, as the kernel's bit mask. */
  readonly capabilities: bigint;
  /** `ID` and `ID_LIKE` of os-release(5), in lower case. */
  readonly distribution: readonly string[];
};

const CAP_SYS_ADMIN = 21n;

export function hasSysAdmin({ capabilities }: Pick<SystemFacts, "capabilities">): boolean {
  return ((capabilities >> CAP_SYS_ADMIN) & 1n) === 1n;
}

export function readSystemFacts(): SystemFacts {
  const status = readText("/proc/self/status") ?? "";
  const release = readText("/etc/os-release") ?? readText("/usr/lib/os-release") ?? "";
  return {
    os: process.platform,
    architecture: process.arch,
    isRoot: process.getuid?.() === 0,
    hasNativeCalls: process.versions.bun !== undefined,
    maxUserNamespaces: numberAt("/proc/sys/user/max_user_namespaces"),
    unprivilegedClone: flagAt("/proc/sys/kernel/unprivileged_userns_clone"),
    appArmorRestricts: flagAt("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"),
    hasBwrapProfile: existsSync("/etc/apparmor.d/bwrap") || existsSync("/etc/apparmor.d/bwrap-userns-restrict"),
    container: containerName(),
    isFiltered: /^Seccomp:\s*[12]$/m.test(status),
    capabilities: BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`),
    distribution: [...release.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)"?$/gm)].flatMap(([, ids = ""]) =>
      ids.toLowerCase().split(/\s+/).filter(Boolean),
    ),
  };
}

/** The home folder from the account database, regardless of `HOME`; undefined without an entry. */
export function accountHome(): string | undefined {
  return orUndefined(() => userInfo().homedir || undefined);
}

const MAX_HOMES = 50;

/** Other home folders that this user can read: all of them for root, none for other users. */
export function otherHomes(): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  const names = orUndefined(() => readdirSync("/home").slice(0, MAX_HOMES)) ?? [];
  return ["/root", ...names.map((name) => `/home/${name}`)];
}

function containerName(): string | undefined {
  if (existsSync("/.dockerenv")) return "Docker";
  if (existsSync("/run/.containerenv")) return "Podman";
  if (readText("/proc/1/environ")?.includes("container=") === true) return "a container";
  const cgroup = readText("/proc/1/cgroup") ?? "";
  return /docker|kubepods|containerd|lxc/.test(cgroup) ? "a container" : undefined;
}

function numberAt(path: string): number | undefined {
  const text = readText(path)?.trim();
  return text === undefined || text === "" ? undefined : Number(text);
}

function flagAt(path: string): boolean | undefined {
  const value = numberAt(path);
  return value === undefined ? undefined : value !== 0;
}

function readText(path: string): string | undefined {
  return orUndefined(() => readFileSync(path, "utf8"));
}

/** The maximum number of bytes read from the table; the usual socket folders are hidden anyway. */
const MAX_TABLE_BYTES = 4 * 1024 * 1024;

/** The paths of all bound unix sockets on this machine (proc(5), `/proc/net/unix`). */
export function boundSockets(): readonly string[] {
  const table = orUndefined(() => readFileSync("/proc/net/unix", "latin1").slice(0, MAX_TABLE_BYTES)) ?? "";
  const paths = new Set<string>();
  for (const line of table.split("\n")) {
    const start = line.indexOf(" /");
    // The table is read as bytes, since paths are UTF-8.
    if (start >= 0) paths.add(Buffer.from(line.slice(start + 1), "latin1").toString("utf8"));
  }
  return [...paths].filter(isSocket);
}

/** True if this path itself is a socket. */
export function isSocket(path: string): boolean {
  return statsAt(path)?.isSocket() === true;
}
