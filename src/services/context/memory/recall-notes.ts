import { join, resolve } from "node:path";
import type { Message } from "../../../contracts/message.ts";
import { entryExists, isInside } from "../../../platform/paths.ts";
import type { Ripgrep } from "../../../platform/ripgrep.ts";
import { memoryParts, noteElement } from "./memory-element.ts";
import type { StoredNote } from "./memory-files.ts";
import { rankNotes } from "./rank-notes.ts";

/** The maximum number of notes that are sent with one prompt. */
export const MAX_RECALLED = 5;
/** Characters of a note that go with a prompt. */
const MAX_RECALLED_CHARS = 4_000;
const NOTE_START = "<memory-note ";

/** A note as it goes with a prompt. */
export type RecalledNote = { readonly file: string; readonly text: string };

type Project = {
  readonly projectRoot: string;
  ripgrep(): Promise<Ripgrep | undefined>;
};

/** The files of the notes that the model sees in its conversation. */
export function notesIn(messages: readonly Message[]): ReadonlySet<string> {
  return new Set(
    messages.flatMap(({ role, content }) =>
      content.flatMap((block) =>
        role === "user" && block.type === "text" && block.text.startsWith(NOTE_START)
          ? memoryParts(block.text).map(({ name }) => name)
          : [],
      ),
    ),
  );
}

/**
 * The notes that match a prompt, at most `MAX_RECALLED`, best first. A note that names paths or code that no longer
 * exist in the project is marked.
 * @param notes The candidates, without notes that the model already has.
 */
export async function recallNotes(
  prompt: string,
  notes: readonly StoredNote[],
  { projectRoot, ripgrep }: Project,
  signal: AbortSignal,
): Promise<readonly RecalledNote[]> {
  const best = rankNotes(prompt, notes).slice(0, MAX_RECALLED);
  const named = best.map((note) => ({ note, things: namedThings(note.body) }));
  const symbols = [...new Set(named.flatMap(({ things }) => things.symbols))];
  const program = symbols.length > 0 ? await ripgrep() : undefined;
  // A note is useful even without this check.
  const gone = program ? await missingSymbols(symbols, { projectRoot, ripgrep: program }, signal).catch(() => []) : [];
  return named.map(({ note, things }) => {
    const stale = [...missingPaths(things.paths, projectRoot), ...things.symbols.filter((name) => gone.includes(name))];
    return { file: note.file, text: noteElement({ ...note, body: cut(note) }, stale) };
  });
}

function cut({ body, path }: Pick<StoredNote, "body" | "path">): string {
  if (body.length <= MAX_RECALLED_CHARS) return body;
  return `${body.slice(0, MAX_RECALLED_CHARS).toWellFormed()}\n(The note is longer: Read ${path}.)`;
}

/** Time limit of one search for names. Names that were not searched by then count as existing. */
const SEARCH_TIMEOUT_MS = 400;
const MAX_OUTPUT_BYTES = 256 * 1024;
const MAX_NAMES = 20;
/** The maximum length of text that is searched; of longer texts only the beginning is searched. */
const MAX_CHARS = 20_000;
const CODE_SPAN = /`([^`\n]{2,200})`/g;
const BARE_PATH = /(?:^|[\s("'`])((?:[\w.-]+\/)+[\w-][\w.-]*\.[A-Za-z]\w{0,7})(?=$|[\s)"'`,;:.])/gm;
const PATH = /^(?:\.\/)?[\w.-]+(?:\/[\w.-]+)+\/?$/;
const SYMBOL = /^[A-Za-z_]\w{3,79}(?:\(\))?$/;

/** The names in a note that can be checked: paths relative to the project, and names of functions, types and variables. */
type NamedThings = { readonly paths: readonly string[]; readonly symbols: readonly string[] };

/** The paths and the names of code in a text: paths with an ending or in a code span, and code spans that look like names. */
export function namedThings(text: string): NamedThings {
  const looked = text.slice(0, MAX_CHARS);
  const spans = [...looked.matchAll(CODE_SPAN)].map(([, span = ""]) => span.trim());
  const bare = [...looked.matchAll(BARE_PATH)].map(([, path = ""]) => path);
  const paths = [...spans.filter((span) => PATH.test(span)), ...bare];
  const symbols = spans.filter((span) => SYMBOL.test(span) && isCodeName(span)).map((span) => span.replace("()", ""));
  return { paths: [...new Set(paths)].slice(0, MAX_NAMES), symbols: [...new Set(symbols)].slice(0, MAX_NAMES) };
}

/** `parseFile`, `parse_file` and `parse()` are names of code; `main` may be a word. */
function isCodeName(span: string): boolean {
  return span.endsWith("()") || /[a-z]\w*[A-Z]|\w_\w/.test(span);
}

/**
 * The paths that are not in the project. A path counts only if its first folder exists; otherwise it may be a phrase
 * such as `and/or`, an address or a package.
 */
export function missingPaths(paths: readonly string[], projectRoot: string): readonly string[] {
  return paths.filter((path) => {
    const whole = resolve(projectRoot, path);
    const [first = ""] = path.replace(/^\.\//, "").split("/");
    if (!isInside(projectRoot, whole) || !entryExists(join(projectRoot, first))) return false;
    return !entryExists(whole);
  });
}

/**
 * The names that occur nowhere in the files of the project, as ripgrep finds them: files that git ignores are left out.
 * @returns no names if the search did not end in time.
 */
async function missingSymbols(
  symbols: readonly string[],
  { projectRoot, ripgrep }: { readonly projectRoot: string; readonly ripgrep: Ripgrep },
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (symbols.length === 0) return [];
  const found = new Set<string>();
  let bytes = 0;
  const { endedBy, exitCode } = await ripgrep({
    args: [
      ...["--no-config", "--no-messages", "--fixed-strings", "--word-regexp", "--only-matching", "--no-filename"],
      ...["--no-line-number", "--hidden", "--glob", "!.git", "--max-count", "20"],
      ...symbols.flatMap((symbol) => ["--regexp", symbol]),
      ...["--", projectRoot],
    ],
    cwd: projectRoot,
    signal,
    timeoutMs: SEARCH_TIMEOUT_MS,
    onOutput: (chunk) => {
      bytes += chunk.length;
      for (const line of chunk.toString("utf8").split("\n")) found.add(line.trim());
      return bytes < MAX_OUTPUT_BYTES && symbols.some((symbol) => !found.has(symbol));
    },
  });
  const isWhole = endedBy === "itself" && (exitCode === 0 || exitCode === 1);
  return isWhole ? symbols.filter((symbol) => !found.has(symbol)) : [];
}
