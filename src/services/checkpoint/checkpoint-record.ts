import { z } from "zod";
import type { RecordedChanges, StoredEntry } from "../../contracts/checkpoint.ts";
import { parsedJson } from "../../contracts/parsed-json.ts";

const oid = z.string().regex(/^[0-9a-f]{40}$/);
const entry = z.union([
  z.object({ kind: z.enum(["file", "link"]), oid, mode: z.number() }),
  z.object({ kind: z.literal("folder"), mode: z.number() }),
]);
const absolute = z.string().startsWith("/");
const change = z.object({
  path: absolute,
  before: entry.nullable(),
  after: entry.nullable(),
  isReplaced: z.literal(true).optional(),
  isInterrupted: z.literal(true).optional(),
  isLate: z.literal(true).optional(),
});
const kept = z.object({ path: absolute, reason: z.string() });
const texts = z.array(z.string());
const id = z.string();
/** Milliseconds since the epoch. */
const time = z.number();

const tree = z.object({ top: absolute, prefix: z.string(), tree: oid });

/** The lines of a session's file, by kind. */
const record = z.discriminatedUnion("kind", [
  /** The state before a prompt. `roots`: the stored trees. */
  z.object({
    kind: z.literal("prompt"),
    id,
    messageId: id,
    time,
    roots: z.array(tree),
    notHeld: texts,
  }),
  z.object({
    kind: z.literal("changes"),
    time,
    messageId: id,
    toolUseIds: texts,
    agentIds: texts,
    files: z.array(change),
    commands: texts,
    outside: texts,
    /** The id of the note that the changes settle. */
    begun: id.optional(),
  }),
  /** Calls began. `roots`, `files`: what was stored before them. A later note with the same id replaces it. */
  z.object({
    kind: z.literal("begun"),
    id,
    time,
    messageId: id,
    toolUseIds: texts,
    agentIds: texts,
    commands: texts,
    outside: texts,
    roots: z.array(tree),
    files: z.array(z.object({ path: absolute, before: entry.nullable() })),
  }),
  /**
   * Written before a rewind changes its first file. `files`: each path as it is (`before`) and as it will be (`after`).
   * `isRedo`: it takes the rewind before it back, and has no `scope`.
   */
  z.object({
    kind: z.literal("rewind"),
    id,
    time,
    messageId: id,
    files: z.array(change),
    kept: z.array(kept),
    scope: z.enum(["both", "files", "conversation"]).optional(),
    isRedo: z.literal(true).optional(),
  }),
  /** `left`: the files that could not be written, besides those of `kept`. */
  z.object({ kind: z.literal("rewind_done"), id, time, left: z.array(kept) }),
  /** A prune: everything before the prompt with the id `until` is gone; null: everything before this line. */
  z.object({ kind: z.literal("dropped"), time, until: id.nullable() }),
]);

export type CheckpointRecord = z.infer<typeof record>;
export type PromptRecord = Extract<CheckpointRecord, { kind: "prompt" }>;
export type ChangesRecord = Extract<CheckpointRecord, { kind: "changes" }>;
export type BegunRecord = Extract<CheckpointRecord, { kind: "begun" }>;
export type RewindRecord = Extract<CheckpointRecord, { kind: "rewind" }>;

/** One line. */
export function formatRecord(value: CheckpointRecord): string {
  return `${JSON.stringify(value)}\n`;
}

/** Skips what can't be read: a torn last line, garbage, and kinds of newer versions. */
export function parseRecords(text: string): readonly CheckpointRecord[] {
  return text.split("\n").flatMap((line) => {
    const parsed = line === "" ? undefined : record.safeParse(parsedJson(line));
    return parsed?.success ? [parsed.data] : [];
  });
}

/** The records that prunes have left. The order counts, not the times: a clock may go back. */
export function withoutDropped(records: readonly CheckpointRecord[]): readonly CheckpointRecord[] {
  let first = 0;
  for (const [at, one] of records.entries()) {
    if (one.kind !== "dropped") continue;
    const isKept = (other: CheckpointRecord) => other.kind === "prompt" && other.id === one.until;
    const kept = one.until === null ? at : records.findIndex(isKept);
    first = Math.max(first, kept);
  }
  return records.slice(first).filter(({ kind }) => kind !== "dropped");
}

export function changesRecord(changes: RecordedChanges, time: number, begun?: string): ChangesRecord {
  const { messageId, toolUseIds, agentIds, files, commands, outside } = changes;
  return {
    kind: "changes",
    time,
    messageId,
    toolUseIds: [...toolUseIds],
    agentIds: [...agentIds],
    files: [...files],
    commands: [...commands],
    outside: [...outside],
    ...(begun !== undefined && { begun }),
  };
}

/** True if two entries have the same kind, content and permissions. Of folders only the kind counts. */
export function isSameEntry(a: StoredEntry | null, b: StoredEntry | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.kind === "folder" || b.kind === "folder") return a.kind === b.kind;
  return a.kind === b.kind && a.oid === b.oid && a.mode === b.mode;
}

/** The objects that a record needs. */
export function objectsOf(one: CheckpointRecord): readonly { readonly oid: string; readonly isTree: boolean }[] {
  const trees = one.kind === "prompt" || one.kind === "begun" ? one.roots : [];
  const entries = entriesOf(one);
  return [
    ...trees.map((root) => ({ oid: root.tree, isTree: true })),
    ...entries.flatMap((found) => (found && found.kind !== "folder" ? [{ oid: found.oid, isTree: false }] : [])),
  ];
}

function entriesOf(one: CheckpointRecord): readonly (StoredEntry | null)[] {
  if (one.kind === "begun") return one.files.map(({ before }) => before);
  if (one.kind !== "changes" && one.kind !== "rewind") return [];
  return one.files.flatMap(({ before, after }) => [before, after]);
}
