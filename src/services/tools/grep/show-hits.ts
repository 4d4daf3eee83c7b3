import { plural } from "@quoll/terminal-text/plural";
import { lineAround, MAX_LINE_CHARS } from "../line-around.ts";
import { count } from "../target-file.ts";
import type { FileHits, HitLine, SearchRequest, SearchResult } from "./search-types.ts";

/** Characters of one answer, about 15,000 tokens; the rest is left for the next page. */
const MAX_ANSWER_CHARS = 60_000;

type Page = {
  /** Results to skip. */
  readonly offset: number;
  /** Most results: files, or matching lines in `content` mode. */
  readonly limit: number;
  readonly lineNumbers: boolean;
  /** The file's name for the model. */
  readonly nameOf: (path: string) => string;
};

type Shown = {
  readonly lines: readonly string[];
  readonly results: number;
  /** In `content` mode: the numbers of completely shown lines, by path. */
  readonly seen: ReadonlyMap<string, readonly number[]>;
};

export type Hits = Pick<Shown, "seen"> & { readonly text: string };

/** One page of results as text, with the total and how to continue. */
export function showHits(result: SearchResult, mode: SearchRequest["mode"], page: Page): Hits {
  const { lines, results, seen } =
    mode === "content" ? contentLines(result.files, page) : fileLines(result.files, mode, page);
  const total = totalOf(result.files, mode);
  return { text: [...lines, ...footer({ result, mode, page, results, total })].join("\n"), seen };
}

export function totalOf(files: readonly FileHits[], mode: SearchRequest["mode"]): number {
  return mode === "content" ? files.reduce((sum, file) => sum + file.count, 0) : files.length;
}

function fileLines(files: readonly FileHits[], mode: SearchRequest["mode"], { offset, limit, nameOf }: Page): Shown {
  const all = files
    .slice(offset, offset + limit)
    .map((file) => (mode === "count" ? `${nameOf(file.path)}:${file.count}` : nameOf(file.path)));
  const lines = withinRoom(all);
  return { lines, results: lines.length, seen: new Map() };
}

function withinRoom(lines: readonly string[]): readonly string[] {
  let room = MAX_ANSWER_CHARS;
  const fitting = lines.findIndex((line) => {
    room -= line.length + 1;
    return room < 0;
  });
  return fitting === -1 ? lines : lines.slice(0, Math.max(1, fitting));
}

/** Each file's name, then its lines: `12:` for a match, `13-` for context, `--` for a gap. */
function contentLines(files: readonly FileHits[], page: Page): Shown {
  const lines: string[] = [];
  const seen = new Map<string, number[]>();
  let chars = 0;
  let passed = 0;
  let results = 0;
  for (const file of files) {
    if (passed + file.count <= page.offset) {
      passed += file.count;
      continue;
    }
    if (results >= page.limit || chars > MAX_ANSWER_CHARS) break;
    const wanted = pageOf(file.lines, page.offset - passed, page.limit - results);
    passed = Math.max(page.offset, passed);
    const header = `${lines.length > 0 ? "\n" : ""}${page.nameOf(file.path)}`;
    lines.push(header);
    const numbers: number[] = [];
    seen.set(file.path, numbers);
    let previous: number | undefined;
    for (const line of wanted) {
      if (chars > MAX_ANSWER_CHARS) break;
      if (previous !== undefined && line.number > previous + 1 && wanted.some(({ isMatch }) => !isMatch))
        lines.push("--");
      const shown = shownLine(line, page.lineNumbers);
      lines.push(shown);
      if (line.text.length <= MAX_LINE_CHARS) numbers.push(line.number);
      chars += shown.length + 1;
      previous = line.number;
      if (line.isMatch) results += 1;
    }
  }
  return { lines, results, seen };
}

/** The lines of some matches of a file: from `skip` on, at most `limit`, with context. */
function pageOf(lines: readonly HitLine[], skip: number, limit: number): readonly HitLine[] {
  const matches = lines.flatMap(({ isMatch }, index) => (isMatch ? [index] : []));
  const from = Math.max(0, skip);
  const previous = from === 0 ? -1 : (matches[from - 1] ?? -1);
  const next = matches[from + limit] ?? lines.length;
  return lines.slice(previous + 1, next);
}

function shownLine({ number, text, isMatch, at }: HitLine, lineNumbers: boolean): string {
  const mark = isMatch ? ":" : "-";
  return `${lineNumbers ? `${number}${mark}` : ""}${lineAround(text, at)}`;
}

type Footer = {
  readonly result: SearchResult;
  readonly mode: SearchRequest["mode"];
  readonly page: Page;
  readonly results: number;
  readonly total: number;
};

function footer({ result, mode, page, results, total }: Footer): readonly string[] {
  const lines: string[] = [];
  const noun = mode === "content" ? "matching line" : "file";
  const next = page.offset + results;
  if (results === 0) lines.push(`Nothing from offset ${page.offset} on: there are ${plural(total, noun)}.`);
  else if (page.offset > 0 || next < total) {
    const onward = next < total ? `; go on with offset: ${next}` : "";
    const all = `${result.isAtLeast ? "at least " : ""}${count(total)}`;
    lines.push(`[${noun}s ${count(page.offset + 1)}–${count(next)} of ${all}${onward}]`);
  } else if (mode === "count") {
    const matches = result.files.reduce((sum, file) => sum + file.count, 0);
    lines.push(`[${count(matches)} in ${plural(result.files.length, "file")}]`);
  }
  return [...lines, ...limits(result)];
}

/** The reasons why the search is incomplete. */
export function limits({ cutBy, notes }: SearchResult): readonly string[] {
  const why = { time: "the time limit of 20 seconds was reached", size: "the output limit of 20 MB was reached" };
  const cut = cutBy ? [`[not complete: ${why[cutBy]}; search a narrower path, glob or pattern]`] : [];
  return [...cut, ...notes.map((note) => `[${note}]`)];
}
