import { closeSync, openSync, readlinkSync, readSync } from "node:fs";
import { startHelper } from "./helper-program.ts";

/** Prints its own process id and runs until its stdin is closed. */
const HOLDER = ["/bin/sh", "-c", "echo $$; read line"] as const;
const START_MS = 5_000;

/**
 * A network namespace, and the user namespace that owns it, kept alive by descriptors of this process: no other process
 * must hold it, no process id can be reused for it, and the kernel removes it with this process, however that ends.
 */
export type NetworkNamespace = {
  /** Arguments of nsenter(1) that join it; the program's words follow. */
  readonly joinArguments: readonly string[];
  /** The number of connections, and of packets such as questions for names, that failed in it so far. */
  failures(): number;
  close(): void;
};

/** Counters of the kernel, by the first words of its lines: no route, refused on TCP, no listener on UDP. */
const FAILURES: Readonly<Record<string, string>> = { "Ip:": "OutNoRoutes", "Tcp:": "AttemptFails", "Udp:": "NoPorts" };
const MAX_COUNTERS_BYTES = 16 * 1024;

/**
 * @param wrapper The words that start a program in new namespaces, but not in a new process namespace.
 * @param ownsUsers True if one of them is a user namespace.
 * @throws {Error} the namespace can't be created; the message holds the wrapper's output.
 */
export async function openNetworkNamespace(
  wrapper: readonly [string, ...string[]],
  ownsUsers: boolean,
): Promise<NetworkNamespace> {
  const env = { PATH: "/usr/bin:/bin" };
  const holder = await startHelper([...wrapper, ...HOLDER], { env, timeoutMs: START_MS });
  const opened: number[] = [];
  const close = () => {
    for (const descriptor of opened.splice(0)) closeSync(descriptor);
  };
  const open = (kind: "net" | "user") => {
    const path = `/proc/${Number(holder.firstLine)}/ns/${kind}`;
    if (readlinkSync(path) === readlinkSync(`/proc/self/ns/${kind}`))
      throw new Error(`no ${kind} namespace was created`);
    const descriptor = openSync(path, "r");
    opened.push(descriptor);
    return `--${kind}=/proc/${process.pid}/fd/${descriptor}`;
  };
  try {
    const namespaces = [...(ownsUsers ? [open("user")] : []), open("net")];
    // An open file of counters goes on counting for its namespace when the process is gone.
    const counters = openSync(`/proc/${Number(holder.firstLine)}/net/snmp`, "r");
    opened.push(counters);
    const failures = () => countFailures(counters);
    return { joinArguments: ["--preserve-credentials", ...namespaces, "--"], failures, close };
  } catch (error) {
    close();
    throw error;
  } finally {
    await holder.close();
  }
}

/** The sum of the counters of FAILURES in a file with the format of /proc/net/snmp: a line of names, a line of values. */
function countFailures(descriptor: number): number {
  const bytes = Buffer.alloc(MAX_COUNTERS_BYTES);
  const lines = bytes.toString("latin1", 0, readSync(descriptor, bytes, 0, bytes.length, 0)).split("\n");
  const rows = lines.map((line) => line.split(" "));
  return rows.reduce((sum, names, at) => {
    const column = names.indexOf(FAILURES[names[0] ?? ""] ?? "");
    return column < 1 ? sum : sum + (Number(rows[at + 1]?.[column]) || 0);
  }, 0);
}
