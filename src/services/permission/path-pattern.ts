import { basename, dirname, isAbsolute, join, relative } from "node:path";
import ignore, { type Ignore } from "ignore";
import { foldPath } from "./fold-path.ts";
import { RuleSyntaxError } from "./rule-syntax.ts";

/** `ignore` remembers every path that it was asked about: it is made anew before that grows large. */
const MAX_REMEMBERED_PATHS = 5_000;
/** Folders whose name alone says that secrets lie in them: a pattern that names one means them. */
const SECRET_FOLDERS: ReadonlySet<string> = new Set([".ssh", ".aws", ".gnupg", ".kube", ".docker", ".azure"]);

export type PathContext = {
  /** What `/x` is relative to. */
  readonly base: string;
  /** What `x` and `./x` are relative to; a rule that tightens holds in each, one that allows in the first. */
  readonly roots: readonly string[];
  /** What `~/x` is relative to. */
  readonly home: string;
  /** True when the disk takes `A` and `a` for one name: then rules that allow do so, too. */
  readonly isCaseInsensitive?: boolean;
  /** Resolves the links of a path as far as it exists. */
  realPath(path: string): string;
};

export interface PathPattern {
  /** @param path Absolute. */
  matches(path: string): boolean;
  /** Whether the pattern names this very file, not just everything in a folder. */
  names(path: string): boolean;
  /** What it names without a wildcard, absolute, where it is tied to a folder; undefined where it has to be looked for. */
  readonly plain: readonly string[] | undefined;
  /** Absolute folders: whatever matches lies in one of them. */
  readonly folders: readonly string[];
  /** Whether a path with this last part may match though its parent does not. */
  mayEnd(name: string): boolean;
}

type Anchored = { readonly folder: string; readonly pattern: string };

/**
 * Compiles the path of a Read or Edit rule: gitignore patterns, `//x` from the root of the file system, `~/x` from home, `/x`
 * from the project root, `x` and `./x` from the working folder.
 *
 * A rule that tightens ignores case, holds for a folder as for what is in it, and follows the links of its own fixed part; one
 * that allows is taken literally.
 * @throws {RuleSyntaxError} the pattern could not mean a path.
 */
export function parsePathPattern(spec: string, context: PathContext, tightens: boolean): PathPattern {
  const given = anchor(spec, context, tightens);
  const anchored = tightens ? given.flatMap((one) => withRealFolder(one, context)) : given;
  const ignoreCase = tightens || context.isCaseInsensitive === true;
  const matchers = anchored.map((one) => folderMatcher(one, tightens, ignoreCase));
  const last = spec.split("/").findLast((part) => part !== "") ?? "";
  const namesFolder = spec.split("/").some((part) => SECRET_FOLDERS.has(part));
  const lastMatcher = /^\*+$/.test(last) ? undefined : boundedMatcher([escapeStart(last)], ignoreCase);
  const matches = (path: string) => matchers.some((matcher) => matcher(path));
  return {
    matches,
    names: (path) => matches(path) && (namesFolder || (lastMatcher?.(basename(path)) ?? false)),
    plain: plainPaths(anchored),
    folders: anchored.map(({ folder, pattern }) =>
      pattern.startsWith("/") ? join(folder, fixedPart(pattern)) : folder,
    ),
    mayEnd: endTest(anchored),
  };
}

/** Without the part that only means all that lies in there. */
function stemOf(pattern: string): string {
  return pattern.endsWith("/**") ? pattern.slice(0, -3) : pattern.replace(/\/$/, "");
}

/** The parts before the first wildcard, without the last of all. */
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

/** Only what can be said without a doubt counts against a name. */
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

/** A rule path that matches exactly this absolute path, relative to the project root when inside of it. */
export function exactPathSpec(path: string, base: string): string {
  const inside = relative(base, path);
  const isWithin = inside !== "" && inside !== ".." && !inside.startsWith("../") && !isAbsolute(inside);
  // Outside of the project the path keeps its own slash: two of them mean the root of the file system.
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

/** `#` and `!` mean something else at the start of a gitignore line. */
function escapeStart(pattern: string): string {
  return /^[#!]/.test(pattern) ? `\\${pattern}` : pattern;
}

/** Where the fixed part of a pattern leads through links, what it really means is added. */
function withRealFolder(anchored: Anchored, { realPath }: PathContext): readonly Anchored[] {
  const { folder, pattern } = anchored;
  const parts = pattern.split("/").filter((part) => part !== "");
  const isAnchored = pattern.startsWith("/");
  const wild = parts.findIndex((part) => /[*?[\\]/.test(part));
  const fixed = !isAnchored ? [] : wild < 0 ? parts : parts.slice(0, wild);
  const literal = join(folder, ...fixed);
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
  // `x/**` is what lies in x; whoever names that means x itself too.
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
