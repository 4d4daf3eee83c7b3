import { basename, dirname, join } from "node:path";
import { InvalidInputError, ToolFailedError } from "../../../contracts/errors.ts";
import { readStamp } from "../../../platform/files/file-stamp.ts";
import { isReplaced, mayBeTemporary } from "../../../platform/files/session-temporary.ts";
import { fixedPart, withSlashes } from "../../../platform/globs/fixed-part.ts";
import { partsOf } from "../../../platform/globs/glob-braces.ts";
import { escapedGlob } from "../../../platform/globs/path-glob.ts";
import { entryExists } from "../../../platform/paths.ts";
import { type PathDeps, resolveTarget, type Target } from "../target-file.ts";

export type GlobRoot = {
  /** The folder in which the pattern's first part with several possible names is looked up. */
  readonly root: Target;
  /** The pattern relative to that folder. */
  readonly pattern: string;
  /** Set if the pattern is the name of an existing file: its name in the root. */
  readonly file?: string;
};

type Base = { readonly cwd: string } & Pick<PathDeps, "home" | "temporary">;
type Where = Base & { readonly path: string | undefined };

/**
 * Splits a pattern into its starting folder and the rest, so that `../lib/*.ts`, an absolute pattern and `~/x/*` name
 * the folder that is searched. A part that exists as it is written is literal: brackets and braces are common in names.
 * @throws {ToolFailedError} the folder is missing or is a file.
 */
export async function globRoot(given: string, { path, ...base }: Where): Promise<GlobRoot> {
  const start = await resolveTarget(path === undefined || path === "" ? base.cwd : path, base);
  const pattern = withSlashes(given, start.path);
  const { named, around, isOfMachine } = await spelledOut(pattern, base);
  const at = async (name: string): Promise<Target> => {
    const target = await folder(name, around);
    return isOfMachine ? { ...target, isOfMachine } : target;
  };
  const { fixed, rest } = fixedPart(named, { start: start.path, home: base.home });
  if (pattern.startsWith("!") && !entryExists(join(start.path, partsOf(pattern)[0] ?? "")))
    throw new InvalidInputError("A pattern can't begin with `!`: say which files are wanted.");
  if (rest.length > 0) return { root: await at(fixed), pattern: withFiles(rest, pattern) };
  const literal = await resolveTarget(fixed, around);
  const stamp = await readStamp(literal.path).catch(() => undefined);
  if (stamp?.kind === "folder") return { root: await at(literal.path), pattern: "**/*" };
  if (stamp?.kind === "file") {
    const file = basename(literal.path);
    return { root: await at(dirname(literal.path)), pattern: escapedGlob(file), file };
  }
  return { root: await at(dirname(fixed)), pattern: escapedGlob(basename(fixed)) };
}

type Spelled = { readonly named: string; readonly around: Base; readonly isOfMachine: boolean };

/** A pattern below a folder that the sandbox replaces, as a pattern in the session's own, unless only the machine has it. */
async function spelledOut(pattern: string, base: Base): Promise<Spelled> {
  const view = mayBeTemporary(pattern) ? await base.temporary?.() : undefined;
  const isBelow = view !== undefined && pattern.startsWith(`${view.inside}/`) && isReplaced(pattern, view);
  if (!isBelow) return { named: pattern, around: base, isOfMachine: false };
  const literal = await resolveTarget(pattern, base).catch(() => undefined);
  if (literal?.isOfMachine) return { named: pattern, around: { ...base, temporary: undefined }, isOfMachine: true };
  return { named: `${view.folder}${pattern.slice(view.inside.length)}`, around: base, isOfMachine: false };
}

/** A pattern for files: one that ends with a folder, or with `**`, means all files in it. */
function withFiles(parts: readonly string[], pattern: string): string {
  const inside = parts.at(-1) === "**" ? ["*"] : pattern.endsWith("/") ? ["**", "*"] : [];
  return [...parts, ...inside].join("/");
}

async function folder(path: string, base: Base): Promise<Target> {
  const target = await resolveTarget(path, base);
  const stamp = await readStamp(target.path);
  if (!stamp) throw new ToolFailedError(`The folder ${target.shown} does not exist.`);
  if (stamp.kind !== "folder")
    throw new ToolFailedError(`${target.shown} is not a folder: give the folder to look in as path.`);
  return target;
}
