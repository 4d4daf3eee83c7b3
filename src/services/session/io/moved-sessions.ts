import { existsSync, mkdirSync, renameSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { oneLine } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import { folderIdentity } from "../../../platform/folder-identity.ts";
import { tryLock } from "../../../platform/lock-file.ts";
import { fileNames, listFolders, readHead } from "../../../platform/read-chunks.ts";
import { readIndex } from "../facts-index.ts";
import type { LogFacts } from "../log-facts.ts";
import { SESSION_ENDING, sessionFile, sessionLock } from "../session-file.ts";

/** The first entry is near the start. */
const HEAD_BYTES = 16 * 1024;
const MAX_FOLDER_COLUMNS = 500;

/** A saved session of another project. `cwd`: the folder in which it was started. */
type Found = { readonly folder: string; readonly id: string; readonly cwd: string; readonly rootId?: string };

/**
 * Takes over the sessions of a project whose folder was renamed or moved to `root`.
 * @param folder `sessions/<project id>` of the project as it is now; absolute.
 * @returns one line for the person; undefined if there is nothing to take over.
 * @throws {Error} a session could not be moved.
 */
export function takeMovedSessions(folder: string, root: string): string | undefined {
  const rootId = folderIdentity(root);
  if (rootId === undefined) return undefined;
  // The index knows of most sessions that they are of another project, so that their files need not be opened.
  const mayBeMoved = (known: LogFacts | undefined) => known === undefined || known.rootId === rootId;
  const moved = others(folder, { mayBe: mayBeMoved }).filter(
    (session) => session.rootId === rootId && !existsSync(session.cwd),
  );
  const taken = moved.filter((session) => take(session, folder));
  const [first] = taken;
  return first && `The project was moved here from ${shown(first)}: so were its ${plural(taken.length, "session")}.`;
}

/**
 * Takes over one session whose project's folder no longer exists.
 * @param wanted The whole id, or its beginning.
 * @returns one line for the person; undefined if not exactly one such session exists.
 * @throws {Error} the session could not be moved.
 */
export function takeSession(folder: string, wanted: string): string | undefined {
  const fitting = others(folder, { fits: (id) => id.startsWith(wanted) });
  const [only, ...more] = fitting.filter(({ id }) => id === wanted || fitting.length === 1);
  if (!only || more.length > 0 || existsSync(only.cwd) || !take(only, folder)) return undefined;
  return `The session began in ${shown(only)}, which no longer exists: it is a session of this project now.`;
}

function shown({ cwd }: Found): string {
  return oneLine(cwd, MAX_FOLDER_COLUMNS);
}

/** `mayBe` gets the session's facts in the index of its project. */
type Wanted = { fits?(id: string): boolean; mayBe?(known: LogFacts | undefined): boolean };

function others(folder: string, { fits = () => true, mayBe = () => true }: Wanted): readonly Found[] {
  const root = dirname(folder);
  return listFolders(root)
    .filter((name) => name !== basename(folder))
    .flatMap((name) => {
      const place = join(root, name);
      const known = readIndex(place);
      return fileNames(place).flatMap((file) => {
        if (!file.endsWith(SESSION_ENDING)) return [];
        const id = basename(file, SESSION_ENDING);
        const start = fits(id) && mayBe(known.get(id)?.facts) ? startOf(join(place, file)) : undefined;
        return start ? [{ folder: place, id, ...start }] : [];
      });
    });
}

function startOf(path: string): Pick<Found, "cwd" | "rootId"> | undefined {
  try {
    const [first = ""] = readHead(path, HEAD_BYTES).split("\n", 1);
    const { cwd, rootId }: Partial<Record<string, unknown>> = JSON.parse(first);
    return typeof cwd === "string" ? { cwd, ...(typeof rootId === "string" && { rootId }) } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Moves a session's file and its outputs. The conversation names the outputs by their old paths, so a link stays there.
 * @returns false if the session is open in another process.
 */
function take({ folder, id }: Found, to: string): boolean {
  const attempt = tryLock(sessionLock(folder, id));
  if (!("lock" in attempt)) return false;
  using _lock = attempt.lock;
  mkdirSync(to, { recursive: true, mode: 0o700 });
  if (existsSync(sessionFile(to, id))) return false;
  const outputs = join(folder, id);
  if (existsSync(outputs)) {
    renameSync(outputs, join(to, id));
    symlinkSync(join(to, id), outputs);
  }
  renameSync(sessionFile(folder, id), sessionFile(to, id));
  return true;
}
