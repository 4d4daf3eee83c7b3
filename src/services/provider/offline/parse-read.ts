import { type Cursor, plainWord } from "./cursor.ts";
import { type Misfit, misfit, notUnderstood } from "./form.ts";
import type { Range, Step } from "./step.ts";
import { isGlob } from "./target.ts";

type Parsed = Step | Misfit | undefined;

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
  if (given === undefined) return misfit("the file name is missing");
  const inPath = token?.kind === "word" ? /^(.{1,4096}?):(\d{1,9})(?:-(\d{1,9}))?$/.exec(given) : null;
  const path = inPath?.[1] ?? given;
  cursor.skip([","]);
  const after = before ?? (inPath ? between(Number(inPath[2]), Number(inPath[3] ?? inPath[2])) : readRange(cursor));
  if (after && "misfit" in after) return after;
  if (!cursor.atEnd) return misfit(notUnderstood(cursor));
  if (isGlob(path)) return misfit(`read takes one file, and "${path}" is a glob (\`list ${path}\` lists its files)`);
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
  if (first === undefined) return misfit("the line number is missing (lines count from 1)");
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
  if (path === undefined) return misfit("the file name is missing");
  if (!cursor.atEnd) return misfit(notUnderstood(cursor));
  if (isGlob(path)) return misfit(`outline takes one file, and "${path}" is a glob`);
  return { form: "outline", path };
}
