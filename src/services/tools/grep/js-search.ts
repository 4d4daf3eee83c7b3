import { basename, join, relative } from "node:path";
import { ToolFailedError } from "../../../contracts/errors.ts";
import type { Encoding } from "../../../contracts/files.ts";
import { decode, UTF_8 } from "../../../platform/files/encoding.ts";
import { loadFile, TooLargeFileError } from "../../../platform/files/load-file.ts";
import { walkFiles } from "../../../platform/files/walk-files.ts";
import { nameGlob } from "../../../platform/globs/name-glob.ts";
import { jsPattern } from "./js-pattern.ts";
import { patternError, typeName } from "./rg-search.ts";
import { meantBy } from "./search-globs.ts";
import {
  byPath,
  type FileHits,
  type HitLine,
  isCrlfLineEnd,
  type SearchRequest,
  type SearchResult,
} from "./search-types.ts";

const MAX_FILE_BYTES = 32 * 1024 * 1024;
/** A longer line could take a regular expression too much time. */
const MAX_LINE_CHARS = 200_000;
const MAX_OUTPUT_CHARS = 20 * 1024 * 1024;

/**
 * Searches without ripgrep, with the same results for common patterns, globs and types. Skips binary files, and files
 * above 32 MiB or with lines above 200,000 characters (with a note).
 * @throws {ToolFailedError} the pattern or type is not supported.
 */
export async function jsSearch(request: SearchRequest): Promise<SearchResult> {
  const { type } = request;
  const regex = jsPattern(request.pattern, request);
  if ("refused" in regex) {
    throw patternError(
      request.pattern,
      `ripgrep was not found on this machine, and the search in its place refuses the pattern: ${regex.refused}.`,
    );
  }
  const ofType = type === undefined ? [] : typeGlobs(typeName(type));
  if (!ofType) {
    throw new ToolFailedError(
      `Without ripgrep, which was not found on this machine, these types are known: ${KNOWN_TYPES.join(", ")}. Use glob instead.`,
    );
  }
  return searchFiles(request, regex, typeMatcher(ofType));
}

function typeMatcher(globs: readonly string[]): (path: string) => boolean {
  const tests = globs.map(nameGlob);
  return (path) => tests.length === 0 || tests.some((isMatch) => isMatch(basename(path)));
}

async function searchFiles(
  request: SearchRequest,
  regex: RegExp,
  isOfType: (path: string) => boolean,
): Promise<SearchResult> {
  const time = AbortSignal.timeout(request.timeoutMs);
  const signal = AbortSignal.any([request.signal, time]);
  const files: FileHits[] = [];
  let hadNoFiles = true;
  let passedOver = 0;
  let chars = 0;
  let cutBy: SearchResult["cutBy"];
  try {
    for await (const path of candidates(request, isOfType, signal)) {
      hadNoFiles = false;
      const text = await textOf(join(request.root, path), signal);
      if (text === "too large") passedOver += 1;
      if (text === undefined || text === "too large") continue;
      const hits = searchText(text.content, regex, request);
      if (hits.count > 0) files.push({ path, ...hits });
      chars += hits.lines.reduce((sum, line) => sum + line.text.length, 0);
      if (chars > MAX_OUTPUT_CHARS) {
        cutBy = "size";
        break;
      }
    }
  } catch (error) {
    if (request.signal.aborted || !time.aborted) throw error;
    cutBy = "time";
  }
  const notes =
    passedOver > 0 ? [`${passedOver} files were skipped: too large, or with lines above 200,000 characters`] : [];
  return {
    files: byPath(meantBy(request.globs, files)),
    cutBy,
    isAtLeast: false,
    notes,
    hadNoFiles: hadNoFiles && !cutBy,
  };
}

async function* candidates(
  { root, file, globs, isHidden }: SearchRequest,
  isOfType: (path: string) => boolean,
  signal: AbortSignal,
): AsyncGenerator<string> {
  if (file !== undefined) {
    yield file;
    return;
  }
  const skip = (path: string) => isHidden(path) || globs.isLeftOut(relative(root, path));
  for await (const path of walkFiles(root, { signal, skip, keep: globs.isNamed })) {
    if (globs.isWanted(path) && isOfType(path)) yield path;
  }
}

/** The text of a file; undefined if it is binary, deleted or unreadable. */
async function textOf(path: string, signal: AbortSignal): Promise<{ content: string } | "too large" | undefined> {
  try {
    const { bytes } = await loadFile(path, MAX_FILE_BYTES, signal);
    const encoding = encodingOf(bytes);
    if (encoding.name === "utf-8" && bytes.includes(0)) return undefined;
    const content = decode(bytes, encoding);
    return hasLongLine(content) ? "too large" : { content };
  } catch (error) {
    if (signal.aborted) throw error;
    return error instanceof TooLargeFileError ? "too large" : undefined;
  }
}

