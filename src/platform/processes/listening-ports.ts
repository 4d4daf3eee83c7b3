import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { orUndefined } from "../../contracts/or-undefined.ts";

/** The state LISTEN in the kernel's tables of sockets (proc(5), `/proc/net/tcp`). */
const LISTENING = "0A";
const MAX_TABLE_CHARS = 1024 * 1024;

/** The TCP ports on which these processes listen, ascending; unreadable processes are skipped. Linux only. */
export function listeningPorts(pids: readonly number[]): readonly number[] {
  const ports = new Set<number>();
  for (const pid of pids) {
    const own = socketsOf(pid);
    if (own.size === 0) continue;
    for (const table of ["tcp", "tcp6"])
      for (const { port, inode } of listeners(`/proc/${pid}/net/${table}`)) if (own.has(inode)) ports.add(port);
  }
  return [...ports].sort((a, b) => a - b);
}

/** The TCP ports on which any process listens in this process's network, and those of this process. Linux only. */
export function listeningHere(): { readonly all: ReadonlySet<number>; readonly own: ReadonlySet<number> } {
  const all = ["tcp", "tcp6"].flatMap((table) => listeners(`/proc/self/net/${table}`).map(({ port }) => port));
  return { all: new Set(all), own: new Set(listeningPorts([process.pid])) };
}

/** The inodes of a process's open sockets. */
function socketsOf(pid: number): ReadonlySet<string> {
  const folder = `/proc/${pid}/fd`;
  const found = new Set<string>();
  for (const name of read(() => readdirSync(folder)) ?? []) {
    const inode = /^socket:\[(\d+)\]$/.exec(read(() => readlinkSync(`${folder}/${name}`)) ?? "")?.[1];
    if (inode !== undefined) found.add(inode);
  }
  return found;
}

function listeners(table: string): readonly { readonly port: number; readonly inode: string }[] {
  const text = read(() => readFileSync(table, "latin1")) ?? "";
  return text
    .slice(0, MAX_TABLE_CHARS)
    .split("\n")
    .slice(1)
    .flatMap((line) => {
      const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
      const port = Number.parseInt(local.split(":")[1] ?? "", 16);
      return state === LISTENING && port > 0 ? [{ port, inode }] : [];
    });
}

function read<Value>(look: () => Value): Value | undefined {
  return orUndefined(() => look());
}
