import { plural } from "@quoll/terminal-text/plural";
import { type Answer, type Call, callOne, done, failed, problemOf, type StepEnd, type StepRun } from "../calls.ts";
import type { Step, Target } from "../step.ts";
import { describeTarget } from "../target.ts";
import { foundNothing, isIncomplete, nextOffset, splitNotices, troubles } from "../tool-answers.ts";

/** The maximum number of files that one replace changes. */
const MAX_FILES = 2_000;
const NARROWER = "name a folder or a narrower glob";

/** Lists files. */
export function* listFiles({ pattern, folder }: Extract<Step, { form: "list" }>): StepRun {
  const answer = yield* callOne({ name: "Glob", input: { pattern, ...(folder !== undefined && { path: folder }) } });
  if (answer.isError) return failed(problemOf(answer));
  const split = splitNotices(answer.text);
  const place = folder === undefined ? "" : ` in ${folder}`;
  if (foundNothing(split)) return done(`No file${place} matches ${pattern}.`);
  const whole = /^the newest [\d,]+ of ([\d,]+)/.exec(
    split.notices.find((notice) => notice.startsWith("the newest")) ?? "",
  );
  const more = whole ? [`(The newest ${split.lines.length} of ${whole[1]}; use a narrower name for the others.)`] : [];
  const cut = split.notices.filter((notice) => notice.startsWith("not complete")).map((notice) => `(${notice})`);
  return done([...split.lines, ...more, ...cut].join("\n"));
}

/** Shows matching lines. */
export function* searchText(step: Extract<Step, { form: "search" }>): StepRun {
  const { pattern, shown, ignoreCase, multiline, target } = step;
  const answer = yield* callOne(
    grepCall(target, {
      pattern,
      output_mode: "content",
      ...(ignoreCase && { "-i": true }),
      ...(multiline && { multiline: true }),
    }),
  );
  if (answer.isError) return failed(problemOf(answer), answer.text.split("\n").slice(1).join("\n"));
  const split = splitNotices(answer.text);
  if (foundNothing(split)) return done(notFound(shown, target, answer.text));
  const total = /of ([\d,]+)/.exec(split.notices.find((notice) => notice.startsWith("matching lines")) ?? "")?.[1];
  const more =
    nextOffset(split.notices) === undefined
      ? []
      : [`\n(Not all of ${total ?? "the"} matching lines: use a narrower search for the others.)`];
  const cut = split.notices.filter((notice) => !notice.startsWith("matching lines")).map((notice) => `(${notice})`);
  return done([...split.lines, ...more, ...cut].join("\n"));
}

/** Reports that a text was not found, or that no file was searched. */
export function notFound(shown: string, target: Target, answer: string): string {
  if (target.kind === "glob" && answer.startsWith("No file was searched")) return `No file matches ${target.glob}.`;
  return `${shown} was not found ${describeTarget(target)}.`;
}

/**
 * A Grep within a target. ripgrep's globs only lead down, so a part that leads elsewhere becomes the path. Grep's `glob` accepts
 * several globs, separated by spaces and commas, so a glob with these characters is wrapped.
 */
function grepCall(target: Target, input: Readonly<Record<string, unknown>>): Call {
  if (target.kind === "everywhere") return { name: "Grep", input };
  if (target.kind === "path") return { name: "Grep", input: { ...input, path: target.path } };
  const parts = target.glob.split("/");
  const firstGlob = parts.findIndex((part) => /[*?{]/.test(part));
  const leadsOut = /^(?:\/|~\/|\.\.\/)/.test(target.glob);
  if (!leadsOut) return { name: "Grep", input: { ...input, glob: oneGlob(target.glob) } };
  const path = parts.slice(0, firstGlob).join("/") || "/";
  return { name: "Grep", input: { ...input, path, glob: oneGlob(`/${parts.slice(firstGlob).join("/")}`) } };
}

function oneGlob(glob: string): string {
  let depth = 0;
  return glob.replace(/[{}\s,]/g, (sign) => {
    if (sign === "{") depth += 1;
    else if (sign === "}") depth -= 1;
    else if (depth === 0) return sign === "," ? "{[,]}" : `{${sign}}`;
    return sign;
  });
}

type FoundFiles = {
  readonly files: readonly string[];
  readonly troubles: readonly string[];
  /** The last notices of the search. */
  readonly said: string;
};

/** All files that match a pattern, page by page. */
export function* filesWith(
  pattern: string,
  isMultiline: boolean,
  target: Target,
): Generator<readonly Call[], FoundFiles | StepEnd, readonly Answer[]> {
  const files = new Set<string>();
  const notes = new Set<string>();
  let offset: number | undefined = 0;
  let said = "";
  while (offset !== undefined) {
    const input = { pattern, output_mode: "files_with_matches", ...(isMultiline && { multiline: true }) };
    const answer = yield* callOne(grepCall(target, { ...input, ...(offset > 0 && { offset }) }));
    if (answer.isError) return failed(problemOf(answer));
    said = answer.text;
    const split = splitNotices(said);
    if (isIncomplete(split.notices)) return failed(`the search for files was not complete; ${NARROWER}`);
    if (foundNothing(split)) break;
    for (const line of split.lines) files.add(line);
    for (const trouble of troubles(split.notices)) notes.add(trouble);
    if (files.size > MAX_FILES) return failed(`the text is in more than ${plural(MAX_FILES, "file")}; ${NARROWER}`);
    const next = nextOffset(split.notices);
    offset = next !== undefined && next > offset ? next : undefined;
  }
  return { files: [...files], troubles: [...notes], said };
}
