import { basename, dirname, join } from "node:path";
import { plural } from "@quoll/terminal-text/plural";
import { z } from "zod";
import { defineTool } from "../../../contracts/define-tool.ts";
import { InvalidInputError, ToolFailedError } from "../../../contracts/errors.ts";
import { type ToolResult, textResult } from "../../../contracts/tool.ts";
import { readStamp } from "../../../platform/files/file-stamp.ts";
import { listFiles } from "../../../platform/files/list-files.ts";
import { modifiedTimes } from "../../../platform/files/modified-times.ts";
import { isReplaced, mayBeTemporary } from "../../../platform/files/session-temporary.ts";
import { fixedPart, withSlashes } from "../../../platform/globs/fixed-part.ts";
import { partsOf } from "../../../platform/globs/glob-braces.ts";
import { escapedGlob, isAmbiguous, type PathMatcher, pathGlobs } from "../../../platform/globs/path-glob.ts";
import { entryExists } from "../../../platform/paths.ts";
import type { Ripgrep } from "../../../platform/ripgrep.ts";
import {
  count,
  type PathDeps,
  refuseMoved,
  resolveTarget,
  shownBelow,
  subjectOf,
  type Target,
  withMachineNote,
} from "../target-file.ts";
import { globSpec } from "./spec.ts";

export const globInput = z.object({
  pattern: z.string().min(1),
  path: z.string().optional().describe("The working folder by default"),
});

const MAX_RESULTS = 100;
/** Most matches whose time is read; more matches end the listing. */
const MAX_MATCHES = 50_000;
const MAX_PATTERN_CHARS = 4_000;

export type GlobDeps = PathDeps & {
  readonly ripgrep: () => Promise<Ripgrep | undefined>;
  /** Default 10 s. */
  readonly timeoutMs?: number;
};

export const globTool = (deps: GlobDeps) =>
  defineTool(globSpec, globInput, async ({ pattern, path }, { cwd, signal }) => {
    if (pattern.length > MAX_PATTERN_CHARS)
      throw new InvalidInputError("The pattern is too long: 4,000 characters are the most.");
    const where = await globRoot(pattern, { path, cwd, home: deps.home, temporary: deps.temporary });
    return {
      level: "read",
      concurrencySafe: true,
      subjects: [subjectOf("read", where.root)],
      title: where.root.path === cwd ? pattern : `${where.pattern} in ${where.root.shown}`,
      run: async () => withMachineNote(await find(where, cwd, deps, signal), where.root),
    };
  });

/** A meaning of the pattern; the first that finds files counts. */
type Reading = { readonly matches: PathMatcher; readonly note?: string };

type Found = {
  /** Paths relative to the root. */
  readonly paths: readonly string[];
  readonly looked: number;
  readonly isComplete: boolean;
  /** Tells that the pattern matched only in another meaning. */
  readonly note?: string | undefined;
};

type GlobRoot = {
  /** The folder in which the pattern's first part with several possible names is looked up. */
  readonly root: Target;
  /** The pattern relative to that folder. */
  readonly pattern: string;
  /** Set if the pattern is the name of an existing file: its name in the root. */
  readonly file?: string;
};

type Base = { readonly cwd: string } & Pick<PathDeps, "home" | "temporary">;
type Where = Base & { readonly path: string | undefined };

type Spelled = { readonly named: string; readonly around: Base; readonly isOfMachine: boolean };

async function find(where: GlobRoot, cwd: string, deps: GlobDeps, signal: AbortSignal): Promise<ToolResult> {
  await refuseMoved(where.root);
  const found = await matching(where, deps, signal);
  await refuseMoved(where.root);
  const times = await modifiedTimes(
    found.paths.map((path) => join(where.root.path, path)),
    signal,
  );
  const newest = found.paths
    .map((path, index) => ({ path, time: times[index] ?? 0 }))
    .sort((a, b) => b.time - a.time || (a.path < b.path ? -1 : 1))
    .slice(0, MAX_RESULTS)
    .map(({ path }) => shownBelow(cwd, where.root, path));
  const text = [...newest, ...notes(where, found, newest.length)].join("\n");
  const count = found.paths.length;
  return textResult(text, { display: { kind: "summary", text: plural(count, "file"), count } });
}

async function matching(where: GlobRoot, deps: GlobDeps, signal: AbortSignal): Promise<Found> {
  const { root, file } = where;
  if (file !== undefined && !deps.isHidden(join(root.path, file)))
    return { paths: [file], looked: 1, isComplete: true };
  const readings = readingsOf(where).map((reading) => ({ ...reading, paths: Array.of<string>() }));
  let looked = 0;
  const isComplete = await listFiles({
    root: root.path,
    ripgrep: await deps.ripgrep(),
    signal,
    ...(deps.timeoutMs !== undefined && { timeoutMs: deps.timeoutMs }),
    onFile: (path) => {
      looked += 1;
      const paths = readings.find(({ matches }) => matches(path))?.paths;
      if (paths && paths.length < MAX_MATCHES && !deps.isHidden(join(root.path, path))) paths.push(path);
      return (readings[0]?.paths.length ?? 0) < MAX_MATCHES;
    },
  });
  const found = readings.find(({ paths }) => paths.length > 0);
  return { paths: found?.paths ?? [], looked, isComplete, note: found?.note };
}

function readingsOf({ root, pattern }: GlobRoot): readonly Reading[] {
  const place = placeOf(root);
  const compiled = (glob: string, reading?: "as spelled"): PathMatcher => {
    const matches = pathGlobs([glob], root.path, reading);
    if (!matches) throw new InvalidInputError("The pattern has too many alternatives: split it.");
    return matches;
  };
  const isName = !pattern.includes("/");
  const bracketed = pattern.replace(/(?<!\\)[[\]]/g, "\\$&");
  const note = `[none directly in ${place}: these are in folders below, as for **/${pattern}]`;
  return [
    ...(isAmbiguous(pattern) ? [{ matches: compiled(pattern, "as spelled") }] : []),
    { matches: compiled(pattern) },
    ...(isName ? [{ matches: compiled(`**/${pattern}`), note }] : []),
    ...(bracketed === pattern
      ? []
      : [
          { matches: compiled(isName ? `**/${bracketed}` : bracketed), note: "[the brackets are part of these names]" },
        ]),
  ];
}

function placeOf({ shown }: GlobRoot["root"]): string {
  return shown === "." ? "the working folder" : shown;
}

function notes(
  { root, pattern }: GlobRoot,
  { paths, looked, isComplete, note }: Found,
  shown: number,
): readonly string[] {
  const lines: string[] = [];
  if (paths.length === 0)
    lines.push(
      `No file in ${placeOf(root)} matches ${pattern} (${plural(looked, "file")} looked at; files that git ignores or that may not be read, and folders behind links, are left out).`,
    );
  if (note !== undefined) lines.push(note);
  if (shown < paths.length)
    lines.push(`[the newest ${shown} of ${count(paths.length)}; a narrower pattern shows the others]`);
  if (!isComplete) lines.push("[not complete: the listing was ended at its limit; look in a smaller folder]");
  return lines;
}

/**
 * Splits a pattern into its starting folder and the rest, so that `../lib/*.ts`, an absolute pattern and `~/x/*` name
 * the folder that is searched. A part that exists as it is written is literal: brackets and braces are common in names.
 * @throws {ToolFailedError} the folder is missing or is a file.
 */
async function globRoot(given: string, { path, ...base }: Where): Promise<GlobRoot> {
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
