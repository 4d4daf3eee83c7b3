import { basename, dirname, join } from "node:path";
import { oneLine } from "@quoll/terminal-text/one-line";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import { orUndefined } from "../../contracts/or-undefined.ts";
import { parsedJson } from "../../contracts/parsed-json.ts";
import { listFiles, listFolders, readHead } from "../../platform/read-chunks.ts";
import { SESSION_ENDING } from "./session-file.ts";
import { titleOf } from "./session-title.ts";

/** The number of bytes that a list reads of each file; the title is near the start. */
const HEAD_BYTES = 64 * 1024;
const MAX_FOLDER_COLUMNS = 500;
/** The minimum number of characters, because fewer would match by chance. */
export const MIN_ELSEWHERE_CHARS = 4;

/** The first prompt of a session, as a title; undefined if the file has no prompt yet, or can't be read. */
export function promptTitle(file: string): string | undefined {
  return titleIn(headOf(file));
}

/** The id of the most recently changed session; undefined if there is none. */
export function latestSession(folder: string): string | undefined {
  return sessionFiles(folder)[0]?.id;
}

/** True if the project has a session with this id. */
export function hasSession(folder: string, sessionId: string): boolean {
  return sessionFiles(folder).some(({ id }) => id === sessionId);
}

/**
 * The error about words that name no session of a project. It says where the session is, or what to do.
 * @param folder `sessions/<project id>` in our data folder; absolute.
 */
export function noSuchSession(folder: string, wanted: string): UserFacingError {
  const elsewhere = folderOfSession(folder, wanted);
  if (elsewhere !== undefined)
    return new UserFacingError(`The session ${JSON.stringify(wanted)} belongs to ${elsewhere}: resume it there.`, 2);
  if (wanted.trim() === "")
    return new UserFacingError(
      "The name of the session is empty: give a name or an id, or leave it out (`quoll --resume`) to choose from a list.",
      2,
    );
  const hint =
    sessionFiles(folder).length === 0
      ? "the project has no session yet"
      : "run `quoll --resume` in a terminal to choose a session, or continue the last session with --continue";
  const missing = `No session of this project has a name or an id that begins with ${JSON.stringify(wanted)}`;
  return new UserFacingError(`${missing}: ${hint}.`, 2);
}

/**
 * The folder in which a session of another project was started, on one line.
 * @param folder The sessions of this project.
 * @param wanted The session's id, or at least four characters of its beginning.
 * @returns undefined if no other project has exactly one such session.
 */
export function folderOfSession(folder: string, wanted: string): string | undefined {
  if (wanted.length < MIN_ELSEWHERE_CHARS) return undefined;
  try {
    const root = dirname(folder);
    const [only, ...others] = listFolders(root)
      .filter((name) => name !== basename(folder))
      .flatMap((name) => listFiles(join(root, name), SESSION_ENDING))
      .filter(({ name }) => name.startsWith(wanted));
    return only && others.length === 0 ? startFolder(headOf(only.path)) : undefined;
  } catch {
    // The caller reports that this project has no such session.
    return undefined;
  }
}

function startFolder(head: string): string | undefined {
  const [first = ""] = head.split("\n", 1);
  const text = /"cwd":("(?:[^"\\]|\\.)*")/.exec(first)?.[1];
  const cwd: unknown = text === undefined ? undefined : JSON.parse(text);
  return typeof cwd === "string" ? oneLine(cwd, MAX_FOLDER_COLUMNS) : undefined;
}

/** The file of a session. `modifiedAt`: milliseconds since the epoch. */
export type SessionFileFacts = {
  readonly id: string;
  readonly path: string;
  readonly modifiedAt: number;
  readonly bytes: number;
};

/**
 * The files of a project's sessions, newest first.
 * @throws {UserFacingError} the folder can't be read.
 */
export function sessionFiles(folder: string): readonly SessionFileFacts[] {
  try {
    return listFiles(folder, SESSION_ENDING)
      .map(({ name, path, modifiedAt, bytes }) => ({
        id: name.slice(0, -SESSION_ENDING.length),
        path,
        modifiedAt,
        bytes,
      }))
      .sort((a, b) => b.modifiedAt - a.modifiedAt || (a.id < b.id ? -1 : 1));
  } catch (error) {
    throw new UserFacingError(`The sessions in ${folder} can't be listed: ${errorMessage(error)}.`, 1, {
      cause: error,
    });
  }
}

/** Empty for an unreadable file, which has no title but is still listed. */
function headOf(path: string): string {
  return orUndefined(() => readHead(path, HEAD_BYTES)) ?? "";
}

/** The first prompt on one line. */
function titleIn(head: string): string | undefined {
  for (const line of head.split("\n")) {
    if (!line.includes('"kind":"user"')) continue;
    const prompt = promptOf(line);
    if (prompt !== undefined) return titleOf(prompt);
  }
  return undefined;
}

/** In an entry, the prompt precedes the message, so that a cut line still contains the prompt. */
function promptOf(line: string): string | undefined {
  const start = /"kind":"user","prompt":("(?:[^"\\]|\\.)*)/.exec(line)?.[1];
  if (start === undefined) return undefined;
  const prompt = parsedJson(`${start.replace(/\\u[0-9a-fA-F]{0,3}$/, "")}"`);
  return typeof prompt === "string" ? prompt : undefined;
}
