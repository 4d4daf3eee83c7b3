import { relative } from "node:path";
import { formatAgo } from "@quoll/terminal-text/format-amount";
import { oneLine } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import {
  type BackupsEnvironment,
  manualLines,
  type ProjectBackups,
  projectBackups,
  stateNamed,
} from "../../app/session/backups/project-backups.ts";
import { shellRestores } from "../../app/session/backups/shell-restores.ts";
import { finishedLines, previewLines, redoneLines, restoredLines } from "../../commands/rewind-lines.ts";
import type { SavedState } from "../../contracts/backup.ts";
import type { FileRewinds, RewindPreview, RewindResult } from "../../contracts/checkpoint.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import { systemClock } from "../../platform/clock.ts";
import { shortPath } from "../../platform/directories.ts";
import { printError, printProblem } from "../../platform/host.ts";
import { isInside } from "../../platform/paths.ts";
import { printLine } from "../../platform/standard-output.ts";
import { listSessions } from "../../services/session/session-catalogue.ts";
import { projectSessions } from "./project-sessions.ts";

const SHOWN_PATHS = 3;
const MAX_PATH_COLUMNS = 80;
const MAX_TITLE_COLUMNS = 60;

export type BackupsOptions = { readonly json?: boolean; readonly cwd?: string };
export type RestoreOptions = BackupsOptions & { readonly dryRun?: boolean; readonly overwrite?: boolean };

/** `sessions`: the folder of the project's sessions; absolute. */
type OpenedBackups = {
  readonly environment: BackupsEnvironment;
  readonly backups: ProjectBackups;
  readonly cwd: string;
  readonly sessions: string;
  shown(path: string): string;
};

async function openBackups(options: BackupsOptions): Promise<OpenedBackups> {
  const { own, env, cwd, project, sessions } = await projectSessions(options.cwd);
  const environment: BackupsEnvironment = { own, project, env };
  const shown = (path: string) =>
    isInside(project.cwd, path) ? relative(project.cwd, path) || "." : shortPath(path, own.home);
  return { environment, backups: projectBackups(environment), cwd, sessions, shown };
}

/** `quoll backups list`. */
export async function listBackups({ json, ...options }: BackupsOptions): Promise<number> {
  const opened = await openBackups(options);
  const states = await opened.backups.list(new AbortController().signal);
  if (json) printLine(JSON.stringify(states.map(jsonOf), null, 2));
  else if (states.length > 0) printLine(states.map(await rowsWith(opened)).join("\n"));
  else printError("quoll: This project has no backup and no checkpoint.");
  return 0;
}

/** `quoll backups show`. */
export async function showBackup(id: string, { json, ...options }: BackupsOptions): Promise<number> {
  const opened = await openBackups(options);
  const { backups, shown } = opened;
  const state = stateNamed(id, await backups.list(new AbortController().signal));
  if (json) {
    printLine(JSON.stringify(jsonOf(state), null, 2));
    return 0;
  }
  const manual = state.kind === "backup" ? manualLines(state.record) : [];
  const rows = (await rowsWith(opened))(state);
  printLine([rows, ...state.paths.map((path) => `  ${oneLine(shown(path))}`), ...manual].join("\n"));
  return 0;
}

