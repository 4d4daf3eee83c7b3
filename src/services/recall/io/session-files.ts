import { lstatSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { setImmediate as giveWay } from "node:timers/promises";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { errorMessage, UserFacingError } from "../../../contracts/errors.ts";
import { orUndefined } from "../../../contracts/or-undefined.ts";
import type { Entry } from "../../../contracts/session.ts";
import { CHUNK_BYTES } from "../../../platform/read-byte-lines.ts";
import { type FileLine, listFiles, listFolders, readHead, readLines } from "../../../platform/read-chunks.ts";

const ENDING = ".jsonl";
/** A larger file with a result is not searched. The model can still read it with Read and Grep. */
const MAX_SPILLED_BYTES = 16 * 1024 * 1024;
/** Contains the id of the first entry, but no text of a conversation. */
const STAMP_BYTES = 100;
/** Further files that one result names are not searched. */
const MAX_NAMED = 20;

/** The log of a session. */
export type SessionFile = {
  readonly projectId: string;
  readonly sessionId: string;
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
  readonly bytes: number;
  /** The beginning of the log's first entry: a different log with the same name has a different one. */
  readonly stamp: string;
};

/** The log of one session; undefined if it does not exist yet. */
export function sessionFileAt(root: string, projectId: string, sessionId: string): SessionFile | undefined {
  const path = join(root, projectId, `${sessionId}${ENDING}`);
  const kind = statSync(path, { throwIfNoEntry: false });
  if (!kind?.isFile()) return undefined;
  const { mtimeMs: modifiedAt, size: bytes } = kind;
  return { projectId, sessionId, path, modifiedAt, bytes, stamp: stampOf(path) };
}

/** Empty for a log that can't be read. */
function stampOf(path: string): string {
  return orUndefined(() => readHead(path, STAMP_BYTES)) ?? "";
}

/**
 * The logs of a project, or of all projects, newest first.
 * @param root The folder of all sessions; absolute.
 * @throws {UserFacingError} the folder can't be read.
 */
export function sessionFiles(root: string, projectId?: string): readonly SessionFile[] {
  try {
    const projects = projectId === undefined ? listFolders(root) : [projectId];
    return projects
      .flatMap((project) => listFiles(join(root, project), ENDING).map(({ path }) => ({ project, path })))
      .flatMap(({ project, path }) => sessionFileAt(root, project, basename(path, ENDING)) ?? [])
      .toSorted((a, b) => b.modifiedAt - a.modifiedAt || a.sessionId.localeCompare(b.sessionId));
  } catch (cause) {
    throw new UserFacingError(`The sessions in ${root} can't be listed: ${errorMessage(cause)}.`, 1, { cause });
  }
}

/**
 * The lines of a log after a byte offset. Other work gets its turn after each megabyte.
 * @throws the abort reason of `signal`; {Error} the file is gone or can't be read.
 */
export async function* linesFrom(path: string, from: number, signal: AbortSignal): AsyncGenerator<FileLine> {
  let next = from + CHUNK_BYTES;
  for (const line of readLines(path, from)) {
    signal.throwIfAborted();
    yield line;
    if (line.offset < next) continue;
    next = line.offset + CHUNK_BYTES;
    await giveWay();
  }
}

/** The entry that begins at this offset; undefined if the log no longer exists or contains other text there. */
export function entryAt(path: string, offset: number, parse: (line: string) => Entry | undefined): Entry | undefined {
  try {
    for (const { text } of readLines(path, offset)) return parse(text);
  } catch {
    // The log was deleted after it had been found.
  }
  return undefined;
}

/** The files with a session's output that was too large for the context. A result that was cut names its file. */
export class SpilledFiles {
  readonly #folder: string;

  constructor({ path }: Pick<SessionFile, "path">) {
    this.#folder = path.slice(0, -ENDING.length);
  }

  /** The files that a text names, each once. */
  namedIn(text: string): readonly string[] {
    const start = `/${basename(this.#folder)}/`;
    if (!text.includes(start)) return [];
    const named = text.split(start).slice(1, MAX_NAMED + 1);
    return [...new Set(named.flatMap((rest) => /^[\w-]+\.(?:txt|log)/.exec(rest)?.[0] ?? []))];
  }

  /** @returns undefined if the file no longer exists or is too large. */
  textOf(name: string): string | undefined {
    return readText(join(this.#folder, name));
  }
}

function readText(file: string): string | undefined {
  // A link could lead to any file.
  const kind = lstatSync(file, { throwIfNoEntry: false });
  if (!kind?.isFile() || kind.size > MAX_SPILLED_BYTES) return undefined;
  return stripAnsi(readFileSync(file, "utf8"));
}
