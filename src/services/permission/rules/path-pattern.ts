import { basename, dirname, isAbsolute, join, relative } from "node:path";
import ignore, { type Ignore } from "ignore";
import { writtenOut } from "../../../platform/globs/glob-braces.ts";
import { entryExists } from "../../../platform/paths.ts";
import { foldPath } from "./fold-path.ts";
import { RuleSyntaxError } from "./rule-syntax.ts";

/** `ignore` caches every path that it tests: the matcher is recreated before the cache grows large. */
const MAX_REMEMBERED_PATHS = 5_000;
/** Folders that always contain secrets: a pattern that names such a folder also names the secrets in it. */
const SECRET_FOLDERS: ReadonlySet<string> = new Set([".ssh", ".aws", ".gnupg", ".kube", ".docker", ".azure"]);

export type PathContext = {
  /** Base folder of `/x`. */
  readonly base: string;
  /** The base folders of `x` and `./x`: deny and ask rules apply in each, allow rules only in the first. */
  readonly roots: readonly string[];
  /** Base folder of `~/x`. */
  readonly home: string;
  /** True when the file system ignores case: allow rules then ignore case as well. */
  readonly isCaseInsensitive?: boolean;
  /** Resolves the links of the part of a path that exists. */
  realPath(path: string): string;
};

export interface PathPattern {
  /** @param path Absolute. */
  matches(path: string): boolean;
  /** True if the pattern names this file, not just everything in a folder. */
  names(path: string): boolean;
  /**
   * The absolute paths of a pattern without wildcards that is tied to a folder; undefined if matches must be searched.
   */
  readonly plain: readonly string[] | undefined;
  /** The absolute folders of the pattern; every match is in one of them. */
  readonly folders: readonly string[];
  /** True if a path with this last part may match while its parent does not. */
  mayEnd(name: string): boolean;
}

/**
 * Compiles the path of a Read or Edit rule: gitignore patterns, `//x` from the root of the file system, `~/x` from
 * home, `/x` from the project root, `x` and `./x` from the working folder.
 *
 * Deny and ask rules ignore case, cover a folder together with its contents, follow links in the fixed part of the
 * pattern, and count in every reading: `[id]` is a name and a class of characters, `{a,b}` a name and two. Allow rules
 * are taken literally: `[id]` is a name where such a file exists, otherwise a class.
 * @throws {RuleSyntaxError} the pattern is not a valid path.
 */
export function parsePathPattern(spec: string, context: PathContext, tightens: boolean): PathPattern {
  const given = anchor(spec, context, tightens);
  const anchored = tightens ? given.flatMap(everyReading).flatMap((one) => withRealFolder(one, context)) : given;
  const ignoreCase = tightens || context.isCaseInsensitive === true;
  const matchers = anchored.map((one) =>
    tightens || !mayBeSpelled(one) ? folderMatcher(one, tightens, ignoreCase) : existingMatcher(one, ignoreCase),
  );
  const last = spec.split("/").findLast((part) => part !== "") ?? "";
  const namesFolder = spec.split("/").some((part) => SECRET_FOLDERS.has(part));
  const lastMatcher = /^\*+$/.test(last) ? undefined : boundedMatcher([escapeStart(last)], ignoreCase);
  const matches = (path: string) => matchers.some((matcher) => matcher(path));
  return {
    matches,
    names: (path) =>
      matches(path) && (namesFolder || basename(path) === last || (lastMatcher?.(basename(path)) ?? false)),
    plain: plainPaths(anchored),
    folders: anchored.map(({ folder, pattern }) =>
      pattern.startsWith("/") ? join(folder, fixedPart(pattern)) : folder,
    ),
    mayEnd: endTest(anchored),
  };
}

/** The path without the parts that name the same folder again (`a/./b`, `a//b`). */
export function tidyPath(spec: string): string {
  return spec.trim().replace(/(?<=[^/])\/(?:\.?\/)+/g, "/");
}

/** The pattern without a trailing `/**` or `/`. */
function stemOf(pattern: string): string {
  return pattern.endsWith("/**") ? pattern.slice(0, -3) : pattern.replace(/\/$/, "");
}

