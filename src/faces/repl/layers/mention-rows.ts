import type { FoundFile } from "../../../contracts/file-mention.ts";
import { fuzzyMatch } from "../../../contracts/fuzzy-match.ts";
import type { Mention } from "../../../protocol/session-port.ts";
import type { Completion, Ui, UiContext } from "./ui-state.ts";

/** The number of best files that precede the other mentions. */
const FIRST_FILES = 8;

/**
 * A row of the list. `from`: the start of the word that is replaced; absent for a command, which is the whole prompt.
 * `isArgument`: the row continues a command, and Enter runs the command. `isGuess`: the name only contains the typed
 * letters, so Enter puts it into the prompt and does not run it.
 */
export type Row = Completion & { readonly from?: number; readonly isGuess?: true; readonly isArgument?: true };

/** The continuations of the word with `@` at the cursor: files, folders, agents and resources. */
export function mentionRows(ui: Ui, context: UiContext): readonly Row[] {
  const word = typedMention(ui);
  if (word === undefined) return [];
  const typed = pathIn(word);
  const others = matchingMentions(word, context).map((one) => ({ ...one, argumentHint: "" }));
  const files = matchingFiles(typed, context.files).map(fileRow);
  const best = files.filter((file) => isNamed(file, typed)).slice(0, FIRST_FILES);
  const begun = others.filter((one) => begins(one, typed));
  const found = [...new Set([...best, ...begun, ...files, ...others])];
  // A word that is complete is no longer completed, so that Enter sends the prompt.
  if (found.some(({ name }) => name === word && !name.endsWith("/"))) return [];
  return found.map((one) => ({ ...one, from: ui.editor.cursor - word.length }));
}

/** The beginning of a path typed after `@`; undefined if no list of files may open. */
export function mentionedPath(ui: Ui): string | undefined {
  const word = ui.completion.isDismissed ? undefined : typedMention(ui);
  return word === undefined ? undefined : pathIn(word);
}

/** The word before the cursor, if it has reached a brace of a template; undefined if no list may open. */
export function templateWord(ui: Ui, mentions: readonly Mention[]): string | undefined {
  const word = ui.completion.isDismissed ? undefined : typedMention(ui);
  return word !== undefined && mentions.some(({ name }) => isReached(name, word)) ? word : undefined;
}

/** The word with `@` before the cursor; a quoted word continues after a space. */
function typedMention({ editor }: Ui): string | undefined {
  return /(?<=^|[\s("'`])@(?:"[^"\n]*|[^\s"]*)$/.exec(editor.text.slice(0, editor.cursor))?.[0];
}

function pathIn(word: string): string {
  return word.replace(/^@"?/, "");
}

/** The found files; until the results for the typed text arrive, matching older results. */
function matchingFiles(typed: string, files: UiContext["files"]): readonly FoundFile[] {
  if (!files) return [];
  if (files.typed === typed) return files.found;
  return files.found.flatMap(({ path }) => {
    const match = fuzzyMatch(typed.toLowerCase(), path);
    return match ? [{ path, marks: match.marks }] : [];
  });
}

/** A path with a space is quoted; the quote of a folder stays open for the rest. */
function fileRow({ path, marks }: FoundFile): Completion {
  const isQuoted = /\s/.test(path);
  const name = isQuoted ? `@"${path}${path.endsWith("/") ? "" : '"'}` : `@${path}`;
  return { name, marks: marks.map((at) => at + (isQuoted ? 2 : 1)), summary: "", argumentHint: "" };
}

/** True if the path or its last part begins with the typed text. */
function isNamed({ name }: { readonly name: string }, typed: string): boolean {
  const path = pathIn(name).toLowerCase();
  const last = path.slice(path.lastIndexOf("/", path.length - 2) + 1);
  return [path, last].some((one) => one.startsWith(typed.toLowerCase()));
}

function begins({ name }: { readonly name: string }, typed: string): boolean {
  return name.slice(1).toLowerCase().startsWith(typed.toLowerCase());
}

function isReached(template: string, word: string): boolean {
  const brace = template.indexOf("{");
  return brace >= 0 && word.startsWith(template.slice(0, brace));
}

/** The matching mentions of the list, and those that a server suggested for this word or its beginning. */
function matchingMentions(word: string, { mentions = [], suggested }: UiContext): readonly Mention[] {
  const typed = word.slice(1).toLowerCase();
  const listed = matching(mentions, typed);
  if (!suggested || !word.startsWith(suggested.word)) return listed;
  const more = suggested.word === word ? suggested.mentions : matching(suggested.mentions, typed);
  if (more.length === 0) return listed;
  const rest = listed.filter(({ name }) => !isReached(name, word));
  return [...rest, ...more.filter(({ name }) => !rest.some((one) => one.name === name))];
}

type Named = { readonly name: string; readonly aliases?: readonly string[] };

/**
 * First the entries that begin with the text, then those with a matching alias, then those with the text in their name.
 */
export function matching<Entry extends Named>(entries: readonly Entry[], typed: string): readonly Entry[] {
  const ways = [
    ({ name }: Entry) => name.replace(/^@/, "").toLowerCase().startsWith(typed),
    ({ aliases = [] }: Entry) => aliases.some((alias) => alias.startsWith(typed)),
    ({ name }: Entry) => name.toLowerCase().includes(typed),
  ];
  return [...new Set(ways.flatMap((way) => entries.filter(way)))];
}
