import { dirname } from "node:path";
import { applyEdits, type JSONPath, modify } from "jsonc-parser/lib/esm/main.js";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import { type HeldLock, waitForLock } from "../../platform/lock-file.ts";
import {
  makePrivateFolder,
  readSmallText,
  replacePrivateFile,
  replaceSharedFile,
} from "../../platform/private-file.ts";
import { MAX_SETTINGS_BYTES } from "./read-layer.ts";

/** How long another Quoll process may hold the lock. */
const LOCK_WAIT_MS = 5_000;
const DEFAULT_INDENT = "  ";

export type Change = {
  readonly file: string;
  /** The name of the addition in messages. */
  readonly what: string;
  /** True for a file of the project, which others may read. */
  readonly isShared?: boolean;
};

/**
 * Replaces a settings file of the user atomically, under a lock, so that two sessions do not lose each other's changes.
 * @throws {UserFacingError} the file is locked for too long or not writable, or `change` refuses; nothing is changed.
 */
export async function changeFile(target: Change, change: (text: string) => string): Promise<void> {
  const { file, what, isShared } = target;
  const lock = await lockOf(target);
  try {
    const text = (await readSmallText(file, MAX_SETTINGS_BYTES)) ?? "";
    const changed = change(text);
    if (changed !== text) (isShared ? replaceSharedFile : replacePrivateFile)(file, changed);
  } catch (error) {
    if (error instanceof UserFacingError) throw error;
    throw new UserFacingError(`${file} could not be written (${errorMessage(error)}): ${what} was not saved.`, 1, {
      cause: error,
    });
  } finally {
    lock.release();
  }
}

/** Sets a value in a settings text, or removes it (`undefined`), in the text's own indentation. Comments stay. */
export function withValue(text: string, path: JSONPath, value: unknown): string {
  return edited(text, path, value, false);
}

/** Appends an item to an existing list. */
export function withItem(text: string, path: JSONPath, item: unknown): string {
  return edited(text, [...path, -1], item, true);
}

function edited(text: string, path: JSONPath, value: unknown, isArrayInsertion: boolean): string {
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? DEFAULT_INDENT;
  const formattingOptions = {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
  const changed = applyEdits(text, modify(text, path, value, { formattingOptions, isArrayInsertion }));
  return changed.endsWith("\n") ? changed : `${changed}${formattingOptions.eol}`;
}

async function lockOf({ file, what }: Change): Promise<HeldLock> {
  let attempt: Awaited<ReturnType<typeof waitForLock>>;
  try {
    makePrivateFolder(dirname(file));
    attempt = await waitForLock(`${file}.lock`, LOCK_WAIT_MS);
  } catch (error) {
    throw new UserFacingError(`${file} could not be locked (${errorMessage(error)}): ${what} was not saved.`, 1, {
      cause: error,
    });
  }
  if ("lock" in attempt) return attempt.lock;
  const who = attempt.holder ? `pid ${attempt.holder.pid} on ${attempt.holder.host}` : "another program";
  throw new UserFacingError(`${file} is being changed by ${who}: ${what} was not saved. Try again.`);
}
