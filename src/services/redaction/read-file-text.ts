import { decode, detectEncoding } from "../../platform/files/encoding.ts";
import { readStamp } from "../../platform/files/file-stamp.ts";
import { loadFile } from "../../platform/files/load-file.ts";

/** As large as a file that Edit takes. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/**
 * The text of a file as the tools read it; undefined when there is no file, or no text in it.
 * @param path Absolute, symlinks resolved.
 * @throws {ToolFailedError} it can't be read, or is too large.
 */
export async function readFileText(path: string): Promise<string | undefined> {
  if (!(await readStamp(path))) return undefined;
  const { bytes } = await loadFile(path, MAX_FILE_BYTES, new AbortController().signal);
  const encoding = detectEncoding(bytes);
  return encoding === "binary" ? undefined : decode(bytes, encoding);
}
