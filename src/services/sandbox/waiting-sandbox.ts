import type { ProgramStart } from "../../contracts/ports.ts";
import { SPAWN_TAG_VARIABLE } from "../../platform/processes/process-row.ts";
import type { MountLease } from "./io/mount-points.ts";
import type { ProcessMoment } from "./io/orphaned-namespaces.ts";
import { entryStamp, systemMounts } from "./io/running-mounts.ts";
import type { SandboxPolicy } from "./policy.ts";

/** A sandbox whose program waits for its work. */
export type WaitingSandbox = {
  readonly start: ProgramStart;
  readonly moment: ProcessMoment;
  readonly lease: MountLease | undefined;
  readonly key: string;
};

type Words = Pick<ProgramStart, "file" | "args" | "cwd" | "env">;
type Mounted = Pick<SandboxPolicy, "mounts" | "sockets">;

/**
 * Everything that makes two sandboxes the same: the words and the environment that start them, the state of the working folder and of
 * each mounted entry, and the mounts of the system, since a later mount of the system appears in an older sandbox, writable.
 * An entry that was replaced has lost its mount in the older sandbox: the kernel removes a mount together with the name
 * below it. A file that was linked elsewhere and back has another change time.
 */
export function sandboxKey({ file, args, cwd, env }: Words, { mounts, sockets }: Mounted): string {
  const { [SPAWN_TAG_VARIABLE]: _, ...shared } = env;
  const paths = [cwd, ...mounts.map(({ path }) => path), ...sockets];
  return JSON.stringify([file, args, cwd, shared, paths.map((path) => entryStamp(path) ?? ""), systemMounts()]);
}
