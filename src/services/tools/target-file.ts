import { join, relative } from "node:path";
import { ToolFailedError } from "../../contracts/errors.ts";
import type { SessionTemporary } from "../../contracts/ports.ts";
import type { Subject } from "../../contracts/subject.ts";
import type { ToolResult } from "../../contracts/tool.ts";
import { type ResolvedPath, resolvePath } from "../../platform/files/resolve-path.ts";
import { isInside } from "../../platform/paths.ts";

/** The dependencies of the file tools. */
export type PathDeps = {
  /** The folder of `~/`; absolute. */
  readonly home: string;
  /** True for files that may not be read: no search, list or suggestion may name them. */
  readonly isHidden: (path: string) => boolean;
  /** The session's folder for temporary files; undefined if commands see the machine's own. */
  readonly temporary?: (() => Promise<SessionTemporary | undefined>) | undefined;
};

type NameBase = { readonly cwd: string } & Pick<PathDeps, "home" | "temporary">;

export type Target = ResolvedPath & {
  /** The name for the model: relative to the working folder if the file is inside. */
  readonly shown: string;
};

/** @throws {ToolFailedError} as `resolvePath`. */
export async function resolveTarget(text: string, base: NameBase): Promise<Target> {
  const resolved = await resolvePath(text, base);
  return { ...resolved, shown: resolved.inside ?? shownPath(base.cwd, resolved.path) };
}

/** A path below a target, as `Target.shown` would name it. */
export function shownBelow(cwd: string, { path, inside }: Target, name: string): string {
  return inside === undefined ? shownPath(cwd, join(path, name)) : join(inside, name);
}

/** Adds a note for the model to the result about a file that confined commands don't see. */
export function withMachineNote(result: ToolResult, { isOfMachine, shown }: Target): ToolResult {
  if (!isOfMachine) return result;
  const text = `[${shown} is the machine's own file: commands in the sandbox have a /tmp of their own and don't see it]`;
  const { content } = result;
  if (typeof content === "string") return { ...result, content: `${content}\n${text}` };
  return { ...result, content: [...content, { type: "text", text }] };
}

/**
 * For a search, which works by path: checks that the path has not been replaced by a link since its approval. Called before the search
 * and before its results are shown. A replacement that is undone between the two calls is not detected.
 * @throws {ToolFailedError} the path now leads elsewhere.
 */
export async function refuseMoved({ path, shown }: Target): Promise<void> {
  const now = await resolvePath(path, { cwd: "/", home: "/" });
  if (now.path !== path) {
    throw new ToolFailedError(`${shown} changed while it was judged: nothing of it is shown; call again.`);
  }
}

/** A path relative to the working folder if it is inside, `.` for the folder itself, else unchanged. */
export function shownPath(cwd: string, path: string): string {
  const inside = relative(cwd, path);
  if (inside === "") return ".";
  return isInside(cwd, path) ? inside : path;
}

export function subjectOf(action: "read" | "write", { path, given, inside, isOfMachine }: ResolvedPath): Subject {
  return {
    action,
    path,
    ...(given !== path && { given }),
    ...(inside !== undefined && { inside }),
    ...(isOfMachine && { isOfMachine }),
  };
}

/** `1,234` */
export function count(value: number): string {
  return value.toLocaleString("en-US");
}

/** A line in Read's format. */
export function numbered(number: number, text: string): string {
  return `${String(number).padStart(6)}\t${text}`;
}
