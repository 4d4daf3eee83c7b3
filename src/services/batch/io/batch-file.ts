import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { errorCode, errorMessage, UserFacingError } from "../../../contracts/errors.ts";
import { AppendFile } from "../../../platform/append-file.ts";
import { type HeldLock, tryLock } from "../../../platform/lock-file.ts";
import { entryExists } from "../../../platform/paths.ts";
import { replacePrivateFile } from "../../../platform/private-file.ts";
import { type BatchSpec, BatchState, batchSpec, type InputEvent, inputEvent } from "../batch-state.ts";

const FILE = "batch.jsonl";
const RESULTS = "results.jsonl";
const NEWLINE = 0x0a;

/** A batch that this process runs. */
export type OpenBatch = {
  readonly state: BatchState;
  /** Writes an event and applies it. @throws {Error} a system error. */
  append(event: InputEvent): void;
  /** Closes the file and releases the lock. */
  close(): void;
};

/**
 * The batches of a project: one folder each, with a JSONL file. The first line is the batch with its inputs, each other
 * line is an event of one input, so that a killed process loses at most an incomplete line.
 */
export class BatchFolder {
  readonly #folder: string;

  /** @param folder Absolute. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The ids of the batches, newest first. */
  ids(): readonly number[] {
    if (!entryExists(this.#folder)) return [];
    const ids = readdirSync(this.#folder).filter((name) => /^\d{1,9}$/.test(name));
    return ids.map(Number).sort((a, b) => b - a);
  }

  /** Saves a new batch. @returns its id. @throws {UserFacingError} the system refused. */
  create(spec: BatchSpec): number {
    try {
      for (let id = (this.ids()[0] ?? 0) + 1; ; id += 1) {
        // The lock prevents another process from taking the same id.
        const attempt = tryLock(this.#path(id, "lock"));
        if (!("lock" in attempt)) continue;
        using _lock = attempt.lock;
        if (entryExists(this.#path(id, FILE))) continue;
        replacePrivateFile(this.#path(id, FILE), `${JSON.stringify(batchSpec.parse(spec))}\n`);
        return id;
      }
    } catch (cause) {
      throw new UserFacingError(`The batch can't be saved: ${errorMessage(cause)}`, 1, { cause });
    }
  }

  /** The file for the results if the batch names none. */
  resultsFile(id: number): string {
    return this.#path(id, RESULTS);
  }

  /** @throws {UserFacingError} if there is no such batch, or this version can't read it. */
  read(id: number): BatchState {
    return this.#load(id).state;
  }

  /**
   * Opens a batch as its only writer, and removes an incomplete last line.
   * @throws {UserFacingError} as `read`; another process runs the batch; the system refused.
   */
  open(id: number): OpenBatch {
    this.#assertThere(id);
    let lock: HeldLock | undefined;
    try {
      const attempt = tryLock(this.#path(id, "lock"));
      if (!("lock" in attempt))
        throw new UserFacingError(`Batch ${id} runs in another Quoll (process ${attempt.holder?.pid ?? "unknown"}).`);
      lock = attempt.lock;
      const { state, completeBytes } = this.#load(id);
      const file = new AppendFile(this.#path(id, FILE));
      if (file.size > completeBytes) file.truncate(completeBytes);
      return opened(state, file, lock);
    } catch (cause) {
      lock?.release();
      if (cause instanceof UserFacingError) throw cause;
      throw new UserFacingError(`Batch ${id} can't be opened: ${errorMessage(cause)}`, 1, { cause });
    }
  }

  #load(id: number): { readonly state: BatchState; readonly completeBytes: number } {
    this.#assertThere(id);
    try {
      const bytes = readFileSync(this.#path(id, FILE));
      const completeBytes = bytes.lastIndexOf(NEWLINE) + 1;
      const [first = "", ...lines] = bytes.subarray(0, completeBytes).toString("utf8").trimEnd().split("\n");
      const state = new BatchState(batchSpec.parse(JSON.parse(first)));
      for (const line of lines) state.apply(inputEvent.parse(JSON.parse(line)));
      return { state, completeBytes };
    } catch (cause) {
      const why = cause instanceof z.ZodError || errorCode(cause) === undefined ? "it is damaged" : errorMessage(cause);
      throw new UserFacingError(`The file of batch ${id} can't be read (${this.#path(id, FILE)}): ${why}.`, 1, {
        cause,
      });
    }
  }

  #assertThere(id: number): void {
    if (entryExists(this.#path(id, FILE))) return;
    const known = this.ids().slice(0, 10).join(", ");
    throw new UserFacingError(
      `There is no batch ${id}. ${known === "" ? "None was made." : `Known are ${known}; \`/batch\` lists them.`}`,
    );
  }

  #path(id: number, name: string): string {
    return join(this.#folder, String(id), name);
  }
}

function opened(state: BatchState, file: AppendFile, lock: HeldLock): OpenBatch {
  return {
    state,
    append: (event) => {
      file.append(`${JSON.stringify(event)}\n`);
      state.apply(event);
    },
    close: () => {
      file.close();
      lock.release();
    },
  };
}