/** The parts before the first wildcard, without the last part of the pattern. */
function fixedPart(pattern: string): string {
  const parts = stemOf(pattern).split("/").slice(0, -1);
  const wild = parts.findIndex((part) => /[*?[\\]/.test(part));
  return parts.slice(0, wild < 0 ? parts.length : wild).join("/");
}

function plainPaths(anchored: readonly Anchored[]): readonly string[] | undefined {
  const isPlain = ({ pattern }: Anchored) => pattern.startsWith("/") && !/[*?[]/.test(stemOf(pattern));
  if (!anchored.every(isPlain)) return undefined;
  return anchored.map(({ folder, pattern }) => join(folder, stemOf(pattern).replace(/\\(.)/g, "$1")));
}

/** Returns false only for names that certainly can't match. */
function endTest(anchored: readonly Anchored[]): (name: string) => boolean {
  const ends = anchored.map(({ pattern }) => stemOf(pattern).split("/").at(-1) ?? "");
  if (ends.some((end) => /[[\]\\]|\*\*/.test(end) || end === "")) return () => true;
  const sources = ends.map((end) =>
    foldPath(end)
      .replace(/[.+^${}()|]/g, "\\$&")
      .replaceAll("*", ".*")
      .replaceAll("?", "."),
  );
  const test = new RegExp(`^(?:${sources.join("|")})$`, "s");
  return (name) => test.test(foldPath(name));
}

/** A rule path that matches exactly this absolute path, relative to the project root when inside it. */
export function exactPathSpec(path: string, base: string): string {
  const inside = relative(base, path);
  const isWithin = inside !== "" && inside !== ".." && !inside.startsWith("../") && !isAbsolute(inside);
  // Outside the project the path keeps its leading slash, so the spec starts with `//`, the root of the file system.
  return `/${(isWithin ? inside : path).replace(/[\\*?[\]!#()\s]/g, "\\$&")}`;
}

function anchor(spec: string, { base, roots, home }: PathContext, tightens: boolean): readonly Anchored[] {
  if (spec.includes("\0")) throw new RuleSyntaxError("its path holds a NUL character");
  if (spec.startsWith("!")) throw new RuleSyntaxError("a path can't begin with !: write the opposite rule instead");
  const path = spec.trim();
  if (path.startsWith("//")) return [{ folder: "/", pattern: fromRoot(path.slice(2)) }];
  if (path === "~" || path.startsWith("~/")) return [{ folder: home, pattern: fromRoot(path.slice(2)) }];
  if (path.startsWith("/")) return [{ folder: base, pattern: fromRoot(path.slice(1)) }];
  const folders = tightens ? roots : roots.slice(0, 1);
  return folders.map((root) => {
    let folder = root;
    let rest = path;
    for (let step = /^\.\.?(?:\/|$)/.exec(rest); step; step = /^\.\.?(?:\/|$)/.exec(rest)) {
      if (step[0].startsWith("..")) folder = dirname(folder);
      rest = rest.slice(step[0].length);
    }
    return { folder, pattern: rest === path ? escapeStart(notUpwards(rest)) : fromRoot(rest) };
  });
}

function fromRoot(rest: string): string {
  const inside = notUpwards(rest.replace(/^\/+/, ""));
  return inside === "" ? "/**" : `/${inside}`;
}

function notUpwards(path: string): string {
  if (path.split("/").includes("..")) throw new RuleSyntaxError("its path has .. in the middle");
  return path;
}

/** `#` and `!` have a special meaning at the start of a gitignore line. */
function escapeStart(pattern: string): string {
  return /^[#!]/.test(pattern) ? `\\${pattern}` : pattern;
}

/** If the fixed part of a pattern contains links, adds a pattern for the resolved path. */
function withRealFolder(anchored: Anchored, { realPath }: PathContext): readonly Anchored[] {
  const { folder, pattern } = anchored;
  const parts = pattern.split("/").filter((part) => part !== "");
  const isAnchored = pattern.startsWith("/");
  const wild = parts.findIndex((part) => /[*?[]/.test(part.replace(/\\./gs, "")));
  const fixed = !isAnchored ? [] : wild < 0 ? parts : parts.slice(0, wild);
  const literal = join(folder, ...fixed.map((part) => part.replace(/\\(.)/gs, "$1")));
  const real = realPath(literal);
  if (real === literal) return [anchored];
  const rest = parts.slice(fixed.length);
  if (!isAnchored) return [anchored, { folder: real, pattern }];
  if (rest.length > 0) return [anchored, { folder: real, pattern: `/${rest.join("/")}` }];
  const name = basename(real).replace(/[\\*?[\]!#\s]/g, "\\$&");
  return [anchored, { folder: dirname(real), pattern: name === "" ? "/**" : `/${name}` }];
}

function folderMatcher(
  { folder, pattern }: Anchored,
  tightens: boolean,
  ignoreCase: boolean,
): (path: string) => boolean {
  // `x/**` matches the contents of x; a rule with it also covers x itself.
  const stem = pattern.endsWith("/**") ? pattern.slice(0, -3) : "";
  const patterns = stem === "" ? [pattern] : [pattern, stem.startsWith("/") ? stem : `/${stem}`];
  const isEverything = pattern === "/**" || pattern === "**" || pattern === "*";
  const matcher = boundedMatcher(patterns, ignoreCase);
  const matchesIn = (base: string, path: string) => {
    const inside = relative(base, path);
    if (inside === "") return isEverything;
    if (inside === ".." || inside.startsWith("../") || isAbsolute(inside)) return false;
    return matcher(inside) || (tightens && matcher(`${inside}/`));
  };
  if (!ignoreCase) return (path) => matchesIn(folder, path);
  const folded = foldPath(folder);
  return (path) => matchesIn(folder, path) || matchesIn(folded, foldPath(path));
}

/** Matches with the parts that exist taken for names. */
function existingMatcher(anchored: Anchored, ignoreCase: boolean): (path: string) => boolean {
  const known = new Map<string, (path: string) => boolean>();
  return (path) => {
    const pattern = spelled(anchored.pattern, existingParts(anchored, path));
    const matcher = known.get(pattern) ?? folderMatcher({ ...anchored, pattern }, false, ignoreCase);
    known.set(pattern, matcher);
    return matcher(path);
  };
}

/** @returns a test for relative paths against gitignore patterns. */
function boundedMatcher(patterns: readonly string[], ignoreCase: boolean): (path: string) => boolean {
  const make = (): Ignore =>
    ignore({ ignorecase: ignoreCase }).add(
      patterns.map((pattern) => ({ pattern: ignoreCase ? pattern.normalize("NFC") : pattern })),
    );
  let matcher = make();
  let asked = 0;
  return (path) => {
    asked += 1;
    if (asked % MAX_REMEMBERED_PATHS === 0) matcher = make();
    return matcher.ignores(path);
  };
}

/** A gitignore pattern below an absolute folder. */
type Anchored = { readonly folder: string; readonly pattern: string };

/** Most parts with brackets of which each combination of meanings is tried. */
const MAX_COMBINED = 4;

/**
 * All meanings of a pattern that tightens: brackets and braces as gitignore and ripgrep read them, and as letters of a
 * name. Whether such a name exists is not asked, because a deny rule also covers files that are created later.
 * @throws {RuleSyntaxError} the braces have too many alternatives.
 */
function everyReading({ folder, pattern }: Anchored): readonly Anchored[] {
  const written = writtenOut(pattern);
  if (!written) throw new RuleSyntaxError("its braces have too many alternatives: write several rules");
  const patterns = [pattern, ...written].flatMap((one) => withPlainBrackets(one));
  return [...new Set(patterns)].map((one) => ({ folder, pattern: one }));
}

function withPlainBrackets(pattern: string): readonly string[] {
  const parts = pattern.split("/");
  const bracketed = parts.flatMap((part, index) => (hasBracket(part) ? [index] : []));
  const masks = 2 ** bracketed.length;
  const chosen = bracketed.length <= MAX_COMBINED ? Array.from({ length: masks }, (_, mask) => mask) : [0, masks - 1];
  return chosen.map((mask) => spelled(pattern, new Set(bracketed.filter((_, bit) => (mask >> bit) & 1))));
}

/** The pattern with these parts taken for names. */
function spelled(pattern: string, parts: ReadonlySet<number>): string {
  const taken = pattern
    .split("/")
    .map((part, index) => (parts.has(index) ? part.replace(/(?<!\\)[[\]]/g, "\\$&") : part));
  return taken.join("/");
}

function hasBracket(part: string): boolean {
  return /(?<!\\)\[/.test(part);
}

/**
 * The parts of an allow rule's pattern that are names for this path, because they exist as they are written; an allow
 * rule has one meaning at a time.
 */
function existingParts({ folder, pattern }: Anchored, path: string): ReadonlySet<number> {
  const found = new Set<number>();
  const parts = pattern.split("/");
  const names = relative(folder, path).split("/");
  // Undefined after a wildcard, and in a pattern for any folder: the part is then looked up in each folder of the path.
  let above = /.\/./.test(pattern) || pattern.startsWith("/") ? folder : undefined;
  for (const [index, part] of parts.entries()) {
    if (part === "") continue;
    const canBeName = hasBracket(part) && !/[*\\]/.test(part);
    const isThere =
      above === undefined
        ? names.some((_, at) => entryExists(join(folder, ...names.slice(0, at), part)))
        : entryExists(join(above, part));
    if (canBeName && isThere) found.add(index);
    const isFixed = (canBeName && isThere) || !/[*?[\\]/.test(part);
    above = above !== undefined && isFixed ? join(above, part) : undefined;
  }
  return found;
}

/** True if a part of the pattern could be a name with brackets. */
function mayBeSpelled({ pattern }: Anchored): boolean {
  return pattern.split("/").some((part) => hasBracket(part) && !/[*\\]/.test(part));
}
