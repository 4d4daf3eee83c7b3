import { lstatSync, readFileSync } from "node:fs";
import type { ProcessIdentity } from "../../../platform/process-identity.ts";
import type { RunningMount } from "./running-mounts.ts";

const MAX_RECORD_BYTES = 32 * 1024 * 1024;
/** Represents a program of an older Quoll, whose record lists no mounts and which may replace any path. */
const ANYWHERE: RunningMount = { path: "/", isWritable: true, identity: "" };

/** Something that must exist so that it can be mounted over. */
export type MountPoint = {
  /** An absolute path whose parent exists, without links. */
  readonly path: string;
  readonly kind: "file" | "folder";
  /** Content of the file; empty by default. */
  readonly content?: string;
};

export type Made = MountPoint & { readonly device: number; readonly inode: number };

/** The mount points that one Quoll process has made, and the confined programs that it runs. */
export type RecordFile = {
  readonly owner: ProcessIdentity;
  /** A private folder of the owner, which is removed together with it. */
  readonly scratch: string;
  readonly made: readonly Made[];
  /** Mount points about to be created: after a crash they are recognised by their emptiness and age. */
  readonly planned: readonly MountPoint[];
  readonly sinceMs: number;
  /** The mounts of each confined program that runs or is about to. */
  readonly running: readonly (readonly RunningMount[])[];
  /** The commands of the programs in `running`, in the same order; empty in records of an older Quoll. */
  readonly commands?: readonly string[];
};

/**
 * The content of a record file. An older Quoll adds a line for each change: the newest complete one counts. An unreadable
 * record is ignored: no mount point is removed because of it.
 */
export function readRecord(path: string): RecordFile | undefined {
  try {
    const stats = lstatSync(path);
    if (!stats.isFile() || stats.size > MAX_RECORD_BYTES) return undefined;
    const record = JSON.parse(newestLine(readFileSync(path, "utf8"))) as Partial<RecordFile>;
    const { owner, made, planned, running, commands } = record;
    if (!owner || !Array.isArray(made) || !Array.isArray(planned)) return undefined;
    return {
      ...(record as RecordFile),
      running: Array.isArray(running) ? running : [[ANYWHERE]],
      commands: Array.isArray(commands) ? commands : [],
    };
  } catch {
    return undefined;
  }
}

/** A line that a crash has cut does not count. */
function newestLine(text: string): string {
  const end = text.lastIndexOf("\n");
  return end === -1 ? text : text.slice(text.lastIndexOf("\n", end - 1) + 1, end);
}
