import { plural } from "@quoll/terminal-text/plural";
import { type Answer, type Call, done, failed, MAX_CALLS, problemOf, type StepEnd, type StepRun } from "../calls.ts";
import type { Step } from "../step.ts";
import { replacementsOf } from "../tool-answers.ts";
import { literalPattern } from "./read-file.ts";
import { filesWith, notFound } from "./search-files.ts";

/** The number of files that are read before the first change, so that an unreadable file stops the whole step. */
const MAX_PORTION_FILES = 200;
const MAX_SHOWN_CHARS = 60;

type Change = { readonly file: string; readonly places: number | undefined };

/** Finds the files that contain the text, reads a line of each (Edit requires it), then changes each file. */
export function* replaceText({ from, to, target }: Extract<Step, { form: "replace" }>): StepRun {
  const { pattern, isMultiline } = literalPattern(from);
  const found = yield* filesWith(pattern, isMultiline, target);
  if ("ok" in found) return found;
  const { files, troubles, said } = found;
  if (files.length === 0) return done(`${notFound(shown(from), target, said)} Nothing was changed.`);

  const changes: Change[] = [];
  const stopped = (problem: string, file: string): StepEnd => {
    const before = changes.length === 0 ? "Nothing was changed." : report(changes, from, to, troubles);
    const left = files.length - changes.length;
    const rest = changes.length === 0 ? "" : `\nNot changed: ${plural(left, "file")}.`;
    return failed(problem.includes(file) ? problem : `${file}: ${problem}`, before + rest);
  };

  for (let start = 0; start < files.length; start += MAX_PORTION_FILES) {
    const portion = files.slice(start, start + MAX_PORTION_FILES);
    for (const batch of batches(portion)) {
      const answers = yield batch.map((file): Call => ({ name: "Read", input: { file_path: file, limit: 1 } }));
      const refused = firstError(answers);
      if (refused !== -1) return stopped(problemOf(answers[refused] ?? NO_ANSWER), batch[refused] ?? "");
    }
    for (const batch of batches(portion)) {
      const answers = yield batch.map((file): Call => editCall(file, from, to));
      for (const [index, file] of batch.entries()) {
        const answer = answers[index];
        if (answer && !answer.isError) changes.push({ file, places: replacementsOf(answer.text) });
      }
      const refused = firstError(answers);
      if (refused !== -1) return stopped(problemOf(answers[refused] ?? NO_ANSWER), batch[refused] ?? "");
    }
  }
  return done(report(changes, from, to, troubles));
}

const NO_ANSWER: Answer = { text: "", isError: true, hasImage: false };

function firstError(answers: readonly Answer[]): number {
  return answers.findIndex(({ isError }) => isError);
}

function editCall(file: string, from: string, to: string): Call {
  return { name: "Edit", input: { file_path: file, old_string: from, new_string: to, replace_all: true } };
}

function batches(files: readonly string[]): readonly (readonly string[])[] {
  const count = Math.ceil(files.length / MAX_CALLS);
  return Array.from({ length: count }, (_, index) => files.slice(index * MAX_CALLS, (index + 1) * MAX_CALLS));
}

function report(changes: readonly Change[], from: string, to: string, troubles: readonly string[]): string {
  const isCounted = changes.every(({ places }) => places !== undefined);
  const total = changes.reduce((sum, { places }) => sum + (places ?? 0), 0);
  const head = `Replaced ${shown(from)} with ${shown(to)}: ${plural(changes.length, "file")}${isCounted ? `, ${plural(total, "place")}` : ""}.`;
  const lines = changes.map(({ file, places }) => `- ${file}${places === undefined ? "" : ` (${places})`}`);
  return [head, ...lines, ...troubles.map((trouble) => `(${trouble})`)].join("\n");
}

/** A text in quotes on one line. */
function shown(text: string): string {
  const cut = text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
  return `"${cut.replaceAll("\r", "\\r").replaceAll("\n", "\\n").replaceAll("\t", "\\t")}"`;
}
