import { replaceRange, setText } from "../editor/editor-state.ts";
import { completionLines } from "../view/completion-lines.ts";
import type { Action, Layer } from "./layer.ts";
import { changeDraft, sendText } from "./prompt-layer.ts";
import { type Completion, type Handled, type Mention, stay, type Ui, type UiContext } from "./ui-state.ts";

/** A row of the list. `from`: the start of the word that it replaces; absent for a command, which is the whole prompt. */
type Row = Completion & { readonly from?: number };

/** The matching slash commands or resources, below the prompt; typing continues in the prompt. */
export function completionLayer(ui: Ui, context: UiContext): Layer | undefined {
  const found = completions(ui, context);
  const chosen = found[Math.min(ui.completion.index, found.length - 1)];
  if (!chosen) return undefined;
  return {
    contexts: ["menu", "completion"],
    draft: "typed",
    place: "below",
    handle: (action) => handle(ui, action, { found, chosen, context }),
    lines: (room) => ({ lines: completionLines(found, chosen, room) }),
  };
}

type Offered = {
  readonly found: readonly Row[];
  /** The row that Tab or Enter takes. */
  readonly chosen: Row;
  readonly context: UiContext;
};

function handle(ui: Ui, action: Action, { found, chosen, context }: Offered): Handled | undefined {
  if (action.type !== "key") return undefined;
  const mark = (step: number) => {
    const index = (found.indexOf(chosen) + step + found.length) % found.length;
    return stay({ ...ui, completion: { ...ui.completion, index } });
  };
  switch (action.name) {
    case "menu.close":
      return stay({ ...ui, completion: { index: 0, isDismissed: true } });
    case "menu.complete":
      return completed(ui, chosen, context);
    case "menu.accept":
      return chosen.from === undefined ? sendText(ui, chosen.name, context, "steer") : completed(ui, chosen, context);
    case "menu.previous":
      return mark(-1);
    case "menu.next":
      return mark(1);
    default:
      return undefined;
  }
}

/** Puts the row into the prompt. The parts of a template in braces are left for the person. */
function completed(ui: Ui, { name, from }: Row, { nowMs }: UiContext): Handled {
  if (from === undefined) return stay(changeDraft(ui, setText(ui.editor, `${name} `), nowMs));
  const brace = name.indexOf("{");
  const text = brace < 0 ? `${name} ` : name.slice(0, brace);
  return stay(changeDraft(ui, replaceRange(ui.editor, from, ui.editor.cursor, text), nowMs));
}

/** The rows that match the typed text; no commands after an argument was begun. */
function completions(ui: Ui, context: UiContext): readonly Row[] {
  const { commands, mentions = [] } = context;
  if (ui.completion.isDismissed) return [];
  const command = /^\/([\w-]*)$/.exec(ui.editor.text)?.[1];
  if (command !== undefined)
    return matching(commands, command.toLowerCase()).map((one) => ({ ...one, name: `/${one.name}` }));
  const word = typedMention(ui);
  if (word === undefined || mentions.length === 0) return [];
  const found = matchingMentions(word, context);
  // A word that is complete is no longer completed, so that Enter sends the prompt.
  if (found.some(({ name }) => name === word)) return [];
  return found.map((one) => ({ ...one, argumentHint: "", from: ui.editor.cursor - word.length }));
}

/** The word with `@` before the cursor. */
function typedMention({ editor }: Ui): string | undefined {
  return /(?<=^|[\s("'`])@\S*$/.exec(editor.text.slice(0, editor.cursor))?.[0];
}

/** The word before the cursor, if it has reached a brace of a template; undefined while no list may open. */
export function templateWord(ui: Ui, mentions: readonly Mention[]): string | undefined {
  const word = ui.completion.isDismissed ? undefined : typedMention(ui);
  return word !== undefined && mentions.some(({ name }) => isReached(name, word)) ? word : undefined;
}

function isReached(template: string, word: string): boolean {
  const brace = template.indexOf("{");
  return brace >= 0 && word.startsWith(template.slice(0, brace));
}

/** The listed mentions that match, and those that a server suggested for this word or its beginning. */
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

/** First the entries that begin so, then those with such an alias, then those that have the text in their name. */
function matching<Entry extends Named>(entries: readonly Entry[], typed: string): readonly Entry[] {
  const ways = [
    ({ name }: Entry) => name.replace(/^@/, "").toLowerCase().startsWith(typed),
    ({ aliases = [] }: Entry) => aliases.some((alias) => alias.startsWith(typed)),
    ({ name }: Entry) => name.toLowerCase().includes(typed),
  ];
  return [...new Set(ways.flatMap((way) => entries.filter(way)))];
}
