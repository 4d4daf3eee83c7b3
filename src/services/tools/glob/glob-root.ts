import { basename, dirname, join } from "node:path";
import { InvalidInputError, ToolFailedError } from "../../../contracts/errors.ts";
import { readStamp } from "../../../platform/files/file-stamp.ts";
import { fixedPart } from "../../../platform/globs/fixed-part.ts";
import { partsOf } from "../../../platform/globs/glob-braces.ts";
import { escapedGlob } from "../../../platform/globs/path-glob.ts";
import { entryExists } from "../../../platform/paths.ts";
import { resolveTarget, type Target } from "../target-file.ts";

export type GlobRoot = {
  /** The folder in which the pattern's first part with several possible names is looked up. */
  readonly root: Target;
  /** The pattern relative to that folder. */
  readonly pattern: string;
  /** Set if the pattern is the name of an existing file: its name in the root. */
  readonly file?: string;
};

type Where = { readonly path: string | undefined; readonly cwd: string; readonly home: string };

/**
 * Splits a pattern into its starting folder and the rest, so that `../lib/*.ts`, an absolute pattern and `~/x/*` name
 * the folder that is searched. A part that exists as it is written is literal: brackets and braces are common in names.
 * @throws {ToolFailedError} the folder is missing or is a file.
 */
export async function globRoot(pattern: string, { path, cwd, home }: Where): Promise<GlobRoot> {
  const base = { cwd, home };
  const start = await resolveTarget(path === undefined || path === "" ? cwd : path, base);
  const { fixed, rest } = fixedPart(pattern, { start: start.path, home });
  if (pattern.startsWith("!") && !entryExists(join(start.path, partsOf(pattern)[0] ?? "")))
    throw new InvalidInputError("A pattern can't begin with `!`: say which files are wanted.");
  if (rest.length > 0) return { root: await folder(fixed, base), pattern: withFiles(rest, pattern) };
  const literal = await resolveTarget(fixed, base);
  const stamp = await readStamp(literal.path).catch(() => undefined);
  if (stamp?.kind === "folder") return { root: await folder(literal.path, base), pattern: "**/*" };
  if (stamp?.kind === "file") {
    const file = basename(literal.path);
    return { root: await folder(dirname(literal.path), base), pattern: escapedGlob(file), file };
  }
  return { root: await folder(dirname(fixed), base), pattern: escapedGlob(basename(fixed)) };
}

/** A pattern for files: one that ends with a folder, or with `**`, means all files in it. */
function withFiles(parts: readonly string[], pattern: string): string {
  const inside = parts.at(-1) === "**" ? ["*"] : pattern.endsWith("/") ? ["**", "*"] : [];
  return [...parts, ...inside].join("/");
}

async function folder(path: string, base: { readonly cwd: string; readonly home: string }): Promise<Target> {
  const target = await resolveTarget(path, base);
  const stamp = await readStamp(target.path);
  if (!stamp) throw new ToolFailedError(`The folder ${target.shown} does not exist.`);
  if (stamp.kind !== "folder")
    throw new ToolFailedError(`${target.shown} is not a folder: give the folder to look in as path.`);
  return target;
}
