import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { errorCode, ToolFailedError } from "../../contracts/errors.ts";
import type { SessionTemporary } from "../../contracts/ports.ts";
import { fileError } from "./file-error.ts";
import { findTemporary, isReplaced, mayBeTemporary } from "./session-temporary.ts";

const MAX_LINKS = 40;

/** Linux's folder of a process's open files; a file without a path looks like a dangling link. */
const DESCRIPTORS = /^\/proc\/(?:\d+|self|thread-self)\/(?:task\/\d+\/)?fd$/;

export type ResolvedPath = {
  /** Absolute, with every symbolic link resolved; for a missing file, its nearest existing ancestor is resolved. */
  readonly path: string;
  /** The absolute path before links were followed. */
  readonly given: string;
  /** The name inside the sandbox of a file in the session's folder for temporary files. */
  readonly inside?: string;
  /** True for a file of the machine's /tmp where confined commands see another one. */
  readonly isOfMachine?: boolean;
};

type PathBase = {
  /** Absolute. */
  readonly cwd: string;
  /** Replacement for `~`; absolute. */
  readonly home: string;
  /** The session's folder for temporary files; asked only for paths that may lie in one. */
  readonly temporary?: (() => Promise<SessionTemporary | undefined>) | undefined;
  /** True for a file that a confined command writes. */
  readonly isWrite?: boolean | undefined;
};

/**
 * Resolves a path to the file that it means: expands `~/`, takes relative paths from `cwd`, and follows links (a
 * dangling link leads to the file that a write would create).
 * The work is done at once: switching threads takes longer than these calls.
 * @throws {ToolFailedError} the path is empty, contains a NUL, loops, or leads through a file.
 */
export async function resolvePath(text: string, { cwd, home, temporary, isWrite }: PathBase): Promise<ResolvedPath> {
  if (text === "") throw new ToolFailedError("The path is empty.");
  if (text.includes("\0")) throw new ToolFailedError("The path holds a NUL character.");
  const expanded = text === "~" ? home : text.startsWith("~/") ? join(home, text.slice(2)) : text;
  const given = resolve(cwd, expanded);
  try {
    const view = mayBeTemporary(given) ? await temporary?.() : undefined;
    const own = view && temporaryFile(given, view, isWrite);
    if (own) return { ...own, given };
    const path = follow(given, 0);
    // A link may lead to a folder for temporary files.
    const led = path !== given && mayBeTemporary(path) ? await temporary?.() : undefined;
    const target = led && temporaryFile(path, led, isWrite);
    if (target) return { ...target, given };
    const seen = led ?? view;
    return { path, given, ...(seen && isReplaced(path, seen) && { isOfMachine: true }) };
  } catch (error) {
    throw fileError(error, given);
  }
}

function temporaryFile(
  path: string,
  view: SessionTemporary,
  isWrite: boolean | undefined,
): Pick<ResolvedPath, "path" | "inside"> | undefined {
  const found = findTemporary(path, view, isWrite);
  if (found === undefined) return undefined;
  return found.name === undefined ? { path: follow(found.path, 0) } : { path: found.path, inside: found.name };
}

function follow(path: string, links: number): string {
  if (links > MAX_LINKS) throw new ToolFailedError(`${path}: symbolic links form a circle.`);
  try {
    const real = realpathSync(path);
    // For a dangling link, Bun returns the link's text and Node finds nothing.
    if (!isAbsolute(real)) throw noFile(path);
    return real;
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
  const parent = follow(dirname(path), links);
  if (DESCRIPTORS.test(parent)) throw noFile(path);
  const target = linkTarget(join(parent, basename(path)));
  return target === undefined ? join(parent, basename(path)) : follow(resolve(parent, target), links + 1);
}

function noFile(path: string): ToolFailedError {
  return new ToolFailedError(`${path} is a pipe or a socket of Quoll's own, not a file.`);
}

/** The target of a link; undefined if there is no link. */
function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "EINVAL") return undefined;
    throw error;
  }
}
