import { rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { parsedJson } from "../../../contracts/parsed-json.ts";
import { namesIn } from "../../../platform/files/list-folder.ts";
import { type LockAttempt, lockHolder, waitForLock } from "../../../platform/lock-file.ts";
import { makePrivateFolder, readSmallText, replacePrivateFile } from "../../../platform/private-file.ts";
import { assertWorktreeName } from "../worktree-names.ts";

const MAX_RECORD_BYTES = 64 * 1024;
const SUFFIX = ".json";
/** A look for abandoned worktrees holds each lock for a moment. */
const LOCK_WAIT_MS = 300;
const absolute = z.string().startsWith("/");

const recordSchema = z.object({
  version: z.literal(1),
  name: z.string(),
  path: absolute,
  /** Without `refs/heads/`; absent if a hook made a folder outside git. */
  branch: z.string().optional(),
  /** The commit from which the branch began; absent if a hook made a folder outside git. */
  base: z.string().optional(),
  /** The full name of the branch that pointed to `base`, if there was one. */
  baseRef: z.string().optional(),
  /** The top of the work tree from which this one was made. */
  origin: absolute,
  madeBy: z.enum(["quoll", "hook"]),
  /** `creating` and `removing` stay behind only if Quoll was killed in the meantime. */
  state: z.enum(["creating", "ready", "removing"]),
  /** True once the person was told that a session ended without its cleanup. */
  isReported: z.boolean().optional(),
  createdAt: z.iso.datetime(),
});

/** A worktree that Quoll made, as its record on the disk says; a record is there before the worktree is. */
export type WorktreeRecord = Readonly<z.infer<typeof recordSchema>>;

/** The records of one repository's worktrees: a file and a lock for each name. */
export class WorktreeRecords {
  readonly #folder: string;

  /** @param folder Absolute; it is created with the first lock. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Takes the lock of a name: its holder alone works in the worktree and changes the record. */
  lock(name: string): Promise<LockAttempt> {
    return waitForLock(this.#lockFile(name), LOCK_WAIT_MS);
  }

  /** True if a process holds the lock. */
  isInUse(name: string): boolean {
    return lockHolder(this.#lockFile(name)) !== undefined;
  }

  /** @throws {Error} one phrase: the record can't be read; then nothing of this name may be removed. */
  async read(name: string): Promise<WorktreeRecord | undefined> {
    const file = join(this.#folder, `${name}${SUFFIX}`);
    const text = await readSmallText(file, MAX_RECORD_BYTES);
    if (text === undefined) return undefined;
    const parsed = recordSchema.safeParse(parsedJson(text));
    if (!parsed.success || parsed.data.name !== name) throw new Error(`${file} is not a record that Quoll can read`);
    return parsed.data;
  }

  write(record: WorktreeRecord): void {
    assertWorktreeName(record.name);
    makePrivateFolder(this.#folder);
    replacePrivateFile(join(this.#folder, `${record.name}${SUFFIX}`), JSON.stringify(record));
  }

  forget(name: string): void {
    rmSync(join(this.#folder, `${name}${SUFFIX}`), { force: true });
  }

  #lockFile(name: string): string {
    return join(this.#folder, `${name}.lock`);
  }

  /** The names of all records, sorted. */
  names(): readonly string[] {
    return (namesIn(this.#folder) ?? [])
      .filter((file) => file.endsWith(SUFFIX) && !file.startsWith("."))
      .map((file) => file.slice(0, -SUFFIX.length))
      .sort();
  }
}
