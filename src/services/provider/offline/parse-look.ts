import { type Cursor, plainWord } from "./cursor.ts";
import type { Misfit } from "./form.ts";
import { misfit, notUnderstood } from "./form.ts";
import { escapeRegexp, regexpProblem } from "./regexp.ts";
import type { Range, Step } from "./step.ts";
import { extensionGlob, isGlob, readTarget } from "./target.ts";

type Parsed = Step | Misfit | undefined;

const NAMED = [
  "named",
  "called",
  "matching",
  "with the name",
  "by the name",
  "that match",
  "match",
  "are named",
  "are called",
  "like",
];
const FOLDERS = ["folders", "directories", "all folders", "all the folders", "all directories"];
const FILES = [
  "the files",
  "the file",
  "all the files",
  "all files",
  "every file",
  "a file",
  "any file",
  "files",
  "file",
];

/** `list files`, `list src`, `find *.ts`, `find files named X in FOLDER`. Undefined when it asks for something else. */
export function parseList(cursor: Cursor, verb: string): Parsed {
  const isPlainList = verb === "list" || verb === "ls";
  cursor.skip(["me", "out"]);
  if (verb === "what" && !cursor.phrase("files are")) return undefined;
  if (verb === "which" && plainWord(cursor.peek()) !== "files") return undefined;
  const kind = afterArticle(cursor, () => extensionGlob(cursor));
  const saysFiles = kind !== undefined || verb === "what" || cursor.oneOf(FILES) !== undefined;
  if (saysFiles && speaksOfText(cursor)) return undefined;
  if (cursor.oneOf(NAMED) !== undefined || (saysFiles && isName(cursor))) return named(cursor);
  if (saysFiles) return rest(cursor, kind ?? "**/*");
  cursor.skip(["the"]);
  if (!isPlainList) return (verb === "show" ? isGlobHere(cursor) : isName(cursor)) ? single(cursor, false) : undefined;
  if (cursor.oneOf(FOLDERS) !== undefined) return misfit("it names files, not folders; for folders: `run ls -d */`");
  cursor.oneOf(["everything", "all"]);
  return cursor.atEnd || startsTarget(cursor) ? rest(cursor, "**/*") : single(cursor, true);
}

function startsTarget(cursor: Cursor): boolean {
  const place = cursor.place;
  const isTarget = readTarget(cursor) !== undefined;
  cursor.back(place);
  return isTarget;
}

function afterArticle<Value>(cursor: Cursor, read: () => Value | undefined): Value | undefined {
  const place = cursor.place;
  cursor.skip(["all", "the", "every", "any"]);
  const value = read();
  if (value === undefined) cursor.back(place);
  return value;
}

function speaksOfText(cursor: Cursor): boolean {
  const word = plainWord(cursor.peek());
  if (word === "containing" || word === "contain" || word === "mentioning" || word === "where") return true;
  return (
    (word === "that" && plainWord(cursor.peek(1)) === "contain") ||
    (word === "with" && cursor.peek(1)?.kind === "quoted")
  );
}

/** Whether what stands here, unquoted, looks like the name of a file: a glob, a path, or something with an extension. */
function isName(cursor: Cursor): boolean {
  const token = cursor.peek();
  if (token?.kind !== "word") return false;
  return isGlob(token.text) || /[^/]\/|\/[^/]|\w\.[a-z0-9]{1,10}[.!,]?$/i.test(token.text.slice(-200));
}

function isGlobHere(cursor: Cursor): boolean {
  const token = cursor.peek();
  return token?.kind === "word" && isGlob(token.text) && isName(cursor);
}

function named(cursor: Cursor): Parsed {
  const name = cursor.path();
  if (name === undefined) return misfit("it does not say which name to look for");
  return rest(cursor, name);
}

