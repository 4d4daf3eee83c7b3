import { basename, dirname, join } from "node:path";
import { oneLine } from "@quoll/terminal-text/one-line";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type { SessionSummary } from "../../contracts/session.ts";
import { listFiles, listFolders, readHead } from "../../platform/read-chunks.ts";
import { SESSION_ENDING } from "./session-file.ts";

const MAX_TITLE_CHARS = 80;
/** The number of bytes that a list reads of each file; the title is near the start. */
const HEAD_BYTES = 64 * 1024;
const MAX_NAMED = 5;
const MAX_FOLDER_COLUMNS = 500;
/** The minimum number of characters, because fewer would match by chance. */
const MIN_ELSEWHERE_CHARS = 4;
/** The title of a conversation without words of a person. */
export const NO_PROMPT = "(no prompt)";

/**
 * The sessions of a project, newest first. Only the beginning of each file is read.
 * @param folder `sessions/<project id>` in our data folder; absolute.
 * @throws {UserFacingError} the folder can't be read.
 */
export function listSessions(folder: string): readonly SessionSummary[] {
  return sessionFiles(folder).map(({ path, id, modifiedAt, bytes }) => {
    const head = headOf(path);
    return { id, title: titleIn(head) ?? NO_PROMPT, modifiedAt, bytes, ...(isHeadless(head) && { isHeadless: true }) };
  });
}

/** The title that the list of sessions shows for this file; undefined if it has no prompt yet, or can't be read. */
export function sessionTitle(file: string): string | undefined {
  return titleIn(headOf(file));
}

/** The id of the most recently changed session; undefined if there is none. */
export function latestSession(folder: string): string | undefined {
  return sessionFiles(folder)[0]?.id;
}

/** True if an id of this project's sessions is, or begins with, the wanted one. */
export function hasSession(folder: string, wanted: string): boolean {
  return sessionFiles(folder).some(({ id }) => id.startsWith(wanted));
}

/**
 * Finds a session by its id or the beginning of the id.
 * @throws {UserFacingError} (exit 2) no session matches, or several do.
 */
export function findSession(folder: string, wanted: string): string {
  const ids = sessionFiles(folder).map(({ id }) => id);
  if (ids.includes(wanted)) return wanted;
  const fitting = wanted === "" ? [] : ids.filter((id) => id.startsWith(wanted));
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1) return only;
  if (fitting.length === 0) {
    const elsewhere = folderOfSession(folder, wanted);
    if (elsewhere !== undefined)
      throw new UserFacingError(`The session ${JSON.stringify(wanted)} belongs to ${elsewhere}: resume it there.`, 2);
    const hint =
      ids.length === 0
        ? "the project has no session yet"
        : "run `quoll --resume` in a terminal to choose a session, or continue the last session with --continue";
    const missing =
      wanted === ""
        ? "The id of the session is empty"
        : `No session of this project begins with ${JSON.stringify(wanted)}`;
    throw new UserFacingError(`${missing}: ${hint}.`, 2);
  }
  const more = fitting.length > MAX_NAMED ? ` and ${fitting.length - MAX_NAMED} more` : "";
  const named = fitting.slice(0, MAX_NAMED).join(", ");
  throw new UserFacingError(`${fitting.length} sessions begin with ${JSON.stringify(wanted)}: ${named}${more}.`, 2);
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

function sessionFiles(folder: string) {
  try {
    return listFiles(folder, SESSION_ENDING)
      .map((file) => ({ ...file, id: basename(file.name, SESSION_ENDING) }))
      .sort((a, b) => b.modifiedAt - a.modifiedAt || a.id.localeCompare(b.id));
  } catch (error) {
    throw new UserFacingError(`The sessions in ${folder} can't be listed: ${errorMessage(error)}.`, 1, {
      cause: error,
    });
  }
}

/** Empty for an unreadable file, which has no title but is still listed. */
function headOf(path: string): string {
  try {
    return readHead(path, HEAD_BYTES);
  } catch {
    return "";
  }
}

/** The first entry contains this fact. */
function isHeadless(head: string): boolean {
  const [first = ""] = head.split("\n", 1);
  return first.includes('"kind":"session"') && first.includes('"isHeadless":true');
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
  try {
    const prompt: unknown = JSON.parse(`${start.replace(/\\u[0-9a-fA-F]{0,3}$/, "")}"`);
    return typeof prompt === "string" ? prompt : undefined;
  } catch {
    return undefined;
  }
}

/** A prompt as a title: one line of at most 80 characters; undefined for a blank prompt. */
export function titleOf(prompt: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a list is printed on a terminal.
  const line = prompt.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
  const characters = Array.from(line);
  if (characters.length === 0) return undefined;
  return characters.length > MAX_TITLE_CHARS ? `${characters.slice(0, MAX_TITLE_CHARS - 1).join("")}…` : line;
}
