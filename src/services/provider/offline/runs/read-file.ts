import { type Answer, type Call, callOne, done, failed, problemOf, type StepRun } from "../calls.ts";
import { escapeRegexp } from "../regexp.ts";
import type { Step } from "../step.ts";
import { countOf, foundNothing, isUnchanged, nextOffset, splitNotices } from "../tool-answers.ts";
import { isDefinition, outlinePattern } from "./outline-patterns.ts";

type Lines = { readonly offset?: number; readonly limit?: number };

/** A Read that shows the lines even if the conversation already contains them. */
export function* readLines(path: string, lines: Lines): Generator<readonly Call[], Answer, readonly Answer[]> {
  const call: Call = { name: "Read", input: { file_path: path, ...lines } };
  const answer = yield* callOne(call);
  return !answer.isError && isUnchanged(answer.text) ? yield* callOne(call) : answer;
}

/** The number of lines of a file, by a count of line starts; undefined if unknown (not text, or empty). */
export function* countLines(path: string): Generator<readonly Call[], Answer | number, readonly Answer[]> {
  const answer = yield* callOne({ name: "Grep", input: { pattern: "^", path, output_mode: "count" } });
  if (answer.isError) return answer;
  return foundNothing(splitNotices(answer.text)) ? 0 : countOf(answer.text);
}

/** Shows a file or some of its lines. */
export function* readFile({ path, range }: Extract<Step, { form: "read" }>): StepRun {
  let lines: Lines = {};
  if (range?.kind === "head") lines = { limit: range.count };
  if (range?.kind === "lines") lines = { offset: range.first, limit: range.last - range.first + 1 };
  if (range?.kind === "tail") {
    const total = yield* countLines(path);
    if (typeof total !== "number") return failed(problemOf(total));
    if (total > 0) lines = { offset: Math.max(1, total - range.count + 1), limit: range.count };
  }
  const answer = yield* readLines(path, lines);
  if (answer.isError) return failed(problemOf(answer));
  if (answer.hasImage) return done(`${path} is an image, which the offline engine cannot describe.`);
  return done(forPeople(answer, path, range !== undefined));
}

/** The lines without the notices for models, but with a note if more lines follow. */
function forPeople({ text }: Answer, path: string, isRange: boolean): string {
  const { lines, notices } = splitNotices(text);
  const body = lines.join("\n") || `${path} is empty.`;
  const next = nextOffset(notices);
  const shown = Number(/^ *(\d+)\t/.exec(lines.at(-1) ?? "")?.[1] ?? 0);
  const asked = isRange && notices.some((notice) => /\(limit [\d,]+\)/.test(notice));
  if (next === undefined || asked) return body;
  return `${body}\n(More lines follow: \`read ${quoted(path)} lines ${next}-${next + Math.max(shown, 1) - 1}\`)`;
}

function quoted(path: string): string {
  return /\s/.test(path) ? `"${path}"` : path;
}

/** Shows the definitions of a source file. */
export function* outlineFile({ path }: Extract<Step, { form: "outline" }>): StepRun {
  const pattern = outlinePattern(path);
  if (pattern === undefined) {
    const kind = /[^/](\.[^./]+)$/.exec(path)?.[1];
    const why = kind === undefined ? "its name has no extension" : `the extension ${kind} is unknown`;
    return failed(`${path} has no outline: ${why} (\`read ${quoted(path)}\` shows it)`);
  }
  const answer = yield* callOne({ name: "Grep", input: { pattern, path, output_mode: "content", head_limit: 0 } });
  if (answer.isError) return failed(problemOf(answer));
  const split = splitNotices(answer.text);
  if (foundNothing(split)) return done(`No definitions were found in ${path}.`);
  const lines = split.lines.filter((line) => /^\d+:/.test(line) && isDefinition(line.slice(line.indexOf(":") + 1)));
  if (lines.length === 0) return done(`No definitions were found in ${path}.`);
  const more = nextOffset(split.notices) === undefined ? [] : ["(The outline is too long to show in full.)"];
  return done([...lines, ...more].join("\n"));
}

/** For a search of literal text, which may span lines. */
export function literalPattern(text: string): { readonly pattern: string; readonly isMultiline: boolean } {
  return { pattern: escapeRegexp(text), isMultiline: /[\r\n]/.test(text) };
}
