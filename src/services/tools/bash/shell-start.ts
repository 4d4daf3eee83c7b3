import { join } from "node:path";
import { removeFiles, writePrivateFile } from "../../../platform/processes/output-file.ts";
import { readSmallFile } from "../../../platform/read-small-file.ts";

const MAX_PATH_BYTES = 64 * 1024;

/**
 * bash reads this before the command, through our own BASH_ENV, which is unset at once. The command itself stays byte for byte
 * as judged, its exit code is its own, and no descriptor stays open. A command that sets its own EXIT trap,
 * or replaces the shell by `exec`, only loses its change of folder.
 */
const PRELUDE = `printf -v QUOLL_FOLDER_FILE %q "$QUOLL_FOLDER_FILE"
trap "{ set +x; } 2>/dev/null; builtin pwd -P >|$QUOLL_FOLDER_FILE 2>/dev/null" EXIT
unset BASH_ENV QUOLL_PRELUDE QUOLL_FOLDER_FILE
`;

export type ShellStart = {
  /** Variables to add to the shell's environment; the shell removes them before the command starts. */
  readonly env: Readonly<Record<string, string>>;
  /** The only file that the shell writes to. */
  readonly folderFile: string;
  /** Delete this after the shell has ended. */
  readonly files: readonly string[];
  /** The folder in which the shell ended: undefined if unknown, empty if the folder is gone. */
  endFolder(): string | undefined;
};

/** The content of the folder file until the shell writes to it. */
const NOT_SAID = "?";

/** Prepares one shell that reports its final folder. Each shell gets a new file, which no earlier command could have changed. */
export async function prepareShell(folder: string, name: string): Promise<ShellStart> {
  const prelude = join(folder, `${name}.start`);
  const folderFile = join(folder, `${name}.folder`);
  try {
    await writePrivateFile(prelude, PRELUDE);
    // A confined shell cannot create files here, but can write to this one.
    await writePrivateFile(folderFile, NOT_SAID);
  } catch (error) {
    await removeFiles([prelude]);
    throw error;
  }
  return {
    // bash expands the value of BASH_ENV, so it must not contain a path with `$`.
    env: { BASH_ENV: "$QUOLL_PRELUDE", QUOLL_PRELUDE: prelude, QUOLL_FOLDER_FILE: folderFile },
    files: [prelude, folderFile],
    folderFile,
    endFolder: () => {
      const text = readSmallFile(folderFile, MAX_PATH_BYTES);
      return text === NOT_SAID ? undefined : text?.replace(/\n$/, "");
    },
  };
}
