import { basename, dirname, join } from "node:path";
import type { ConfinedStart, ProgramStart, UnconfinedStart } from "../../../contracts/ports.ts";
import { removeFiles, writePrivateFile } from "../../../platform/processes/output-file.ts";
import { BASH_ARGUMENTS } from "../../../platform/processes/shell-program.ts";
import { type Running, spawnToFile } from "../../../platform/processes/spawn-to-file.ts";
import { readSmallFile } from "../../../platform/read-small-file.ts";
import type { BackgroundShells } from "./background-shells.ts";

const MAX_PATH_BYTES = 64 * 1024;

/**
 * bash reads this before the command, through our own BASH_ENV, which is unset at once. At its end the shell writes its
 * folder and the exit codes of the pipe that it ran last. The command itself stays byte for byte
 * as judged, its exit code is its own, and no descriptor stays open. A command that sets its own EXIT trap,
 * or replaces the shell by `exec`, only loses this report.
 */
const PRELUDE = `printf -v QUOLL_FOLDER_FILE %q "$QUOLL_FOLDER_FILE"
trap '{ QUOLL_PIPE=("\${PIPESTATUS[@]}"); set +ex; } 2>/dev/null; QUOLL_F='"$QUOLL_FOLDER_FILE"'
{ builtin pwd -P; builtin printf "\\0\\0"; builtin printf "%s " "\${QUOLL_PIPE[@]}"; } >|"$QUOLL_F" 2>/dev/null' EXIT
unset BASH_ENV QUOLL_PRELUDE QUOLL_FOLDER_FILE
`;

/**
 * Does the same as `PRELUDE`, and between the two writes the names of the processes that the shell leaves behind. In a
 * sandbox these end with the shell, and `/proc` shows no others but the sandbox's own, which run before the command.
 */
const LEAVING_PRELUDE = `printf -v QUOLL_FOLDER_FILE %q "$QUOLL_FOLDER_FILE"
QUOLL_OWN=" $$ "
for QUOLL_P in /proc/[0-9]*; do QUOLL_OWN+="\${QUOLL_P#/proc/} "; done
trap '{ QUOLL_PIPE=("\${PIPESTATUS[@]}"); set +ex; } 2>/dev/null; QUOLL_OWN="'"$QUOLL_OWN"'" QUOLL_F='"$QUOLL_FOLDER_FILE"'
{ builtin pwd -P; builtin printf "\\0"
for QUOLL_P in /proc/[0-9]*; do
  [[ $QUOLL_OWN == *" \${QUOLL_P#/proc/} "* ]] && continue
  builtin read -r QUOLL_S <"$QUOLL_P/stat" && [[ $QUOLL_S != *") Z "* ]] &&
    builtin read -r QUOLL_S <"$QUOLL_P/comm" && builtin printf "%s\\n" "$QUOLL_S"
done
builtin printf "\\0"; builtin printf "%s " "\${QUOLL_PIPE[@]}"; } >|"$QUOLL_F" 2>/dev/null' EXIT
unset BASH_ENV QUOLL_PRELUDE QUOLL_FOLDER_FILE QUOLL_OWN QUOLL_P
`;
/** A command that may leave processes behind: with `&`, or by a program that does it by itself. */
const MAY_LEAVE = /(?<![>&<|])&(?![&>])|\b(?:setsid|daemon\w*|start)\b/;

/** True if a command's shell may end before the processes that it has started. In doubt it may. */
function mayLeaveProcesses(command: string): boolean {
  return MAY_LEAVE.test(command);
}

/** The files with which a shell reports its end. */
export type ShellReport = {
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
  /** The exit codes of the parts of the pipe that the shell ran last; empty if unknown. */
  pipeCodes(): readonly number[];
};

/** The content of the folder file until the shell writes to it. */
const NOT_SAID = "?";

/**
 * Prepares one shell that reports its final folder and the processes that it leaves behind. Each shell gets a new file,
 * which no earlier command could have changed.
 * @param namesLeft False if the shell reports only its folder.
 */
async function prepareReport(folder: string, name: string, namesLeft: boolean): Promise<ShellReport> {
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
    pipeCodes: () => (said()?.[2]?.match(/\d+/g) ?? []).map(Number),
  };
}

