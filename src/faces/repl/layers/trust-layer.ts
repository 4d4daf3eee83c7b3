import { wrapText } from "@quoll/terminal-text/wrap-text";
import type { KeyEvent } from "../input/decode-keys.ts";
import type { KeyAction } from "../keymap/key-actions.ts";
import { DEFAULT_KEYMAP } from "../keymap/keymap.ts";
import { dialogLines } from "../view/dialog-box.tsx";
import { innerColumns } from "../view/layout.ts";
import { answerLines, briefAnswers } from "../view/option-lines.ts";
import { warningLines } from "../view/question-preview.ts";
import { reveal, revealLine } from "../view/reveal.ts";
import { scrolledLines } from "../view/scrolled-lines.ts";
import type { Theme } from "../view/theme.ts";
import { actionOf } from "./action-of.ts";
import { scrollSteps } from "./common-actions.ts";
import type { Layer, Room } from "./layer.ts";
import { GUARD_MS } from "./question.ts";
import type { StartQuestion, TrustState } from "./trust-state.ts";
import { NO_PREVIEW, type PreviewView } from "./ui-state.ts";

export type TrustKeyResult<Choice extends string> = {
  readonly state: TrustState;
  readonly answer?: Choice;
  /** The keys for the next reader, as a terminal would send them. */
  readonly early?: string;
};

type TrustLayer<Choice extends string> = Layer<TrustKeyResult<Choice>, Pick<Room, "theme" | "columns" | "rows">>;

/** A question about trust or approval. This layer hides everything else. */
export function trustLayer<Choice extends string>(
  question: StartQuestion<Choice>,
  state: TrustState,
): TrustLayer<Choice> {
  return {
    contexts: ["trust"],
    draft: "empty",
    place: "whole",
    handle: (action) => (action.type === "key" ? handle({ question, state }, action.name, action.key) : { state }),
    lines: (room) => trustLines(question, state, room),
  };
}

type Asked<Choice extends string> = { readonly question: StartQuestion<Choice>; readonly state: TrustState };

/** Handles a key. Keys pressed before the question was readable are kept for the next reader. */
export function trustKey<Choice extends string>(
  event: KeyEvent,
  { question, state, nowMs }: Asked<Choice> & { readonly nowMs: number },
): TrustKeyResult<Choice> {
  const layer = trustLayer(question, state);
  const action = actionOf(event, layer, DEFAULT_KEYMAP);
  const isLeaving = action?.type === "key" && action.name === "trust.leave" && action.key !== "esc";
  if (!isLeaving && nowMs < state.guardedUntil) {
    return { state: { ...state, guardedUntil: nowMs + GUARD_MS }, early: typedText(event) };
  }
  return (action && layer.handle(action)) ?? { state };
}

function handle<Choice extends string>(asked: Asked<Choice>, name: KeyAction, key: string): TrustKeyResult<Choice> {
  const { state, question } = asked;
  const perform: { readonly [Name in KeyAction]?: () => TrustKeyResult<Choice> } = {
    "trust.leave": () => answerOf(asked, "esc"),
    "trust.answer": () => answerOf(asked, key === "0" ? question.noKey : key),
    "trust.accept": () => answerOf(asked, state.choice),
    "trust.previous": () => ({ state: moved(asked, -1) }),
    "trust.next": () => ({ state: moved(asked, 1) }),
  };
  const steps = scrollSteps(name, state.preview.rows - 1);
  return perform[name]?.() ?? { state: steps === undefined ? state : scrolled(state, steps) };
}

/** A question that cannot be read accepts no yes. */
function answerOf<Choice extends string>({ question, state }: Asked<Choice>, key: string): TrustKeyResult<Choice> {
  const option = question.options.find((one) => one.key === key);
  return !option || (option.isYes && !state.preview.isReadable) ? { state } : { state, answer: option.answer };
}

function moved({ question: { options }, state }: Asked<string>, step: number): TrustState {
  const count = options.length;
  const at = options.findIndex(({ key }) => key === state.choice);
  return { ...state, choice: options[(at + step + count) % count]?.key ?? state.choice };
}

function scrolled(state: TrustState, lines: number): TrustState {
  const { maxScroll } = state.preview;
  return { ...state, scroll: Math.max(0, Math.min(maxScroll, Math.min(state.scroll, maxScroll) + lines)) };
}

/** The bytes of a key that types text; keys that only move are not passed on. */
function typedText(event: KeyEvent): string {
  if (event.type === "text") return event.text;
  if (event.type === "paste") return `\u001b[200~${event.text}\u001b[201~`;
  if (event.name === "enter") return "\r";
  return event.name === "backspace" ? "\u007f" : "";
}

type Style = { readonly theme: Theme; readonly columns: number; readonly rows: number };

const tooSmall = (noKey: string, label: string) =>
  `This window is too small: make it larger. ${noKey}: ${label}, esc: leave.`;
/** These keys can't be changed. */
const PAGE_KEYS = "PgDn PgUp";
/** The rows for the edges of the box, and an empty row for the cursor. */
const FRAME_ROWS = 3;
const MIN_SHOWN_ROWS = 3;

/** The lines of a question about trust or approval: the things that may run, and the answers. */
export function trustLines(
  question: StartQuestion<string>,
  { choice, scroll }: TrustState,
  { theme, columns, rows }: Style,
): { readonly lines: readonly string[]; readonly preview: PreviewView } {
  const { title, root, reasons, intro, notes, noKey } = question;
  const width = innerColumns(columns);
  const told = reasons.flatMap((reason) => warningLines(revealLine(reason), width, theme));
  const inside = [
    ...wrapText(reveal(root), width).map(theme.strong),
    "",
    ...(told.length > 0 ? [...wrapText(intro, width), ...told, ""] : []),
    ...notes.flatMap((line) => wrapText(line, width)).map(theme.dim),
  ];
  const options = question.options.map((one) => ({ ...one, short: one.label, rules: [], grant: "" }));
  const leastShown = Math.min(inside.length, MIN_SHOWN_ROWS);
  const roomBeside = (answers: readonly string[]) => rows - FRAME_ROWS - answers.length - 1;
  const apart = answerLines(options, choice, [], { theme, columns: width });
  const hasRoom = roomBeside(apart) >= leastShown;
  const answers = hasRoom ? apart : briefAnswers(options, choice, { theme, columns: width }).lines;
  const room = roomBeside(answers);
  if (room < leastShown) {
    const no = question.options.find(({ key }) => key === noKey)?.label ?? "";
    const words = wrapText(tooSmall(noKey, no), width);
    const lines = dialogLines(words.slice(0, Math.max(1, rows - FRAME_ROWS)), [], { title, columns, theme });
    return { lines, preview: { ...NO_PREVIEW, isReadable: false } };
  }
  const shown = scrolledLines(inside, scroll, { rows: room, width, theme, pages: PAGE_KEYS });
  return {
    lines: dialogLines([...shown.lines, ""], answers, { title, columns, theme }),
    preview: { ...NO_PREVIEW, from: shown.from, maxScroll: shown.maxScroll, rows: shown.rows },
  };
}