/** One path after the verb. `list src` names a folder or a file, as it is found; other names are looked for at any depth. */
function single(cursor: Cursor, isPlainList: boolean): Parsed {
  const path = cursor.path();
  if (path === undefined) return misfit("it does not say what to list");
  cursor.oneOf(["folder", "directory"]);
  cursor.oneOf(["files"]);
  const hasExtension = /[^/]\.[A-Za-z0-9]{1,10}$/.test(path.slice(-200));
  if (!isPlainList || isGlob(path) || hasExtension) return rest(cursor, path);
  if (!cursor.atEnd) return misfit(notUnderstood(cursor));
  return path === "."
    ? { form: "list", pattern: "**/*", folder: undefined }
    : { form: "list", pattern: path, folder: undefined };
}

/** What follows the name: a folder, or nothing. A name without a slash is looked for at any depth. */
function rest(cursor: Cursor, name: string): Parsed {
  const target = readTarget(cursor);
  if (!cursor.atEnd) return misfit(notUnderstood(cursor));
  if (target?.kind === "glob") return misfit(`"${target.glob}" is a glob where a folder is needed`);
  const plain = isGlob(name) ? name : name.replace(/[[\]()!+@|]/g, "\\$&");
  const pattern = name.includes("/") ? name : `**/${plain}`;
  return { form: "list", pattern, folder: target?.kind === "path" ? target.path : undefined };
}

const BEFORE_TEXT = [
  "for",
  "me",
  "all",
  "every",
  "each",
  "any",
  "occurrences of",
  "occurrence of",
  "matches of",
  "matches for",
  "usages of",
  "uses of",
  "references to",
  "mentions of",
  "the files containing",
  "files containing",
  "files that contain",
  "files that mention",
  "files mentioning",
  "files where",
  "files contain",
  "files with",
  "lines containing",
  "lines that contain",
  "lines with",
  "lines matching",
  "the regular expression",
  "the regexp",
  "the regex",
  "the pattern",
  "the text",
  "the word",
  "the string",
  "regexp",
  "regex",
  "pattern",
  "text",
  "word",
  "string",
  "the",
  "where",
];
const IGNORE_CASE = [
  "ignoring case",
  "ignore case",
  "case insensitively",
  "case insensitive",
  "case-insensitively",
  "case-insensitive",
];

/** `find "text" in TARGET`, `search /regexp/i`. */
export function parseSearch(cursor: Cursor, verb: string): Parsed {
  if (verb === "where") return parseWhere(cursor);
  if ((verb === "which" || verb === "what" || verb === "list" || verb === "show") && !asksForFilesWithText(cursor))
    return undefined;
  cursor.skip(BEFORE_TEXT);
  return sought(cursor, ["is used", "is defined", "is", "occurs", "appears"]);
}

function asksForFilesWithText(cursor: Cursor): boolean {
  const place = cursor.place;
  cursor.skip(["me", "all", "the"]);
  const isFiles = cursor.phrase("files") && speaksOfText(cursor);
  cursor.back(place);
  return isFiles;
}

/** `where is "x" used`, `where is package.json`. */
function parseWhere(cursor: Cursor): Parsed {
  if (cursor.oneOf(["is", "are", "do we use", "do i use", "does"]) === undefined) return undefined;
  cursor.skip(["the file", "the text", "the word", "the function", "the class", "the"]);
  if (isName(cursor)) return named(cursor);
  return sought(cursor, [
    "used",
    "defined",
    "declared",
    "mentioned",
    "found",
    "called",
    "set",
    "imported",
    "occur",
    "appear",
    "come from",
  ]);
}

