import type { Cursor } from "./cursor.ts";
import { type Misfit, misfit, notUnderstood } from "./form.ts";
import { isName, named, speaksOfText } from "./parse-list.ts";
import { escapeRegexp, regexpProblem } from "./regexp.ts";
import type { Step } from "./step.ts";
import { readTarget } from "./target.ts";

type Parsed = Step | Misfit | undefined;

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
  if (!token || text === undefined) return misfit("the text to look for is missing");
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
