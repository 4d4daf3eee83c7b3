import { unlink } from "node:fs/promises";
import { errorMessage, UserFacingError } from "../../../contracts/errors.ts";
import { writeFile } from "../../../platform/files/write-file.ts";

/** Writes a new file. @throws {UserFacingError} (as a rejection) it exists already, or can't be written. */
export async function createAgentFile(path: string, text: string, signal: AbortSignal): Promise<void> {
  try {
    await writeFile({ path, bytes: new TextEncoder().encode(text), expected: undefined, signal });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new UserFacingError(errorMessage(error), 1, { cause: error });
  }
}

/** @throws {UserFacingError} (as a rejection) the file is still there. */
export async function removeAgentFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    throw new UserFacingError(`${path} can't be deleted: ${errorMessage(error)}`, 1, { cause: error });
  }
}