function sought(cursor: Cursor, after: readonly string[]): Parsed {
  const token = cursor.peek();
  const text = cursor.text();
  if (!token || text === undefined) return misfit("it does not say what to look for");
  cursor.oneOf(after);
  let ignoreCase = cursor.oneOf(IGNORE_CASE) !== undefined;
  const target = readTarget(cursor) ?? { kind: "everywhere" };
  ignoreCase = cursor.oneOf(IGNORE_CASE) !== undefined || ignoreCase;
  if (!cursor.atEnd) return misfit(notUnderstood(cursor));
  const isRegexp = token.kind === "regexp";
  const pattern = isRegexp ? token.text : escapeRegexp(text);
  const problem = pattern === "" ? "the text to look for is empty" : isRegexp ? regexpProblem(pattern) : undefined;
  if (problem !== undefined) return misfit(problem);
  const flags = isRegexp ? token.flags : "";
  return {
    form: "search",
    pattern: flags.includes("s") ? `(?s)${pattern}` : pattern,
    shown: isRegexp ? token.raw : `"${text}"`,
    ignoreCase: ignoreCase || flags.includes("i"),
    multiline: flags.includes("s") || flags.includes("m") || /\\n|\n/.test(pattern),
    target,
  };
}

const BEFORE_FILE = [
  "me",
  "the contents of",
  "the content of",
  "contents of",
  "content of",
  "the whole",
  "the file",
  "file",
  "the",
  "of",
  "from",
  "in",
];

/** `read FILE`, `show lines 3-9 of FILE`, `open FILE:12`. */
export function parseRead(cursor: Cursor): Parsed {
  cursor.skip(["me", "the"]);
  const before = readRange(cursor);
  if (before && "misfit" in before) return before;
  cursor.skip(BEFORE_FILE);
  const token = cursor.peek();
  const given = cursor.path();
  if (given === undefined) return misfit("it does not say which file");
  const inPath = token?.kind === "word" ? /^(.{1,4096}?):(\d{1,9})(?:-(\d{1,9}))?$/.exec(given) : null;
  const path = inPath?.[1] ?? given;
  cursor.skip([","]);
  const after = before ?? (inPath ? between(Number(inPath[2]), Number(inPath[3] ?? inPath[2])) : readRange(cursor));
  if (after && "misfit" in after) return after;
  if (!cursor.atEnd) return misfit(notUnderstood(cursor));
  if (isGlob(path)) return misfit(`read takes one file, and "${path}" is a glob (\`list ${path}\` names its files)`);
  return { form: "read", path, range: after };
}

function readRange(cursor: Cursor): Range | Misfit | undefined {
  const place = cursor.place;
  const end = cursor.oneOf(["the first", "the last", "first", "last"]);
  if (end !== undefined) {
    const count = cursor.number() ?? 1;
    if (cursor.oneOf(["lines", "line"]) !== undefined) return { kind: end.endsWith("first") ? "head" : "tail", count };
    cursor.back(place);
    return undefined;
  }
  cursor.oneOf(["from"]);
  if (cursor.oneOf(["lines", "line"]) === undefined) {
    cursor.back(place);
    return undefined;
  }
  const joined = /^(\d{1,9})(?:-|–|\.\.)(\d{1,9})$/.exec(plainWord(cursor.peek()) ?? "");
  if (joined) {
    cursor.next();
    return between(Number(joined[1]), Number(joined[2]));
  }
  const first = cursor.number();
  if (first === undefined) return misfit("it does not say which lines (lines count from 1)");
  cursor.oneOf(["to line", "to", "through", "until", "-", "–", "and"]);
  return between(first, cursor.number() ?? first);
}

function between(first: number, last: number): Range | Misfit {
  if (first < 1) return misfit("lines count from 1");
  if (last < first) return misfit(`line ${last} comes before line ${first}`);
  return { kind: "lines", first, last };
}

/** `outline FILE`, `show the outline of FILE`. */
export function parseOutline(cursor: Cursor, verb: string): Parsed {
  cursor.skip(["me", "the"]);
  if (verb !== "outline" && cursor.oneOf(["outline", "structure", "definitions"]) === undefined) return undefined;
  cursor.skip(["the file", "of", "for", "in", "the", "file"]);
  const path = cursor.path();
  if (path === undefined) return misfit("it does not say which file");
  if (!cursor.atEnd) return misfit(notUnderstood(cursor));
  if (isGlob(path)) return misfit(`outline takes one file, and "${path}" is a glob`);
  return { form: "outline", path };
}
