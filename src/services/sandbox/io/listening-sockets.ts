import { lstatSync, readFileSync } from "node:fs";

/** The maximum number of bytes read from the table; the usual socket folders are hidden anyway. */
const MAX_TABLE_BYTES = 4 * 1024 * 1024;

/** The paths of all bound unix sockets on this machine (proc(5), `/proc/net/unix`). */
export function boundSockets(): readonly string[] {
  let table: string;
  try {
    table = readFileSync("/proc/net/unix", "latin1").slice(0, MAX_TABLE_BYTES);
  } catch {
    return [];
  }
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
  try {
    return lstatSync(path).isSocket();
  } catch {
    return false;
  }
}
