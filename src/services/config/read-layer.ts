import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode, errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type { FileStamp } from "../../contracts/files.ts";
import { isSameState, readStamp } from "../../platform/files/file-stamp.ts";
import { realPathOrSelf } from "../../platform/paths.ts";
import { readSmallText } from "../../platform/private-file.ts";
import type { LayerSource } from "./parse-layer.ts";
import { EMPTY_LAYER, type Layer } from "./settings-layer.ts";

/** Settings are written manually; a larger file is not a settings file. */
export const MAX_SETTINGS_BYTES = 4 * 1024 * 1024;

/** A blank file is read again after this delay, up to this number of times. */
const BLANK_WAIT_MS = 40;
const MAX_READS = 6;

/** @throws {UserFacingError} (exit 2) the file is unreadable or malformed. */
export async function readTrustedLayer(source: LayerSource): Promise<Layer> {
  const text = await readText(source.file);
  return text === undefined ? EMPTY_LAYER : givenTextLayer(text, source);
}

/**
 * A project's own settings, read once: restrictions take effect at once, the other allowed keys after the folder is
 * trusted. The version that the person saw takes effect, even if the file has changed in the meantime.
 * @returns undefined if there is no file.
 */
export async function readProjectLayer(source: LayerSource): Promise<((isTrusted: boolean) => Layer) | undefined> {
  const text = await readText(source.file);
  return text === undefined ? undefined : (await parser()).projectLayer(text, source);
}

/** Another tool's settings in the project: its deny and ask rules apply here too; the rest is ignored. */
export async function readForeignLayer(source: LayerSource): Promise<Layer> {
  const text = await readText(source.file);
  return text === undefined ? EMPTY_LAYER : (await parser()).foreignLayer(text, source);
}

/** A layer of a given text. @throws {UserFacingError} (exit 2) the text is malformed. */
export async function givenTextLayer(text: string, source: LayerSource): Promise<Layer> {
  return (await parser()).trustedLayer(text, source);
}

/** Where there is no file, neither the parser nor the table of settings is loaded. */
function parser() {
  return import("./parse-layer.ts");
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readWhole(file);
  } catch (error) {
    // If a file has the folder's name, there are no settings.
    if (errorCode(error) === "ENOTDIR") return undefined;
    throw new UserFacingError(
      `The settings file ${file} cannot be read (${errorMessage(error)}): make it readable, or move it out of ${dirname(file)}.`,
      2,
      { cause: error },
    );
  }
}

/**
 * The text of a file that may be in the middle of a write. An incomplete file is malformed and rejected, but a file
 * that was emptied before a rewrite would lose its deny rules, so a blank file must stay blank for a while.
 */
async function readWhole(file: string): Promise<string | undefined> {
  let before: FileStamp | undefined;
  for (let read = 0; read < MAX_READS; read += 1) {
    const text = await readSmallText(file, MAX_SETTINGS_BYTES);
    if (text === undefined || text.trim() !== "") return text;
    const stamp = await readStamp(realPathOrSelf(file));
    if (before && isSameState(before, stamp)) return text;
    before = stamp;
    await sleep(BLANK_WAIT_MS);
  }
  throw new Error("the file keeps changing");
}
