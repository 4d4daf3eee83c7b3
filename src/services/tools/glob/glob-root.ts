import { basename, dirname } from "node:path";
import picomatch from "picomatch";
import { InvalidInputError, ToolFailedError } from "../../../contracts/errors.ts";
import { readStamp } from "../../../platform/files/file-stamp.ts";
import { resolveTarget, type Target } from "../target-file.ts";

export type GlobRoot = {
  /** The folder that contains the pattern's first special character. */
  readonly root: Target;
  /** The pattern relative to that folder. */
  readonly pattern: string;
  /** Set if the pattern is the name of an existing file: its name in the root. */
  readonly file?: string;
};

type Where = { readonly path: string | undefined; readonly cwd: string; readonly home: string };

/**
 * Splits a pattern into its starting folder and the rest, so that `../lib/*.ts`, an absolute pattern and `~/x/*` name
 * the folder that is searched. A pattern that is the name of an existing file or folder (brackets are common in
 * names) means exactly that.
 * @throws {ToolFailedError} the folder is missing or is a file.
 */
export async function globRoot(pattern: string, { path, cwd, home }: Where): Promise<GlobRoot> {
  const start = await resolveTarget(path === undefined || path === "" ? cwd : path, { cwd, home });
  if (pattern.startsWith("!"))
    throw new InvalidInputError("A pattern can't begin with `!`: say which files are wanted.");
  const literal = await resolveTarget(pattern, { cwd: start.path, home }).catch(() => undefined);
  const stamp = literal && (await readStamp(literal.path).catch(() => undefined));
  if (literal && stamp?.kind === "folder") return { root: await folder(literal.path, { cwd, home }), pattern: "**/*" };
  if (literal && stamp?.kind === "file") {
    const file = basename(literal.path);
    return { root: await folder(dirname(literal.path), { cwd, home }), pattern: escaped(file), file };
  }
  const scanned = picomatch.scan(pattern);
  const base = scanned.base.replace(/\\(.)/g, "$1");
  const glob = scanned.glob;
  if (glob !== "") {
    const from = pattern.startsWith("/") && base === "" ? "/" : base;
    return { root: await folderFrom(start, from, { cwd, home }), pattern: glob };
  }
  // Without a special character: the name of a file that does not exist.
  return { root: await folderFrom(start, dirname(base), { cwd, home }), pattern: escaped(basename(base)) };
}

type Base = { readonly cwd: string; readonly home: string };

async function folderFrom(start: Target, base: string, { cwd, home }: Base): Promise<Target> {
  const target = await resolveTarget(base === "" ? "." : base, { cwd: start.path, home });
  return folder(target.given, { cwd, home });
}

async function folder(path: string, base: Base): Promise<Target> {
  const target = await resolveTarget(path, base);
  const stamp = await readStamp(target.path);
  if (!stamp) throw new ToolFailedError(`The folder ${target.shown} does not exist.`);
  if (stamp.kind !== "folder")
    throw new ToolFailedError(`${target.shown} is not a folder: give the folder to look in as path.`);
  return target;
}

function escaped(name: string): string {
  return name.replace(/[\\*?{}[\]()!+@|]/g, "\\$&");
}
