import { closeSync, openSync, readlinkSync } from "node:fs";
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
  close(): void;
};

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
    return { joinArguments: ["--preserve-credentials", ...namespaces, "--"], close };
  } catch (error) {
    close();
    throw error;
  } finally {
    await holder.close();
  }
}
