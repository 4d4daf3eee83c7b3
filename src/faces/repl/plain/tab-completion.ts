import { joinedLines } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import { type Editor, editorWith, insertText, replaceRange } from "../editor/editor-state.ts";
import { typedArgument, typedFolder } from "../layers/argument-rows.ts";
import { completed, completions } from "../layers/completion-layer.ts";
import { mentionedPath, type Row, templateWord } from "../layers/mention-rows.ts";
import type { Ui, UiContext } from "../layers/ui-state.ts";
import type { Suggestions } from "../prompt/suggestions.ts";
import { ROLES, spokenLine } from "./spoken-text.ts";

/** Rows that are told at once. */
const MAX_TOLD = 20;
/** The results of a search are used when they did not change for this time. */
const SETTLE_MS = 250;
/** After this time, the results so far are used. */
const MAX_WAIT_MS = 3_000;

/** The completion's access to what the prompt of the normal screen offers. */
export type Completing = Pick<Suggestions, "look" | "findFiles"> & {
  context(): UiContext;
  /** Updates the screen at a monotonic time, in milliseconds. */
  wake(atMs: number): void;
};

/** The line with more text, or the lines about several ways to go on. */
export type TabResult = { readonly editor: Editor } | { readonly lines: readonly string[] };

type Wanted = {
  readonly ui: Ui;
  /** True if the line can't be changed, so that the rows are told in any case. */
  readonly isTold: boolean;
  /** `folder`: entries of the typed folder, as in a shell. `anywhere`: files of all folders, by parts of their names. */
  readonly stage: "folder" | "anywhere";
  readonly until: number;
  /** The last results of the search, and since when they are there. */
  readonly seen?: { readonly files: UiContext["files"]; readonly sinceMs: number };
};

/**
 * Completes the word before the cursor as a shell does: by the only row that begins with it, or by the beginning that
 * all such rows share; otherwise it tells the rows. The rows are those that the normal screen lists below its prompt.
 */
export class TabCompletion {
  readonly #deps: Completing;
  #wanted: Wanted | undefined;

  constructor(deps: Completing) {
    this.#deps = deps;
  }

  /** @returns undefined if the results are still awaited; `poll` then has them. */
  start(state: Ui, editor: Editor, { nowMs, isTold }: { nowMs: number; isTold: boolean }): TabResult | undefined {
    const ui: Ui = { ...state, editor, completion: { index: 0, isDismissed: false } };
    this.#deps.look(ui);
    const path = mentionedPath(ui);
    if (path !== undefined) this.#deps.findFiles(inFolder(path));
    const stage = path === undefined ? "anywhere" : "folder";
    this.#wanted = { ui, isTold, stage, until: nowMs + MAX_WAIT_MS };
    this.#deps.wake(nowMs + MAX_WAIT_MS);
    return this.poll(nowMs);
  }

  /** Forgets a completion whose results are awaited. */
  cancel(): void {
    this.#wanted = undefined;
  }

