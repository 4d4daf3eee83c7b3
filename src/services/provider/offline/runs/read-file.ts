import { type Answer, type Call, callOne, done, failed, problemOf, type StepRun } from "../calls.ts";
import { escapeRegexp } from "../regexp.ts";
import type { Step } from "../step.ts";
import { countOf, foundNothing, isUnchanged, nextOffset, splitNotices } from "../tool-answers.ts";

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

// The regular expressions below match the lines of definitions.

/** Up to three of these words, each followed by spaces. */
const words = (...choices: readonly string[]) => `((${choices.join("|")})\\s+)?`.repeat(3);

const JAVASCRIPT = [
  "^\\s*(export\\s+)?(default\\s+)?(declare\\s+)?(abstract\\s+)?(async\\s+)?(class|interface|enum|namespace|function\\*?)\\s+[\\w$]+",
  "^(export\\s+)?(declare\\s+)?type\\s+[\\w$]+[^=]*=",
  "^(export\\s+)?(const|let|var)\\s+[\\w$]+[^=]*=\\s*(async\\s*)?(function|\\(|[\\w$]+\\s*=>)",
  "^export\\s+(const|let|var)\\s+[\\w$]+",
  "^export\\s+default\\b",
  `^\\s+${words("public", "private", "protected", "static", "override", "readonly", "async", "get", "set")}\\*?#?[\\w$]+(<[^>]*>)?\\([^;]*\\)\\s*(:\\s*[^;{]+)?\\{\\s*$`,
].join("|");
/** JavaScript statements look like methods; these words exclude them. */
const NOT_METHODS = ["if", "for", "while", "switch", "catch", "with", "return"];
const C = [
  "^\\s*(typedef\\s+)?(struct|union|enum|class|namespace)\\s+\\w+",
  "^#\\s*define\\s+\\w+",
  "^[A-Za-z_][\\w\\s*&:<>,~]*[\\s*&]~?[\\w:]+\\([^;]*\\)?\\s*(const\\s*)?\\{?\\s*$",
].join("|");
const JAVA = [
  `^\\s*${words("public", "protected", "private", "static", "final", "abstract", "sealed")}(class|interface|enum|record|@interface)\\s+\\w+`,
  "^\\s*(public|protected|private)\\s+[\\w<>\\[\\], .?]*\\w+\\s*\\([^;]*(\\{\\s*|,\\s*)$",
].join("|");
const SHELL = "^\\s*(function\\s+[\\w:.-]+|[\\w:.-]+\\s*\\(\\s*\\))";

const PATTERNS: Readonly<Record<string, string>> = {
  ts: JAVASCRIPT,
  tsx: JAVASCRIPT,
  mts: JAVASCRIPT,
  cts: JAVASCRIPT,
  js: JAVASCRIPT,
  jsx: JAVASCRIPT,
  mjs: JAVASCRIPT,
  cjs: JAVASCRIPT,
  py: "^\\s*(async\\s+def|def|class)\\s+\\w+",
  pyi: "^\\s*(async\\s+def|def|class)\\s+\\w+",
  go: "^(func|type|package)\\s+",
  rs: '^\\s*(pub(\\([^)]*\\))?\\s+)?(default\\s+)?(const\\s+)?(async\\s+)?(unsafe\\s+)?(extern\\s+("[^"]*"\\s+)?)?(fn|struct|enum|trait|impl|mod|type|union|macro_rules!)(\\s|<)',
  java: JAVA,
  c: C,
  h: C,
  cc: C,
  cpp: C,
  hpp: C,
  rb: "^\\s*(def|class|module)\\s+\\S+",
  md: "^#{1,6}\\s+\\S",
  markdown: "^#{1,6}\\s+\\S",
  sh: SHELL,
  bash: SHELL,
};

/** The pattern for a file, by its extension; undefined for an unknown language. */
function outlinePattern(path: string): string | undefined {
  const extension = /[^/]\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase();
  return extension === undefined || !Object.hasOwn(PATTERNS, extension) ? undefined : PATTERNS[extension];
}

/** True if a matching line is a definition after all. */
function isDefinition(line: string): boolean {
  const first = /^\s*(?:\}\s*)?(?:else\s+)?([A-Za-z]+)/.exec(line)?.[1];
  return first === undefined || !NOT_METHODS.includes(first);
}
