import { truncateText } from "@quoll/terminal-text/truncate-text";
import { fuzzyMatch } from "../../../contracts/fuzzy-match.ts";
import { replaceRange, setText } from "../editor/editor-state.ts";
import type { KeyAction } from "../keymap/key-actions.ts";
import { completionLines, MAX_COMPLETIONS } from "../view/completion-lines.ts";
import { argumentRows } from "./argument-rows.ts";
import type { Action, Layer, Room } from "./layer.ts";
import { matching, mentionedPath, mentionRows, type Row } from "./mention-rows.ts";
import { changeDraft, sendText } from "./prompt-layer.ts";
import { type Completion, type Handled, stay, type Ui, type UiContext } from "./ui-state.ts";

/** The matching slash commands, or what can be mentioned, below the prompt; typing continues in the prompt. */
export function completionLayer(ui: Ui, context: UiContext): Layer | undefined {
  const found = completions(ui, context);
  const chosen = found[Math.min(ui.completion.index, found.length - 1)];
  const note = fileNote(ui, context);
  if (!chosen) return note === undefined ? undefined : noteLayer(note);
  return {
    contexts: ["menu", "completion"],
    draft: "typed",
    place: "below",
    isPanel: true,
    handle: (action) => handle(ui, action, { found, chosen, context }),
    lines: (room) => ({ lines: [...completionLines(found, chosen, room), ...noteLines(note, room)] }),
  };
}

/** The line about files that the list leaves out, without a file in the list. */
function noteLayer(note: string): Layer {
  return {
    contexts: [],
    draft: "typed",
    place: "below",
    handle: () => undefined,
    lines: (room) => ({ lines: noteLines(note, room) }),
  };
}

/** The line about files for the typed path. */
function fileNote(ui: Ui, { files }: UiContext): string | undefined {
  return files && mentionedPath(ui) === files.typed ? files.note : undefined;
}

function noteLines(note: string | undefined, { theme, columns }: Pick<Room, "theme" | "columns">): readonly string[] {
  return note === undefined ? [] : [theme.dim(truncateText(`  ${note}`, columns))];
}

type Offered = {
  readonly found: readonly Row[];
  /** The row that Tab or Enter accepts. */
  readonly chosen: Row;
  readonly context: UiContext;
};

function handle(ui: Ui, action: Action, { found, chosen, context }: Offered): Handled | undefined {
  if (action.type !== "key") return undefined;
  const at = found.indexOf(chosen);
  const mark = (index: number) => stay({ ...ui, completion: { ...ui.completion, index, isMoved: true } });
  const perform: { readonly [Name in KeyAction]?: () => Handled | undefined } = {
    "menu.close": () => stay({ ...ui, completion: { index: 0, isDismissed: true } }),
    "menu.complete": () => completed(ui, chosen, context),
    "menu.accept": () => accepted(ui, chosen, context),
    "menu.previous": () => mark((at - 1 + found.length) % found.length),
    "menu.next": () => mark((at + 1) % found.length),
    "menu.pageUp": () => mark(Math.max(0, at - MAX_COMPLETIONS)),
    "menu.pageDown": () => mark(Math.min(found.length - 1, at + MAX_COMPLETIONS)),
  };
  return perform[action.name]?.();
}

function accepted(ui: Ui, chosen: Row, context: UiContext): Handled | undefined {
  if (chosen.isArgument) return runWith(ui, chosen, context);
  if (chosen.from !== undefined) return completed(ui, chosen, context);
  // A command that was neither typed nor chosen must not replace the typed text.
  if (!ui.completion.isMoved && !isBegun(chosen, ui.editor.text)) return undefined;
  return chosen.isGuess ? completed(ui, chosen, context) : sendText(ui, chosen.name, context, "steer");
}

/** True if the typed text is the beginning of the command's name or of an alias. */
function isBegun({ name, aliases = [] }: Row, text: string): boolean {
  const typed = text.slice(1).toLowerCase();
  return [name.slice(1), ...aliases].some((one) => one.toLowerCase().startsWith(typed));
}

/**
 * Runs the command with the selected argument. If no argument or a whole folder is typed, and the selection was not
 * moved, the command runs as typed.
 */
function runWith(ui: Ui, chosen: Row, context: UiContext): Handled | undefined {
  const { text } = ui.editor;
  const isWhole = text.length === chosen.from || text.endsWith("/");
  if (isWhole && !ui.completion.isMoved) return undefined;
  if (chosen.isGuess) return completed(ui, chosen, context);
  return sendText(ui, text.slice(0, chosen.from) + chosen.name, context, "steer");
}

/**
 * Puts the row into the prompt. The person types the parts of a template in braces, and the rest of a folder's path.
 */
export function completed(ui: Ui, { name, from, isArgument }: Row, { nowMs }: UiContext): Handled {
  if (isArgument) return stay(changeDraft(ui, replaceRange(ui.editor, from ?? 0, ui.editor.cursor, name), nowMs));
  if (from === undefined) return stay(changeDraft(ui, setText(ui.editor, `${name} `), nowMs));
  const brace = name.indexOf("{");
  const isOpen = name.startsWith("@") && name.endsWith("/");
  const text = isOpen ? name : brace < 0 ? `${name} ` : name.slice(0, brace);
  return stay(changeDraft(ui, replaceRange(ui.editor, from, ui.editor.cursor, text), nowMs));
}

/** The rows that match the typed text; after an argument was begun, no commands. */
export function completions(ui: Ui, context: UiContext): readonly Row[] {
  if (ui.completion.isDismissed) return [];
  const command = /^\/([\w-]*)$/.exec(ui.editor.text)?.[1];
  if (command === undefined && ui.editor.text.startsWith("/")) {
    const rows = argumentRows(ui, context);
    if (rows.length > 0) return rows;
  }
  return command === undefined ? mentionRows(ui, context) : commandRows(command.toLowerCase(), context.commands);
}

/** The alias that was typed, if the command's name does not begin with the text. */
function aliasOf({ name, aliases = [] }: Completion, typed: string): Pick<Completion, "alias"> {
  const alias = name.toLowerCase().startsWith(typed) ? undefined : aliases.find((one) => one.startsWith(typed));
  return alias === undefined ? {} : { alias };
}

/**
 * First the commands that begin with the text, then those with a matching alias or with the text in their name,
 * otherwise those that contain its letters.
 */
function commandRows(typed: string, commands: readonly Completion[]): readonly Row[] {
  const found = matching(commands, typed);
  if (found.length > 0) return found.map((one) => ({ ...one, ...aliasOf(one, typed), name: `/${one.name}` }));
  return commands
    .flatMap((one) => {
      const match = fuzzyMatch(typed, one.name);
      return match ? [{ one, match }] : [];
    })
    .sort((a, b) => b.match.score - a.match.score)
    .map(({ one, match }) => ({ ...one, name: `/${one.name}`, marks: match.marks.map((at) => at + 1), isGuess: true }));
}