export type BashRequest = {
  readonly command: string;
  readonly bash: string;
  readonly cwd: string;
  /** The environment, tag included. */
  readonly env: Readonly<Record<string, string>>;
  readonly tag: string;
  /** Confines the start; undefined if the command runs unconfined. */
  readonly confine: Confine | undefined;
  /** True if the shell may end in another folder, which it then reports. */
  readonly mayMove: boolean;
  /** True if the shell reports the exit codes of its last pipe. */
  readonly endsInPipe: boolean;
  /** Await this before an unconfined start. */
  readonly beginUnconfined?: ((signal: AbortSignal) => Promise<UnconfinedStart>) | undefined;
};

/** @throws {ToolFailedError} the command can't be confined. */
export type Confine = (start: ProgramStart, signal: AbortSignal) => Promise<ConfinedStart>;

export type BashStart = {
  /** In the session's folder for artefacts. */
  readonly outputPath: string;
  /** The descriptor of the output file, if it exists. */
  readonly output?: number;
  readonly shells: BackgroundShells;
  /** True for a background command. */
  readonly isBackground?: boolean;
};

export type StartedBash = Running & {
  readonly outputPath: string;
  /** Absent if no report about the shell's end is needed. Its files are to be removed after the end. */
  readonly report: ShellReport | undefined;
  /** Resolves after the end of bash, to true if certainly none of its processes is left. Never rejects. */
  readonly isGone: Promise<boolean>;
  /** The changes that the sandbox reports to the person, one line each. Resolves when every process has ended; never rejects. */
  readonly changes: Promise<readonly string[]>;
  /** The files of the workspace that were hidden because the command has a network. */
  readonly hiddenSecrets: readonly string[];
} & Pick<ConfinedStart, "movedToBackground">;

/** Starts bash on exactly the given bytes. @throws {ToolFailedError} bash can't be started or confined. */
export async function startBash(request: BashRequest, how: BashStart, signal: AbortSignal): Promise<StartedBash> {
  const { command, bash, cwd, env, tag, confine, mayMove, endsInPipe } = request;
  const { outputPath, output, isBackground = false, shells } = how;
  const namesLeft = confine !== undefined && mayLeaveProcesses(command);
  const name = basename(outputPath, ".log");
  const hasReport = mayMove || endsInPipe || namesLeft;
  const report = hasReport ? await prepareReport(dirname(outputPath), name, namesLeft) : undefined;
  const plain: ProgramStart = {
    file: bash,
    args: [...BASH_ARGUMENTS, command],
    cwd,
    env: { ...env, ...report?.env },
    isBackground,
    ...(report && { writableFiles: [report.folderFile] }),
  };
  try {
    if (confine) {
      const confined = await confine(plain, signal);
      return { ...(await startConfined(confined, { outputPath, output, tag, shells })), outputPath, report };
    }
    const unconfined = await request.beginUnconfined?.(signal);
    const running = startUnconfined({ ...plain, outputPath, output, tag }, unconfined);
    shells.started(running, command);
    return { ...running, outputPath, report };
  } catch (error) {
    await removeFiles(report?.files ?? []);
    throw error;
  }
}

type StartedProgram = Omit<StartedBash, "outputPath" | "report">;
type ConfinedHow = Pick<BashStart, "outputPath" | "shells"> & {
  readonly output: number | undefined;
  readonly tag: string;
};

async function startConfined(confined: ConfinedStart, { shells, ...program }: ConfinedHow): Promise<StartedProgram> {
  try {
    const running = spawnToFile({ ...confined, ...program, isWrapper: confined.isWrapped });
    const disposed = running.exited.then(() => confined.dispose());
    shells.settle(disposed);
    const changes = disposed.then(
      () => confined.changes?.() ?? [],
      () => [],
    );
    const movedToBackground = () => confined.movedToBackground?.();
    const { hiddenSecrets = [] } = confined;
    return { ...running, isGone: disposed, changes, hiddenSecrets, movedToBackground };
  } catch (error) {
    await confined.dispose();
    throw error;
  }
}

function startUnconfined(
  start: Parameters<typeof spawnToFile>[0],
  unconfined: UnconfinedStart | undefined,
): StartedProgram {
  try {
    const running = spawnToFile(start);
    void running.exited.then(() => unconfined?.end());
    const changes = Promise.resolve(unconfined?.lines ?? []);
    return { ...running, isGone: Promise.resolve(false), changes, hiddenSecrets: [] };
  } catch (error) {
    unconfined?.end();
    throw error;
  }
}
