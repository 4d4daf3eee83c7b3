import { joinedLines } from "@quoll/terminal-text/one-line";
import { plainText } from "@quoll/terminal-text/plain-text";
import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import { editorWith } from "../editor/editor-state.ts";
import { foundEntries, type HistorySearch } from "../editor/history-search.ts";
import { cleanPaste, unfoldPastes } from "../editor/pastes.ts";
import type { KeyAction } from "../keymap/key-actions.ts";
import { joinedHints } from "../keymap/key-help.ts";
import { MARK_COLUMNS, panelRows, spread } from "../view/layout.ts";
import { GLYPHS, type Theme } from "../view/theme.ts";
import { hintsOf } from "../view/theme-hints.ts";
import { fromNow } from "./common-actions.ts";
import type { Action, Block, Layer, Room } from "./layer.ts";
import { changeDraft } from "./prompt-layer.ts";
import { type Handled, stay, type Ui, type UiContext } from "./ui-state.ts";

const MAX_WORDS_CHARS = 200;

/** The search of earlier inputs, which replaces the prompt. */
export function historyLayer(ui: Ui, { nowMs }: UiContext): Layer | undefined {
  const { search } = ui;
  if (!search) return undefined;
  const found = foundEntries(search, ui.history.entries, (entry) =>
    entry.includes("[pasted ") ? unfoldPastes(ui.pastes, entry) : entry,
  );
  return {
    contexts: ["search", "app"],
    draft: search.words === "" ? "empty" : "typed",
    place: "whole",
    isPanel: true,
    // A question that arrives while the person types waits for a pause.
    handle: (action) => handle(action.type === "key" ? ui : { ...ui, typedAt: nowMs }, search, found, action),
    lines: (room) => historyLines(search, found, room),
  };
}

function handle(ui: Ui, search: HistorySearch, found: readonly string[], action: Action): Handled {
  const change = (changes: Partial<HistorySearch>) => stay({ ...ui, search: { ...search, ...changes } });
  const narrow = (words: string) => change({ words: words.slice(0, MAX_WORDS_CHARS), index: 0 });
  const mark = (index: number) => change({ index: Math.max(0, Math.min(found.length - 1, index)) });
  if (action.type === "text") return narrow(search.words + action.text);
  if (action.type === "paste") return narrow(search.words + cleanPaste(action.text).replace(/\s+/g, " "));
  const perform: { readonly [Name in KeyAction]?: () => Handled } = {
    "search.older": () => mark(search.index + 1),
    "search.newer": () => mark(search.index - 1),
    "search.deleteBackward": () => narrow([...search.words].slice(0, -1).join("")),
    "search.clear": () => narrow(""),
    "search.close": () => stay({ ...ui, search: undefined }),
    "search.accept": () => stay(taken({ ...ui, search: undefined }, found[search.index])),
    "search.scope": () => {
      const { ui: next } = change({ isEverywhere: !search.isEverywhere, index: 0 });
      const isFirst = !search.isEverywhere && search.others === undefined;
      return { ui: next, effects: isFirst ? [{ type: "read_history" }] : [] };
    },
  };
  return perform[action.name]?.() ?? stay(ui);
}

/** The entry replaces the draft; undo brings the draft back. */
function taken(ui: Ui, entry: string | undefined): Ui {
  if (entry === undefined) return ui;
  const { editor } = ui;
  const undo = [...editor.undo, { text: editor.text, cursor: editor.cursor }];
  const next = { ...editorWith(entry), killed: editor.killed, undo };
  const changed = changeDraft(fromNow(ui), next, Number.NEGATIVE_INFINITY);
  // Enter sends a command from the history, because no list opens for it.
  return { ...changed, completion: { index: 0, isDismissed: true } };
}

/** The rows for the rule, the title, the words and the hint. */
const ROWS_BESIDE = 4;

/** The search of the history: the typed words, and the matches, newest first. */
export function historyLines(
  search: HistorySearch,
  found: readonly string[],
  { theme, columns, rows }: Pick<Room, "theme" | "columns" | "rows">,
): Block {
  const max = Math.max(1, panelRows(rows) - ROWS_BESIDE);
  const { index } = search;
  const from = Math.max(0, Math.min(index - Math.floor(max / 2), found.length - max));
  const shown = found.slice(from, from + max).map((entry, at) => {
    const text = truncateText(plainText(joinedLines(entry)), columns - MARK_COLUMNS);
    return from + at === index ? `${theme.accent(GLYPHS.choice)} ${theme.strong(text)}` : `  ${text}`;
  });
  const place = search.isEverywhere ? "History of all projects" : "History of this project";
  const count = found.length === 0 ? "no match" : `${index + 1} of ${found.length}`;
  const lead = `${theme.accent(GLYPHS.prompt)} `;
  const words = truncateText(joinedLines(search.words), columns - MARK_COLUMNS - 1, "start");
  return {
    lines: [
      theme.dim("─".repeat(columns)),
      spread(theme.strong(place), theme.dim(count), columns),
      lead + words,
      ...shown,
      theme.dim(truncateText(`  ${hint(search, theme, columns - 2)}`, columns)),
    ],
    cursor: { x: MARK_COLUMNS + textWidth(words), y: 2 },
  };
}

function hint({ isEverywhere }: HistorySearch, theme: Theme, columns: number): string {
  const key = hintsOf(theme, "search");
  const scope = key(isEverywhere ? "this project" : "all projects", "search.scope");
  const short = (...between: readonly string[]) =>
    joinedHints(key("", "search.accept"), ...between, key("", "search.close"));
  const hints = [
    joinedHints(
      key("choose", "search.newer", "search.older"),
      key("takes", "search.accept"),
      scope,
      key("back", "search.close"),
    ),
    short(scope),
    short(),
  ];
  return hints.find((one) => textWidth(one) <= columns) ?? "";
}
