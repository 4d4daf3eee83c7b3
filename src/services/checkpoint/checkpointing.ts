import { join } from "node:path";
import type { CheckpointStore, FileRewinds } from "../../contracts/checkpoint.ts";
import type { Clock, Ids } from "../../contracts/ports.ts";
import type { Environment } from "../../platform/env.ts";
import { FileCopies } from "./io/file-copies.ts";
import { LineCounter } from "./io/line-counts.ts";
import { ObjectStore } from "./io/object-store.ts";
import { type RecordPlace, SessionRecords } from "./io/record-file.ts";
import { SessionRewinds } from "./io/rewinds-of-session.ts";
import { ROOT_LIMITS, type RootLimits } from "./io/root-tree.ts";
import { SessionStore } from "./io/session-store.ts";
import { lazyShadowGit } from "./io/shadow-git.ts";
import { Trees } from "./io/trees.ts";

export type CheckpointOptions = RecordPlace & {
  /** The person's home folder: absolute, without links. */
  readonly home: string;
  readonly environment: Environment;
  /** Absolute path of git, not one that a project may have planted; undefined: there is none. */
  readonly git: string | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly limits?: RootLimits;
  /** Folders that are never stored, besides the checkpoints: Quoll's own. Absolute, without links. */
  readonly leftOut?: readonly string[];
  /** How long the first state of a root may hold up another. Milliseconds; default 5,000. */
  readonly firstWaitMs?: number;
};

export type Checkpointing = { readonly store: CheckpointStore; readonly rewinds: FileRewinds };

/** Opens the checkpoints of a session. Nothing is read or written before the first use. */
export function openCheckpoints(options: CheckpointOptions): Checkpointing {
  const {
    folder,
    sessionId,
    home,
    environment,
    git,
    clock,
    ids,
    limits = ROOT_LIMITS,
    firstWaitMs,
    leftOut = [],
  } = options;
  const repository = join(folder, "objects.git");
  const shadow = git === undefined ? undefined : lazyShadowGit(git, repository, environment);
  const objects = new ObjectStore(join(repository, "objects"), shadow);
  const trees = new Trees(objects);
  const copies = new FileCopies(objects, limits.maxFileBytes);
  const records = new SessionRecords(options);
  const roots =
    git === undefined || !shadow
      ? undefined
      : { folder, sessionId, home, environment, git, shadow, trees, limits, leftOut: [folder, ...leftOut] };
  const lines = new LineCounter(objects, shadow);
  const firstWait = firstWaitMs === undefined ? {} : { firstWaitMs };
  return {
    store: new SessionStore({ records, copies, trees, clock, ids, folder, home, roots, ...firstWait }),
    rewinds: new SessionRewinds({ records, copies, clock, ids, place: options, objects, lines }),
  };
}
