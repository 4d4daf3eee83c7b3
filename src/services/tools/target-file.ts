import { relative } from "node:path";
import { ToolFailedError } from "../../contracts/errors.ts";
import type { Subject } from "../../contracts/subject.ts";
import { type ResolvedPath, resolvePath } from "../../platform/files/resolve-path.ts";
import { isInside } from "../../platform/paths.ts";

/** What the file tools are handed. */
export type PathDeps = {
  /** What `~/` stands for; absolute. */
  readonly home: string;
  /** True for files that may not be read: no search, list or suggestion may name them. */
  readonly isHidden: (path: string) => boolean;
};

export type Target = ResolvedPath & {
  /** As the model is told it: relative to the working folder when inside of it. */
  readonly shown: string;
};

/** @throws {ToolFailedError} as `resolvePath`. */
export async function resolveTarget(
  text: string,
  base: { readonly cwd: string; readonly home: string },
): Promise<Target> {
  const resolved = await resolvePath(text, base);
  return { ...resolved, shown: shownPath(base.cwd, resolved.path) };
}

/**
 * For a search, which goes by path: makes sure that no link was put in the way since the path was judged. Asked right before it
 * and before its results are shown; what is swapped and put back between the two goes unnoticed.
 * @throws {ToolFailedError} the path leads elsewhere now.
 */
export async function refuseMoved({ path, shown }: Target): Promise<void> {
  const now = await resolvePath(path, { cwd: "/", home: "/" });
  if (now.path !== path) {
    throw new ToolFailedError(`${shown} changed while it was judged: nothing of it is shown; call again.`);
  }
}

/** A path relative to the working folder when it lies inside of it, `.` for the folder itself, else as it is. */
export function shownPath(cwd: string, path: string): string {
  const inside = relative(cwd, path);
  if (inside === "") return ".";
  return isInside(cwd, path) ? inside : path;
}

export function subjectOf(action: "read" | "write", { path, given }: ResolvedPath): Subject {
  return given === path ? { action, path } : { action, path, given };
}

/** `1,234` */
export function count(value: number): string {
  return value.toLocaleString("en-US");
}

/** A line as Read shows it. */
export function numbered(number: number, text: string): string {
  return `${String(number).padStart(6)}\t${text}`;
}
