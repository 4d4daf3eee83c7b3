import { join } from "node:path";
import { writePrivateFile } from "../../../platform/processes/output-file.ts";
import { readSmallFile } from "../../../platform/read-small-file.ts";

const MAX_PATH_BYTES = 64 * 1024;

/**
 * Read by bash before the command, through a BASH_ENV of our own that is unset at once: the command itself stays the very
 * bytes that were judged, its exit code is its own, and no descriptor is left open. A command that sets its own EXIT trap,
 * or replaces the shell by `exec`, only loses the change of folder.
 */
const PRELUDE = `printf -v QUOLL_FOLDER_FILE %q "$QUOLL_FOLDER_FILE"
trap "{ set +x; } 2>/dev/null; builtin pwd -P >|$QUOLL_FOLDER_FILE 2>/dev/null" EXIT
unset BASH_ENV QUOLL_PRELUDE QUOLL_FOLDER_FILE
`;

export type ShellStart = {
  /** To be added to the shell's environment; the shell drops it before the command starts. */
  readonly env: Readonly<Record<string, string>>;
  /** The one file that the shell writes to. */
  readonly folderFile: string;
  /** To be removed when the shell has ended. */
  readonly files: readonly string[];
  /** The folder in which the shell ended: undefined when it did not say, empty when the folder is gone. */
  endFolder(): string | undefined;
};

/** Stands in the folder file until the shell writes there. */
const NOT_SAID = "?";

/** Prepares one shell that tells where it ended. The file is new for each: nothing that ran before could have changed it. */
export async function prepareShell(folder: string, name: string): Promise<ShellStart> {
  const prelude = join(folder, `${name}.start`);
  const folderFile = join(folder, `${name}.folder`);
  await writePrivateFile(prelude, PRELUDE);
  // A confined shell can't make files here, only write to this one.
  await writePrivateFile(folderFile, NOT_SAID);
  return {
    // bash expands the value of BASH_ENV: a path with `$` in it must not stand there itself.
    env: { BASH_ENV: "$QUOLL_PRELUDE", QUOLL_PRELUDE: prelude, QUOLL_FOLDER_FILE: folderFile },
    files: [prelude, folderFile],
    folderFile,
    endFolder: () => {
      const text = readSmallFile(folderFile, MAX_PATH_BYTES);
      return text === NOT_SAID ? undefined : text?.replace(/\n$/, "");
    },
  };
}