/** Only a byte order mark counts, like in ripgrep. */
function encodingOf(bytes: Buffer): Encoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { name: "utf-16le", bom: true };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { name: "utf-16be", bom: true };
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? { name: "utf-8", bom: true } : UTF_8;
}

function hasLongLine(text: string): boolean {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\n", at);
    if ((end === -1 ? text.length : end) - at > MAX_LINE_CHARS) return true;
    if (end === -1) return false;
    at = end + 1;
  }
  return false;
}

type Hits = { readonly count: number; readonly lines: readonly HitLine[] };

function searchText(text: string, regex: RegExp, request: SearchRequest): Hits {
  const lines = (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
  if (text === "") return { count: 0, lines: [] };
  const { starts, matches } = request.multiline ? spanning(text, lines, regex) : single(lines, regex, request.pattern);
  const count = request.multiline && request.mode === "count" ? matches : starts.size;
  return { count, lines: request.mode === "content" ? withContext(lines, starts, request) : [] };
}

type Found = {
  /** The index of each matching line, and the start of its first match. */
  readonly starts: ReadonlyMap<number, number>;
  readonly matches: number;
};

function single(lines: readonly string[], regex: RegExp, pattern: string): Found {
  const starts = new Map<number, number>();
  const isCrlf = isCrlfLineEnd(pattern);
  for (const [index, line] of lines.entries()) {
    regex.lastIndex = 0;
    const match = regex.exec(isCrlf && line.endsWith("\r") ? line.slice(0, -1) : line);
    if (match) starts.set(index, match.index);
  }
  return { starts, matches: starts.size };
}

function spanning(text: string, lines: readonly string[], regex: RegExp): Found {
  const starts = new Map<number, number>();
  let matches = 0;
  let line = 0;
  let lineStart = 0;
  for (const { 0: found, index } of text.matchAll(regex)) {
    // A match after the last line end is not a line.
    if (index === text.length && text.endsWith("\n")) break;
    matches += 1;
    const end = index + Math.max(found.length, 1);
    while (index > lineStart + (lines[line]?.length ?? 0)) {
      lineStart += (lines[line]?.length ?? 0) + 1;
      line += 1;
    }
    let from = lineStart;
    for (let at = line; at < lines.length && from < end; at += 1) {
      if (!starts.has(at)) starts.set(at, Math.max(0, index - from));
      from += (lines[at]?.length ?? 0) + 1;
    }
  }
  return { starts, matches };
}

function withContext(
  lines: readonly string[],
  starts: ReadonlyMap<number, number>,
  request: SearchRequest,
): readonly HitLine[] {
  const { before, after } = request;
  const shown = new Set<number>();
  for (const index of starts.keys()) {
    for (let at = Math.max(0, index - before); at <= Math.min(lines.length - 1, index + after); at += 1) shown.add(at);
  }
  return [...shown]
    .sort((a, b) => a - b)
    .map((index) => ({
      number: index + 1,
      text: (lines[index] ?? "").replace(/\r$/, ""),
      isMatch: starts.has(index),
      at: starts.get(index) ?? 0,
    }));
}

/** The globs of ripgrep's common types (its `--type-list`), for machines without ripgrep. */
const TYPES: Readonly<Record<string, string>> = {
  c: "*.[chH] *.[chH].in *.cats",
  cpp: "*.[ChH] *.[ChH].in *.[ch]pp *.[ch]pp.in *.[ch]xx *.[ch]xx.in *.cc *.cc.in *.hh *.hh.in *.inl",
  cs: "*.cs",
  css: "*.css *.scss",
  go: "*.go",
  html: "*.ejs *.htm *.html",
  java: "*.java *.jsp *.jspx *.properties",
  js: "*.cjs *.js *.jsx *.mjs *.vue",
  json: "*.json *.sarif composer.lock",
  kotlin: "*.kt *.kts",
  less: "*.less",
  lua: "*.lua",
  markdown: "*.markdown *.md *.mdown *.mdwn *.mdx *.mkd *.mkdn",
  md: "*.markdown *.md *.mdown *.mdwn *.mdx *.mkd *.mkdn",
  php: "*.php *.php3 *.php4 *.php5 *.php7 *.php8 *.pht *.phtml",
  py: "*.py *.pyi",
  python: "*.py *.pyi",
  ruby: "*.gemspec *.rake *.rb *.rbw .irbrc Gemfile Rakefile config.ru",
  rust: "*.rs",
  sql: "*.psql *.sql",
  swift: "*.swift",
  toml: "*.toml Cargo.lock",
  ts: "*.cts *.mts *.ts *.tsx",
  txt: "*.txt",
  typescript: "*.cts *.mts *.ts *.tsx",
  vue: "*.vue",
  yaml: "*.yaml *.yml",
};

/** Globs of a file type, or undefined for a type that is not in our table. */
export function typeGlobs(type: string): readonly string[] | undefined {
  return Object.hasOwn(TYPES, type) ? TYPES[type]?.split(" ") : undefined;
}

export const KNOWN_TYPES: readonly string[] = Object.keys(TYPES);
