import { dirname } from "node:path";
import { applyEdits, modify } from "jsonc-parser/lib/esm/main.js";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import { type HeldLock, waitForLock } from "../../platform/lock-file.ts";
import { makePrivateFolder, readSmallText, replacePrivateFile } from "../../platform/private-file.ts";
import { parseSettings } from "./parse-settings.ts";
import { MAX_SETTINGS_BYTES } from "./read-layer.ts";

/** How long another Quoll may be busy with the same file. */
const LOCK_WAIT_MS = 5_000;
const FORMATTING = { insertSpaces: true, tabSize: 2, eol: "\n" } as const;

/**
 * Adds rules to `permissions.allow` of the user's own file for this project, keeping its comments and everything else. The
 * file is replaced whole, under a lock, so that two sessions don't lose each other's rules.
 * @throws {UserFacingError} the file is malformed, locked for too long, or can't be written; nothing is changed.
 */
export async function rememberRules(file: string, rules: readonly string[]): Promise<void> {
  if (rules.length === 0) return;
  const lock = await lockOf(file);
  try {
    const text = (await readSmallText(file, MAX_SETTINGS_BYTES)) ?? "";
    const changed = withRules(text, file, rules);
    if (changed !== text) replacePrivateFile(file, changed);
  } catch (error) {
    if (error instanceof UserFacingError) throw error;
    throw new UserFacingError(`${file} could not be written (${errorMessage(error)}): the rule was not kept.`, 1, {
      cause: error,
    });
  } finally {
    lock.release();
  }
}

async function lockOf(file: string): Promise<HeldLock> {
  let attempt: Awaited<ReturnType<typeof waitForLock>>;
  try {
    makePrivateFolder(dirname(file));
    attempt = await waitForLock(`${file}.lock`, LOCK_WAIT_MS);
  } catch (error) {
    throw new UserFacingError(`${file} could not be locked (${errorMessage(error)}): the rule was not kept.`, 1, {
      cause: error,
    });
  }
  if ("lock" in attempt) return attempt.lock;
  const who = attempt.holder ? `pid ${attempt.holder.pid} on ${attempt.holder.host}` : "another program";
  throw new UserFacingError(`${file} is being changed by ${who}: the rule was not kept. Try again.`);
}

function withRules(text: string, file: string, rules: readonly string[]): string {
  const parsed = parseSettings(text, file);
  const present = parsed.value.permissions?.allow;
  const missing = [...new Set(rules)].filter((rule) => !present?.includes(rule));
  if (missing.length === 0) return text;
  const options = { formattingOptions: FORMATTING };
  if (present === undefined)
    return withFinalNewline(applyEdits(text, modify(text, ["permissions", "allow"], missing, options)));
  let result = text;
  for (const rule of missing) {
    const edits = modify(result, ["permissions", "allow", -1], rule, { ...options, isArrayInsertion: true });
    result = applyEdits(result, edits);
  }
  return withFinalNewline(result);
}

function withFinalNewline(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
