import type { ProgramStart, WaitingStart } from "../../contracts/ports.ts";
import { SPAWN_TAG_VARIABLE } from "../../platform/processes/process-row.ts";
import type { MountLease } from "./io/mount-points.ts";
import type { ProcessMoment } from "./io/orphaned-namespaces.ts";
import { entryStamp } from "./io/running-mounts.ts";
import type { Mount } from "./policy.ts";

/** A sandbox whose program waits for its work. */
export type WaitingSandbox = {
  readonly start: ProgramStart;
  readonly moment: ProcessMoment;
  readonly lease: MountLease | undefined;
  readonly key: string;
};

type Words = Pick<ProgramStart, "file" | "args" | "cwd" | "env">;

/**
 * Everything that makes two sandboxes the same: the words and the environment that start them, and the state of each mounted
 * entry. An entry that was replaced has lost its mount in the older sandbox: the kernel removes a mount together with
 * the name below it. A file that was linked elsewhere and back has another change time.
 */
export function sandboxKey({ file, args, cwd, env }: Words, mounts: readonly Mount[]): string {
  const { [SPAWN_TAG_VARIABLE]: _, ...shared } = env;
  return JSON.stringify([file, args, cwd, shared, mounts.map(({ path }) => entryStamp(path) ?? "")]);
}

/** The sandboxes that wait, by the start that was given out for each. */
export class WaitingSandboxes {
  readonly #all = new WeakMap<WaitingStart, WaitingSandbox>();

  add(waiting: WaitingStart, sandbox: WaitingSandbox): WaitingStart {
    this.#all.set(waiting, sandbox);
    return waiting;
  }

  of({ waiting }: ProgramStart): WaitingSandbox | undefined {
    return waiting && this.#all.get(waiting);
  }
}
