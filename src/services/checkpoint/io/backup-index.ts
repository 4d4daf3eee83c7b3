import { join } from "node:path";
import { z } from "zod";
import type { BackupLog, BackupRecord } from "../../../contracts/backup.ts";
import { parsedJson } from "../../../contracts/parsed-json.ts";
import { AppendFile } from "../../../platform/append-file.ts";
import { waitForLock } from "../../../platform/lock-file.ts";
import { textOrEmpty } from "./record-file.ts";

/** Beside the records of sessions, which end with `.jsonl`. */
export const BACKUP_INDEX = "backups.list";
const LOCK = "backups-list.lock";
const LOCK_WAIT_MS = 500;

const text = z.string();
const absolute = text.startsWith("/");
const texts = z.array(text);
const part = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("commit"), top: absolute, repository: absolute, ref: text, names: texts, gone: texts }),
  z.object({ kind: z.literal("folder"), folder: absolute, paths: z.array(absolute), rights: z.number() }),
  z.object({ kind: z.literal("references"), top: absolute, repository: absolute, root: text, count: z.number() }),
]);
const record = z.object({ id: text, time: z.number(), cause: text, parts: z.array(part), lines: texts });

/** The list of a project's backups: a file with one line a backup, which several processes may append to. */
export class BackupIndex implements BackupLog {
  readonly #folder: string;

  /** @param folder The folder of the project's checkpoints: absolute. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async add(records: readonly BackupRecord[]): Promise<void> {
    if (records.length === 0) return;
    const attempt = await waitForLock(join(this.#folder, LOCK), LOCK_WAIT_MS);
    using _lock = "lock" in attempt ? attempt.lock : undefined;
    using file = new AppendFile(this.#path());
    file.appendLines(records.map((one) => `${JSON.stringify(one)}\n`).join(""));
  }

  /**
   * The noted backups, oldest first. What can't be read is left out: a torn line, and lines of newer versions. Of a
   * backup that was noted twice, the line that knows more counts.
   * @throws {Error} a system error.
   */
  all(): readonly BackupRecord[] {
    const byId = new Map<string, BackupRecord>();
    for (const line of textOrEmpty(this.#path()).split("\n")) {
      const found = parsed(line);
      const known = found && byId.get(found.id);
      if (found && (!known || known.lines.length === 0)) byId.set(found.id, found);
    }
    return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  #path(): string {
    return join(this.#folder, BACKUP_INDEX);
  }
}

function parsed(line: string): BackupRecord | undefined {
  return line === "" ? undefined : record.safeParse(parsedJson(line)).data;
}
