import { join } from "node:path";
import { plural } from "@quoll/terminal-text/plural";
import { ToolFailedError } from "../../../contracts/errors.ts";
import type { Ripgrep, RipgrepRun } from "../../../platform/ripgrep.ts";
import { RgJsonReader } from "./rg-json.ts";
import { meantBy, type SearchGlobs } from "./search-globs.ts";
import { byPath, type FileHits, isCrlfLineEnd, type SearchRequest, type SearchResult } from "./search-types.ts";

const MAX_OUTPUT_BYTES = 20 * 1024 * 1024;
const MAX_ERROR_CHARS = 800;
/** Where no text has a match, binary files are searched for a moment, so that "no match" is not said of them. */
const BINARY_SEARCH_MS = 200;
const MAX_BINARY_SIZE = "16M";
/** Shorter files have room in the memory even if they are one line. */
const MAX_LINES_SIZE = "32M";
const NAMED_FILES = 5;
const STRAY_NOTE = "bytes that are not UTF-8 are shown as \ufffd: Read may know their encoding";
const OUT_OF_MEMORY = /memory allocation of \d+ bytes failed/;
const TOO_MANY_THREADS = /os error 11\b|Resource temporarily unavailable/;

/** Common model names for ripgrep's types. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  tsx: "ts",
  jsx: "js",
  javascript: "js",
  rs: "rust",
  yml: "yaml",
  "c++": "cpp",
  "c#": "cs",
  golang: "go",
  bash: "sh",
  shell: "sh",
  rb: "ruby",
  kt: "kotlin",
};

function typeName(type: string): string {
  return TYPE_NAMES[type.toLowerCase()] ?? type;
}

/** The pattern is no regular expression that can be searched for. `reason`: one line of ripgrep. */
class PatternError extends ToolFailedError {
  constructor(
    pattern: string,
    readonly reason: string,
    readonly hint: string,
  ) {
    super(`The pattern ${JSON.stringify(pattern)} is not valid: ${reason}\n${hint}`);
  }
}

/**
 * Searches with ripgrep. A pattern that is no regular expression (`foo(`) is searched as plain text, and a note says so.
 * @throws {ToolFailedError} the pattern, a glob or the type is invalid, in ripgrep's words with advice; or the machine
 * has not enough memory or threads.
 */
export async function rgSearch(ripgrep: Ripgrep, request: SearchRequest): Promise<SearchResult> {
  try {
    return await searchOnce(ripgrep, request);
  } catch (error) {
    if (!(error instanceof PatternError) || request.isPlainText) throw error;
    const result = await searchOnce(ripgrep, { ...request, isPlainText: true });
    if (result.files.length === 0)
      throw new PatternError(request.pattern, `${error.reason}; as plain text it has no match`, hintAfterText(error));
    const note = `the pattern is no regular expression (${error.reason}): it was searched as plain text`;
    return { ...result, notes: [note, ...result.notes] };
  }
}

async function searchOnce(ripgrep: Ripgrep, request: SearchRequest): Promise<SearchResult> {
  const { ended, found, hasStray, large = [] } = await runWithRoom(ripgrep, request);
  assertHadRoom(ended.stderr);
  const { file } = request;
  const files = file === undefined ? found.filter(({ path }) => isShown(path, request)) : found.map(named(file));
  if (ended.exitCode === 2 && files.length === 0) throwIfRefused(ended.stderr, request);
  const cutBy = ended.endedBy === "itself" ? undefined : ended.endedBy;
  const hadNoFiles = files.length === 0 && !cutBy && !(await hasFiles(ripgrep, request));
  const binary = files.length === 0 && !cutBy && !hadNoFiles ? await binaryMatches(ripgrep, request) : [];
  const isAtLeast = isLimited(request) && files.some(({ count }) => count >= request.maxPerFile);
  return {
    files: byPath(meantBy(request.globs, files)),
    cutBy,
    isAtLeast,
    notes: [
      ...(hasStray ? [STRAY_NOTE] : []),
      ...leftOut(binary, request),
      ...tooLarge(large),
      ...unreadable(ended.stderr.replaceAll(request.reachedBy, file ?? ".")),
    ],
    hadNoFiles,
  };
}

function named(path: string): (hits: FileHits) => FileHits {
  return (hits) => ({ ...hits, path });
}

function isShown(path: string, { globs, isHidden, root }: SearchRequest): boolean {
  return isSearched(path, globs) && !isHidden(join(root, path));
}

function isSearched(path: string, globs: SearchGlobs): boolean {
  return globs.isWanted(path) && !globs.isLeftOut(path);
}

type Found = {
  readonly ended: RipgrepRun;
  readonly found: readonly FileHits[];
  readonly hasStray: boolean;
  /** The files that were left out because a line of one had no room in the memory. */
  readonly large?: readonly string[];
};

