import { plural } from "@quoll/terminal-text/plural";
import { type Answer, type Call, callOne, done, failed, problemOf, type StepEnd, type StepRun } from "../calls.ts";
import type { Step } from "../step.ts";
import { type FileLine, foundNothing, type ReadText, readText, splitNotices } from "../tool-answers.ts";
import { countLines, readLines } from "./read-file.ts";

type Create = Extract<Step, { form: "create" }>;

/**
 * Creates a file. Write refuses to overwrite a file that the conversation has not seen. If the conversation has seen
 * files, the engine first checks whether this file exists.
 */
export function* createFile({ path, content }: Create, mayKnowFiles: boolean): StepRun {
  const exists = failed(
    `${path} already exists, and create only makes new files (\`replace\` and \`append\` change one)`,
  );
  if (mayKnowFiles) {
    const found = yield* callOne({ name: "Glob", input: { pattern: path } });
    const isMissingFolder = found.isError && found.text.includes("does not exist");
    if (found.isError && !isMissingFolder) return failed(problemOf(found));
    if (!found.isError && !foundNothing(splitNotices(found.text)) && isThere(path, found.text)) return exists;
  }
  const answer = yield* callOne({ name: "Write", input: { file_path: path, content } });
  if (!answer.isError) return done(created(path, content));
  return /exists but was not read/.test(answer.text) ? exists : failed(problemOf(answer));
}

/** A name with brackets may have matched another file; a path outside the folder may have another spelling. */
function isThere(path: string, found: string): boolean {
  const { lines } = splitNotices(found);
  return /^(?:\/|~|\.\.)/.test(path) || lines.includes(path) || lines.some((line) => line.startsWith(`${path}/`));
}

function created(path: string, content: string): string {
  if (content === "") return `Created ${path}, empty.`;
  const lines = content.split("\n").length - (content.endsWith("\n") ? 1 : 0);
  return `Created ${path} (${plural(lines, "line")}).`;
}

/** Lines at the end of a file that are searched for a unique ending. */
const TAIL_LINES = 200;
/** Number of these lines that are tried as a unique text. */
const ANCHOR_LINES: readonly number[] = [1, 4, 20, TAIL_LINES];

type Tail = ReadText & { readonly isWhole: boolean };

/**
 * Appends lines after the last line of a file and keeps its line end (or the lack of one) at the end. The last
 * lines are the text that Edit searches; more lines are taken until the text is unique in the file.
 */
export function* appendText({ path, text }: Extract<Step, { form: "append" }>): StepRun {
  const tail = yield* readTail(path);
  if ("ok" in tail) return tail;
  const said = done(`Appended ${plural(lineCount(text), "line")} to ${path}.`);
  const { lines } = tail;
  if (lines.length === 0) {
    const answer = yield* callOne(editCall(path, "", text.endsWith("\n") ? text : `${text}\n`));
    return answer.isError ? failed(problemOf(answer)) : said;
  }
  const added = tail.endsWithNewline && text.endsWith("\n") ? text.slice(0, -1) : text;
  if (lines.every((line) => line.text === "")) return yield* appendToBlank(path, tail, added, said);
  if (lines.at(-1)?.isCut) {
    return failed(`the last line of ${path} is too long to search for (\`run printf '…' >> ${path}\` appends to it)`);
  }
  for (const anchor of anchors(tail)) {
    const answer = yield* callOne(editCall(path, anchor, `${anchor}\n${added}`));
    if (!answer.isError) return said;
    if (!/ occurs [\d,]+ times /.test(answer.text)) return failed(problemOf(answer));
  }
  return failed(`the end of ${path} is not unique in the file (\`run printf '…\\n' >> ${path}\` appends to it)`);
}

function* readTail(path: string): Generator<readonly Call[], Tail | StepEnd, readonly Answer[]> {
  const first = yield* readLines(path, {});
  if (first.isError)
    return failed(
      /does not exist/.test(first.text) ? `${problemOf(first)} (\`create\` makes a new file)` : problemOf(first),
    );
  if (first.hasImage) return failed(`${path} is a picture, not text`);
  const start = readText(first.text);
  if (start.isToEnd) return { ...start, isWhole: true };
  const total = yield* countLines(path);
  if (typeof total !== "number") return failed(problemOf(total));
  if (total === 0) return failed(`the end of ${path} was not found`);
  const last = yield* readLines(path, { offset: Math.max(1, total - TAIL_LINES + 1), limit: TAIL_LINES * 2 });
  if (last.isError) return failed(problemOf(last));
  const tail = readText(last.text);
  return tail.isToEnd
    ? { ...tail, isWhole: false }
    : failed(`the end of ${path} was not reached: its last lines are too long`);
}

/** Endings of growing length; for a file that was read completely, only unique endings. */
function anchors({ lines, isWhole }: Tail): readonly string[] {
  const all = lines.map(({ text }) => text).join("\n");
  const usable = lines.length - (lines.findLastIndex(({ isCut }) => isCut) + 1);
  const lengths = [
    ...new Set([...ANCHOR_LINES, ...(isWhole ? [usable] : [])].map((length) => Math.min(length, usable))),
  ];
  return lengths
    .map((length) => joined(lines.slice(-length)))
    .filter((anchor) => anchor !== "" && all.indexOf(anchor) === all.length - anchor.length);
}

function joined(lines: readonly FileLine[]): string {
  return lines.map(({ text }) => text).join("\n");
}

/** A file with only empty lines has no text to search for, so it is rewritten. */
function* appendToBlank(path: string, tail: Tail, added: string, said: StepEnd): StepRun {
  if (!tail.isWhole) return failed(`${path} has only empty lines at its end`);
  const lineEnd = tail.hasCrLf ? "\r\n" : "\n";
  const content = lineEnd.repeat(tail.lines.length) + added.replace(/\r?\n/g, lineEnd) + lineEnd;
  const answer = yield* callOne({ name: "Write", input: { file_path: path, content } });
  return answer.isError ? failed(problemOf(answer)) : said;
}

function editCall(path: string, from: string, to: string): Call {
  return { name: "Edit", input: { file_path: path, old_string: from, new_string: to } };
}

function lineCount(text: string): number {
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}