  /** @returns the result, once. */
  poll(nowMs: number): TabResult | undefined {
    const wanted = this.#wanted;
    if (!wanted || (nowMs < wanted.until && this.#isAwaited(wanted, nowMs))) return undefined;
    const rows = completions(wanted.ui, this.#contextOf(wanted));
    const begun = rows.filter((row) => isBegun(row, wanted.ui.editor));
    if (wanted.stage === "folder" && begun.length === 0 && !this.#isWhole(wanted)) return this.#widen(wanted, nowMs);
    this.#wanted = undefined;
    return this.#resultOf(wanted, begun.length > 0 ? begun : rows, begun.length > 0);
  }

  #resultOf(wanted: Wanted, rows: readonly Row[], areBegun: boolean): TabResult {
    const { ui, isTold } = wanted;
    const { editor } = ui;
    const [first] = rows;
    if (!first) return this.#isWhole(wanted) ? { editor: insertText(editor, " ") } : { lines: nothingLines(editor) };
    if (isTold) return { lines: rowLines(rows, editor) };
    if (rows.length === 1) return { editor: completed(ui, first, this.#deps.context()).ui.editor };
    const shared = areBegun ? commonStart(rows.map(({ name }) => bare(name))) : "";
    const { from, to, word } = wordOf(first, editor);
    if (shared.length <= bare(word).length) return { lines: rowLines(rows, editor) };
    return { editor: replaceRange(editor, from, to, /^@.*\s/.test(shared) ? `@"${shared.slice(1)}` : shared) };
  }

  /** No entry of the folder begins so: looks for the text in all paths. */
  #widen(wanted: Wanted, nowMs: number): TabResult | undefined {
    this.#deps.findFiles(mentionedPath(wanted.ui));
    this.#wanted = { ...wanted, stage: "anywhere" };
    return this.poll(nowMs);
  }

  /** True if the word is the path of a file, so that nothing is missing. */
  #isWhole({ ui }: Wanted): boolean {
    const path = mentionedPath(ui);
    return path !== undefined && path !== "" && (this.#filesFor(path)?.found.some((one) => one.path === path) ?? false);
  }

  #contextOf({ ui }: Wanted): UiContext {
    const context = this.#deps.context();
    const path = mentionedPath(ui);
    const files = path === undefined ? context.files : this.#filesFor(path);
    return { ...context, ...(files && { files }) };
  }

  /** The found files, as a prompt writes them. */
  #filesFor(path: string): UiContext["files"] {
    const { files } = this.#deps.context();
    const listed = inFolder(path);
    if (!files || listed === path || files.typed !== listed) return files;
    return { ...files, typed: path, found: files.found.map((one) => ({ path: one.path.slice(2), marks: [] })) };
  }

  #isAwaited(wanted: Wanted, nowMs: number): boolean {
    const { ui, stage } = wanted;
    const { files, offered, suggested, mentions = [], commands } = this.#deps.context();
    const path = mentionedPath(ui);
    if (path !== undefined && stage === "folder") return files?.typed !== inFolder(path);
    const word = templateWord(ui, mentions);
    if (word !== undefined && suggested?.word !== word) return true;
    const argument = typedArgument(ui, commands);
    if (argument && offered?.text !== argument.text) return true;
    const searched = path ?? typedFolder(ui, commands);
    if (searched === undefined) return false;
    if (files?.typed !== searched) return true;
    // The list of a project's files comes in parts.
    const sinceMs = wanted.seen?.files === files ? wanted.seen.sinceMs : nowMs;
    this.#wanted = { ...wanted, seen: { files, sinceMs } };
    this.#deps.wake(sinceMs + SETTLE_MS);
    return nowMs < sinceMs + SETTLE_MS;
  }
}

/** A line of a terminal that edits lines itself, if it ends with a tab: the text before the tab. */
export function tabbedLine(line: string): Editor | undefined {
  const text = /^\s*(.*?)\t+\s*$/.exec(line)?.[1];
  return text === undefined ? undefined : editorWith(text);
}

/** A path that makes the search list the entries of one folder, which a search by name would mix with others. */
function inFolder(path: string): string {
  return path === "" || /^(?:\/|~\/|\.\.?\/)/.test(path) ? path : `./${path}`;
}

/** The part of the line that a row replaces. */
function wordOf({ from = 0 }: Row, { text, cursor }: Editor): { from: number; to: number; word: string } {
  const isCommand = /^\/\S*$/.test(text);
  const to = isCommand ? text.length : cursor;
  return { from, to, word: text.slice(from, to) };
}

function isBegun(row: Row, editor: Editor): boolean {
  return bare(row.name)
    .toLowerCase()
    .startsWith(bare(wordOf(row, editor).word).toLowerCase());
}

/** A mention without the quotes around its path. */
function bare(name: string): string {
  return name.startsWith('@"') ? `@${name.slice(2).replace(/"$/, "")}` : name;
}

/** The common beginning of all names, without the open part of a template in braces. */
function commonStart(names: readonly string[]): string {
  const [first = "", ...others] = names;
  const characters = [...first];
  const at = characters.findIndex((one, index) => one === "{" || others.some((other) => [...other][index] !== one));
  return characters.slice(0, at < 0 ? undefined : at).join("");
}

function rowLines(rows: readonly Row[], editor: Editor): readonly string[] {
  const [first] = rows;
  const left = rows.length - MAX_TOLD;
  return [
    `${ROLES.notice}: ${plural(rows.length, "choice")} for ${first ? wordOf(first, editor).word : ""}`,
    ...rows.slice(0, MAX_TOLD).map(({ name, argumentHint, summary }) => {
      const told = `${bare(name)} ${argumentHint}`.trim();
      return summary === "" ? told : `${told}: ${spokenLine(joinedLines(summary))}`;
    }),
    ...(left > 0 ? [`${left} more. Type more letters, then tab.`] : []),
  ];
}

function nothingLines({ text, cursor }: Editor): readonly string[] {
  const word = /\S*$/.exec(text.slice(0, cursor))?.[0] ?? "";
  const isOffered = word.startsWith("@") || text.startsWith("/");
  const what = isOffered ? `nothing begins with ${word || text.trim()}` : "tab completes /commands and @files";
  return [`${ROLES.notice}: ${what}.`];
}