/** A line with no room in the memory ends ripgrep: then the search runs again without large files. */
async function runWithRoom(ripgrep: Ripgrep, request: SearchRequest): Promise<Found> {
  const whole = await run(ripgrep, request);
  if (request.file !== undefined || !OUT_OF_MEMORY.test(whole.ended.stderr)) return whole;
  const limit = `--max-filesize=${MAX_LINES_SIZE}`;
  const found = await run(ripgrep, request, limit);
  const small = new Set(await searchedFiles(ripgrep, request, limit));
  const large = (await searchedFiles(ripgrep, request)).filter((path) => !small.has(path));
  return { ...found, large: large.filter((path) => isShown(path, request)) };
}

function tooLarge(large: readonly string[]): readonly string[] {
  if (large.length === 0) return [];
  const names = large.slice(0, NAMED_FILES).join(", ");
  const more = large.length > NAMED_FILES ? " …" : "";
  return [
    `left out: ${plural(large.length, "file")} of over ${MAX_LINES_SIZE}B, since a line had no room in memory (${names}${more})`,
  ];
}

/** The names of the files that a search looks at, relative to the root. */
async function searchedFiles(
  ripgrep: Ripgrep,
  request: SearchRequest,
  ...limits: readonly string[]
): Promise<readonly string[]> {
  const reader = new NameReader("files_with_matches");
  const ended = await ripgrep({
    args: [...limits, ...filterArguments(request), "--files", "--null", "--", "./"],
    cwd: folderOf(request),
    signal: request.signal,
    timeoutMs: request.timeoutMs,
    onOutput: (chunk) => {
      reader.push(chunk);
      return true;
    },
  });
  return reader.files(ended).map(({ path }) => path);
}

/** The binary files with a match, where no text has one: as far as a short search finds them. */
async function binaryMatches(ripgrep: Ripgrep, request: SearchRequest): Promise<readonly string[]> {
  const reader = new NameReader("files_with_matches");
  const limits = ["--binary", `--max-filesize=${MAX_BINARY_SIZE}`];
  const ended = await ripgrep({
    args: [...limits, ...searchArguments({ ...request, mode: "files_with_matches" })],
    cwd: folderOf(request),
    signal: request.signal,
    timeoutMs: BINARY_SEARCH_MS,
    onOutput: (chunk) => {
      reader.push(chunk);
      return true;
    },
  });
  const found = reader.files(ended).map(({ path }) => path);
  return request.file === undefined ? found.filter((path) => isShown(path, request)) : found;
}

function leftOut(binary: readonly string[], { file }: SearchRequest): readonly string[] {
  if (binary.length === 0) return [];
  if (file !== undefined) return [`${file} is binary, and it has a match`];
  const names = binary.slice(0, NAMED_FILES).join(", ");
  const more = binary.length > NAMED_FILES ? " …" : "";
  return [`left out: ${plural(binary.length, "binary file")} with a match (${names}${more})`];
}

/** Without this check, a file that was not searched would count as one without a match. */
function assertHadRoom(stderr: string): void {
  if (OUT_OF_MEMORY.test(stderr))
    throw new ToolFailedError(
      "The search ended: a file has lines of tens of megabytes. Search a narrower path, or leave the file out with glob.",
    );
  if (TOO_MANY_THREADS.test(stderr))
    throw new ToolFailedError("The search ended: the machine can start no more threads now. Try again.");
}

async function run(ripgrep: Ripgrep, request: SearchRequest, ...limits: readonly string[]): Promise<Found> {
  const reader = request.mode === "content" ? new RgJsonReader() : new NameReader(request.mode);
  let size = 0;
  const ended = await ripgrep({
    args: [...limits, ...searchArguments(request)],
    cwd: folderOf(request),
    signal: request.signal,
    timeoutMs: request.timeoutMs,
    onOutput: (chunk) => {
      const room = MAX_OUTPUT_BYTES - size;
      reader.push(chunk.subarray(0, room));
      size += chunk.length;
      return size <= MAX_OUTPUT_BYTES;
    },
  });
  return { ended, found: reader.files(ended), hasStray: reader instanceof RgJsonReader && reader.hasStray };
}

function filterArguments({ globs, type, file }: SearchRequest): readonly string[] {
  return [
    "--no-config",
    "--hidden",
    "--no-require-git",
    ...globs.forRipgrep.flatMap((glob) => ["--glob", glob]),
    // Last, so that no glob of the model includes these files again.
    ...(file === undefined ? ["--glob", "!.git"] : []),
    ...(type === undefined ? [] : ["--type", typeName(type)]),
  ];
}

/** Matches that span lines cannot be counted by lines. */
function isLimited({ mode, multiline }: SearchRequest): boolean {
  return mode === "content" && !multiline;
}