/** `quoll backups restore`. */
export async function restoreBackup(
  id: string,
  { dryRun: isDryRun = false, overwrite: overwrites = false, json = false, ...options }: RestoreOptions,
  version: string,
): Promise<number> {
  const opened = await openBackups(options);
  const { backups, cwd, shown } = opened;
  const state = stateNamed(id, await backups.list(new AbortController().signal));
  if (state.kind === "checkpoint") {
    const { rewindSession } = await import("./rewind-session.ts");
    const action = { to: state.id, scope: "files", isDryRun, json } as const;
    return rewindSession(action, state.sessionId, { folder: cwd, version });
  }
  const { record } = state;
  return withRestores(opened, !isDryRun, async (restores, signal) => {
    const request = { record, reader: backups.reader };
    const preview = await restores.previewBackup(request, signal);
    if (isDryRun) return print({ json, value: preview, lines: previewed(state.id, preview, shown) });
    const choices = Object.fromEntries(preview.conflicts.map(({ path }) => [path, "checkpoint" as const]));
    const done = await restores.restoreBackup({ ...request, ...(overwrites && { choices }) }, signal);
    const hint =
      overwrites || preview.conflicts.length === 0 ? [] : ["--overwrite replaces files that changed since, too."];
    const lines = restoredLines(done, { id: state.id, redo: "`quoll backups redo`" }, shown);
    return print({ json, value: done, lines: [...lines, ...hint] });
  });
}

/** `quoll backups redo`. */
export async function redoRestore({ json = false, ...options }: BackupsOptions): Promise<number> {
  const opened = await openBackups(options);
  return withRestores(opened, true, async (restores, signal) => {
    if (restores.redoable() === undefined) {
      throw new UserFacingError(
        "No restore of a backup is left to take back. To take a rewind back, resume its session and type /redo.",
      );
    }
    const done: RewindResult = await restores.redo(undefined, signal);
    return print({ json, value: done, lines: redoneLines({ ...done, of: "backup" }, opened.shown) });
  });
}

/** @param changes True if files change: a restore that an earlier process left is finished first. */
async function withRestores(
  { environment, backups, shown }: OpenedBackups,
  changes: boolean,
  run: (restores: FileRewinds, signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const { restores, close } = shellRestores(environment, backups.folder);
  try {
    if (changes) await finishEarlier(restores, shown);
    return await run(restores, new AbortController().signal);
  } finally {
    await close();
  }
}

/** The end of an earlier process may have interrupted a restore. */
async function finishEarlier(restores: FileRewinds, shown: OpenedBackups["shown"]): Promise<void> {
  const found = await restores.finishInterrupted(new AbortController().signal);
  for (const line of found ? finishedLines(found, shown) : []) printProblem(line);
}

function previewed(id: string, preview: RewindPreview, shown: OpenedBackups["shown"]): readonly string[] {
  const lines = previewLines(preview, shown);
  return lines.length > 0 ? lines : [`All files of ${id} are as they were.`];
}

function print({
  json,
  value,
  lines,
}: {
  readonly json: boolean;
  readonly value: unknown;
  readonly lines: readonly string[];
}): number {
  printLine(json ? JSON.stringify(value, null, 2) : lines.join("\n"));
  return 0;
}

/** Two lines: id, kind and age; then the cause and the paths. */
async function rowsWith({ sessions, shown }: OpenedBackups): Promise<(state: SavedState) => string> {
  const titles = new Map((await listSessions(sessions)).map(({ id, title }) => [id, title]));
  return (state) => {
    const { id, time, kind, cause, paths } = state;
    const named = paths.slice(0, SHOWN_PATHS).map((path) => oneLine(shown(path), MAX_PATH_COLUMNS));
    const more = paths.length > named.length ? ` and ${plural(paths.length - named.length, "more path")}` : "";
    const title = kind === "checkpoint" && titles.get(state.sessionId);
    const what =
      kind === "backup" ? "backup" : `checkpoint${title ? ` of "${oneLine(title, MAX_TITLE_COLUMNS)}"` : ""}`;
    const about = [cause, `${named.join(", ")}${more}`].filter((part) => part !== "").join(" · ");
    return `${id}  ${what} · ${formatAgo(systemClock.now() - time)}${about === "" ? "" : `\n    ${about}`}`;
  };
}

function jsonOf(state: SavedState) {
  const { id, kind, cause, paths } = state;
  const time = new Date(state.time).toISOString();
  const rest = state.kind === "backup" ? { restore: manualLines(state.record) } : { sessionId: state.sessionId };
  return { id, kind, time, cause, paths, ...rest };
}
