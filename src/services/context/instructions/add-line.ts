import { errorMessage, UserFacingError } from "../../../contracts/errors.ts";
import { decode, detectText, encode, UTF_8 } from "../../../platform/files/encoding.ts";
import { readStamp } from "../../../platform/files/file-stamp.ts";
import { loadFile } from "../../../platform/files/load-file.ts";
import { writeFile } from "../../../platform/files/write-file.ts";
import { isInside, realPathOrSelf } from "../../../platform/paths.ts";

/** Larger files are no instruction files. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;

export type AddedLine = {
  /** The file that was written, links followed. */
  readonly path: string;
  /** The line in the form in which it is added to the file. */
  readonly line: string;
  readonly isNew: boolean;
};

/**
 * Adds one line to the end of an instruction file, as a list item, and creates the file if it is missing.
 * @param within The folder that must contain the file, links followed: a link must not redirect the line to another
 * place.
 * @throws {UserFacingError} if there are no words, the file leads out of the folder, is not text, or can't be written.
 */
export async function addLine(
  { path, within, words }: { readonly path: string; readonly within: string; readonly words: string },
  signal: AbortSignal,
): Promise<AddedLine> {
  const text = words.replace(/\s+/g, " ").trim();
  if (text === "") throw new UserFacingError("There are no words to add.");
  const real = realPathOrSelf(path);
  if (!isInside(realPathOrSelf(within), real))
    throw new UserFacingError(`${path} leads to ${real}, so nothing was written. Change that file yourself.`);
  const line = /^[-*+] /.test(text) ? text : `- ${text}`;
  try {
    const stamp = await readStamp(real);
    const loaded = stamp && (await loadFile(real, MAX_FILE_BYTES, signal));
    const encoding = loaded ? await detectText(loaded.bytes) : UTF_8;
    if (encoding === "binary") throw new UserFacingError(`${path} is not text: nothing was written.`);
    const before = loaded ? decode(loaded.bytes, encoding) : "";
    const end = before.includes("\r\n") ? "\r\n" : "\n";
    const gap = before === "" || before.endsWith("\n") ? "" : end;
    const bytes = encode(`${before}${gap}${line}${end}`, encoding);
    await writeFile({ path: real, bytes, expected: loaded?.stamp, signal });
    return { path: real, line, isNew: !loaded };
  } catch (error) {
    if (error instanceof UserFacingError || signal.aborted) throw error;
    throw new UserFacingError(`Nothing was added: ${errorMessage(error)}`, 1, { cause: error });
  }
}