function searchArguments(request: SearchRequest): readonly string[] {
  const { pattern, file, reachedBy, mode, before, after, ignoreCase, multiline } = request;
  return [
    ...filterArguments(request),
    // Look-around and back-references need PCRE2, if this rg has it.
    "--engine=auto",
    "--color=never",
    // A mapped file counts as our memory; reading it costs little more.
    "--no-mmap",
    ...(isCrlfLineEnd(pattern) ? ["--crlf"] : []),
    ...(mode === "content"
      ? ["--json", `--before-context=${before}`, `--after-context=${after}`]
      : ["--null", "--with-filename"]),
    ...(isLimited(request) ? [`--max-count=${request.maxPerFile}`] : []),
    ...(mode === "files_with_matches" ? ["--files-with-matches"] : mode === "count" ? ["--count"] : []),
    ...(ignoreCase ? ["--ignore-case"] : []),
    ...(request.isPlainText ? ["--fixed-strings"] : []),
    ...(multiline ? ["--multiline", "--multiline-dotall"] : []),
    `--regexp=${pattern}`,
    "--",
    file === undefined ? "./" : reachedBy,
  ];
}

function folderOf({ file, root, reachedBy }: SearchRequest): string {
  return file === undefined ? reachedBy : root;
}

/** Parses rg's output in the modes without lines. */
class NameReader {
  readonly #chunks: Buffer[] = [];

  constructor(readonly mode: "files_with_matches" | "count") {}

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  files({ endedBy }: RipgrepRun): readonly FileHits[] {
    const bytes = Buffer.concat(this.#chunks);
    // The last record of an interrupted search may be incomplete.
    const separator = this.mode === "count" ? 0x0a : 0;
    const whole = endedBy === "itself" ? bytes : bytes.subarray(0, bytes.lastIndexOf(separator) + 1);
    const records = whole.toString("utf8").split(this.mode === "count" ? "\n" : "\0");
    return records.flatMap((record) => {
      if (record === "") return [];
      const [path = "", amount] = record.split("\0");
      // A message between the names ("binary file matches") has no NUL before its count.
      if (this.mode === "count" && amount === undefined) return [];
      return [{ path: path.replace(/^\.\//, ""), count: amount === undefined ? 1 : Number(amount), lines: [] }];
    });
  }
}

/** True if any file was searched. */
async function hasFiles(ripgrep: Ripgrep, request: SearchRequest): Promise<boolean> {
  const { file, globs, signal, timeoutMs } = request;
  if (file !== undefined) return true;
  let found = false;
  let rest = "";
  await ripgrep({
    args: [...filterArguments(request), "--files", "--null", "--", "./"],
    cwd: folderOf(request),
    signal,
    timeoutMs,
    onOutput: (chunk) => {
      const names = (rest + chunk.toString("utf8")).split("\0");
      rest = names.pop() ?? "";
      found = names.some((name) => isSearched(name.replace(/^\.\//, ""), globs));
      return !found;
    },
  });
  return found;
}

/** Errors of the request; errors of single files become notes. */
function throwIfRefused(stderr: string, { pattern, type }: SearchRequest): void {
  const said = stderr.trim().slice(0, MAX_ERROR_CHARS);
  if (/unrecognized file type/.test(said)) {
    throw new ToolFailedError(`ripgrep knows no file type "${type}". Use glob instead, for example "*.${type}".`);
  }
  if (/error parsing glob|invalid glob|glob/i.test(said) && !/regex/i.test(said)) {
    throw new ToolFailedError(`The glob is not valid: ${said}`);
  }
  if (/regex|pcre2|pattern|repetition/i.test(said)) throw patternError(pattern, said);
}

const LITERAL_HINT = "To find these characters literally, put a backslash before each of . * + ? ( ) [ ] { } | ^ $ \\.";

/** The characters were searched for literally already. */
function hintAfterText({ hint }: PatternError): string {
  return hint === LITERAL_HINT ? "No line has this text: correct the expression, or search for other text." : hint;
}

/** The error of a pattern, and the usual solution. */
export function patternError(pattern: string, said: string): ToolFailedError {
  const hint = /multiline/.test(said) ? "Set multiline: true to search across lines." : LITERAL_HINT;
  return new PatternError(pattern, reasonOf(said), hint);
}

/** The one line of ripgrep's error that says what is wrong; PCRE2's, if the other engine only lacks the feature. */
function reasonOf(said: string): string {
  const [own, other] = [/^error: (.+)$/m.exec(said)?.[1], /^PCRE2: (.+)$/m.exec(said)?.[1]];
  return (/not supported$/.test(own ?? "") ? (other ?? own) : own) ?? other ?? said;
}

function unreadable(stderr: string): readonly string[] {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0) return [];
  const first = (lines[0] ?? "").slice(0, 200);
  return [`${lines.length === 1 ? "one message" : `${lines.length} messages`} from ripgrep: ${first}`];
}
