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

/**
 * Does the same as `PRELUDE`, and writes the names of the processes that the shell leaves behind after the folder. In a
 * sandbox these end with the shell, and `/proc` shows no others but the sandbox's own, which run before the command.
 */
const LEAVING_PRELUDE = `printf -v QUOLL_FOLDER_FILE %q "$QUOLL_FOLDER_FILE"
QUOLL_OWN=" $$ "
for QUOLL_P in /proc/[0-9]*; do QUOLL_OWN+="\${QUOLL_P#/proc/} "; done
trap "{ set +x; } 2>/dev/null; QUOLL_OWN='$QUOLL_OWN' QUOLL_F=$QUOLL_FOLDER_FILE"'
{ builtin pwd -P; builtin printf "\\0"
for QUOLL_P in /proc/[0-9]*; do
  [[ $QUOLL_OWN == *" \${QUOLL_P#/proc/} "* ]] && continue
  builtin read -r QUOLL_S <"$QUOLL_P/stat" && [[ $QUOLL_S != *") Z "* ]] &&
    builtin read -r QUOLL_S <"$QUOLL_P/comm" && builtin printf "%s\\n" "$QUOLL_S"
done; } >|"$QUOLL_F" 2>/dev/null' EXIT
unset BASH_ENV QUOLL_PRELUDE QUOLL_FOLDER_FILE QUOLL_OWN QUOLL_P
`;
/** A command that may leave processes behind: with `&`, or by a program that does it by itself. */
const MAY_LEAVE = /(?<![>&<|])&(?![&>])|\b(?:setsid|daemon\w*|start)\b/;

/** True if a command's shell may end before the processes that it has started. In doubt it may. */
export function mayLeaveProcesses(command: string): boolean {
  return MAY_LEAVE.test(command);
}

export type ShellStart = {
  /** Variables to add to the shell's environment; the shell removes them before the command starts. */
  readonly env: Readonly<Record<string, string>>;
  /** The only file that the shell writes to. */
  readonly folderFile: string;
  /** Delete this after the shell has ended. */
  readonly files: readonly string[];
  /** The folder in which the shell ended: undefined if unknown, empty if the folder is gone. */
  endFolder(): string | undefined;
  /** The names of the processes that ran on when the shell ended; empty if unknown. */
  leftBehind(): readonly string[];
};

/** The content of the folder file until the shell writes to it. */
const NOT_SAID = "?";

/**
 * Prepares one shell that reports its final folder and the processes that it leaves behind. Each shell gets a new file,
 * which no earlier command could have changed.
 * @param namesLeft False if the shell reports only its folder.
 */
export async function prepareShell(folder: string, name: string, namesLeft: boolean): Promise<ShellStart> {
  const prelude = join(folder, `${name}.start`);
  const folderFile = join(folder, `${name}.folder`);
  try {
    await writePrivateFile(prelude, namesLeft ? LEAVING_PRELUDE : PRELUDE);
    // A confined shell cannot create files here, but can write to this one.
    await writePrivateFile(folderFile, NOT_SAID);
  } catch (error) {
    await removeFiles([prelude]);
    throw error;
  }
  const said = () => {
    const text = readSmallFile(folderFile, MAX_PATH_BYTES);
    return text === undefined || text === NOT_SAID ? undefined : text.split("\0");
  };
  return {
    // bash expands the value of BASH_ENV, so it must not contain a path with `$`.
    env: { BASH_ENV: "$QUOLL_PRELUDE", QUOLL_PRELUDE: prelude, QUOLL_FOLDER_FILE: folderFile },
    files: [prelude, folderFile],
    folderFile,
    endFolder: () => said()?.[0]?.replace(/\n$/, ""),
    leftBehind: () => [...new Set((said()?.[1] ?? "").split("\n"))].filter((name) => name !== ""),
  };
}
