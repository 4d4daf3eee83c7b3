import { dirname } from "node:path";
import { applyEdits, modify } from "jsonc-parser/lib/esm/main.js";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type { SandboxScope } from "../../contracts/sandbox-settings.ts";
import type { SettingsFile } from "../../contracts/settings.ts";
import { type HeldLock, waitForLock } from "../../platform/lock-file.ts";
import { makePrivateFolder, readSmallText, replacePrivateFile } from "../../platform/private-file.ts";
import { parseSettings } from "./parse-settings.ts";
import { MAX_SETTINGS_BYTES } from "./read-layer.ts";

/** How long another Quoll process may hold the lock. */
const LOCK_WAIT_MS = 5_000;
const FORMATTING = { insertSpaces: true, tabSize: 2, eol: "\n" } as const;

/**
 * Adds rules to `permissions.allow` in the user's own file for this project, and keeps its comments and other content. The
 * file is replaced atomically, under a lock, so that two sessions do not lose each other's rules.
 * @throws {UserFacingError} the file is malformed, locked for too long, or not writable; nothing is changed.
 */
export function rememberRules(file: string, rules: readonly string[]): Promise<void> {
  return remember({ file, path: ["permissions", "allow"], what: "the rule", present: allowedIn }, rules);
}

/** Like `rememberRules`, for names of variables that commands may get: `env.pass`. */
export function rememberPassedVariables(file: string, names: readonly string[]): Promise<void> {
  const present = ({ env }: SettingsFile) => env?.pass;
  return remember({ file, path: ["env", "pass"], what: "the variable's name", present }, names);
}

/**
 * Saves the answer that confined commands run without asking, with their current limits, and replaces an earlier
 * answer. @throws as `rememberRules`.
 */
export function rememberConsent(file: string, scope: SandboxScope): Promise<void> {
  return changeFile({ file, what: "the answer" }, (text) => {
    parseSettings(text, file);
    return modified(text, AGREED, scope);
  });
}

/** Revokes that answer. @throws as `rememberRules`. */
export function forgetConsent(file: string): Promise<void> {
  return changeFile({ file, what: "the change" }, (text) =>
    parseSettings(text, file).value.sandbox?.agreed === undefined ? text : modified(text, AGREED, undefined),
  );
}

/** Sets one setting, as a text. @throws as `rememberRules`. */
export function rememberSetting(file: string, key: "outputStyle", value: string): Promise<void> {
  return changeFile({ file, what: "the setting" }, (text) => {
    parseSettings(text, file);
    return modified(text, [key], value);
  });
}

const AGREED = ["sandbox", "agreed"];

function modified(text: string, path: readonly string[], value: unknown): string {
  return withFinalNewline(applyEdits(text, modify(text, [...path], value, { formattingOptions: FORMATTING })));
}

function allowedIn({ permissions }: SettingsFile): readonly string[] | undefined {
  return permissions?.allow?.map((entry) => (typeof entry === "string" ? entry : entry.rule));
}

type Change = {
  readonly file: string;
  /** The name of the addition in messages. */
  readonly what: string;
};

type Kept = Change & {
  /** The list to extend. */
  readonly path: readonly string[];
  present(settings: SettingsFile): readonly string[] | undefined;
};

async function remember(kept: Kept, items: readonly string[]): Promise<void> {
  if (items.length === 0) return;
  await changeFile(kept, (text) => withItems(text, kept, items));
}

async function changeFile(kept: Change, change: (text: string) => string): Promise<void> {
  const { file, what } = kept;
  const lock = await lockOf(kept);
  try {
    const text = (await readSmallText(file, MAX_SETTINGS_BYTES)) ?? "";
    const changed = change(text);
    if (changed !== text) replacePrivateFile(file, changed);
  } catch (error) {
    if (error instanceof UserFacingError) throw error;
    throw new UserFacingError(`${file} could not be written (${errorMessage(error)}): ${what} was not saved.`, 1, {
      cause: error,
    });
  } finally {
    lock.release();
  }
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

function withItems(text: string, { file, path, present }: Kept, items: readonly string[]): string {
  const before = present(parseSettings(text, file).value);
  const missing = [...new Set(items)].filter((item) => !before?.includes(item));
  if (missing.length === 0) return text;
  const options = { formattingOptions: FORMATTING };
  if (before === undefined) return modified(text, path, missing);
  let result = text;
  for (const item of missing) {
    const edits = modify(result, [...path, -1], item, { ...options, isArrayInsertion: true });
    result = applyEdits(result, edits);
  }
  return withFinalNewline(result);
}

function withFinalNewline(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
