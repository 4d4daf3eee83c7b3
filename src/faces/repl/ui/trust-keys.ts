import type { KeyEvent } from "../input/decode-keys.ts";
import { GUARD_MS } from "./question.ts";
import { NO_PREVIEW, type PreviewView } from "./ui-state.ts";

export type TrustChoice = "trust" | "session" | "no" | "exit";

export type TrustOption = { readonly key: string; readonly label: string; readonly answer: TrustChoice };

export const TRUST_OPTIONS: readonly TrustOption[] = [
  { key: "1", label: "trust this folder", answer: "trust" },
  { key: "2", label: "this session only", answer: "session" },
  { key: "3", label: "go on without trust", answer: "no" },
  { key: "esc", label: "leave", answer: "exit" },
];

export type TrustState = {
  /** The key of the option where the cursor stands. */
  readonly choice: string;
  readonly scroll: number;
  /** Until then what comes was typed before this could be read. Monotonic milliseconds. */
  readonly guardedUntil: number;
  readonly preview: PreviewView;
};

export type TrustKeyResult = {
  readonly state: TrustState;
  readonly answer?: TrustChoice;
  /** What was typed for somebody else, as a terminal would send it. */
  readonly early?: string;
};

/** The cursor stands on what runs nothing. */
export function emptyTrustState(nowMs: number): TrustState {
  return { choice: "3", scroll: 0, guardedUntil: nowMs + GUARD_MS, preview: NO_PREVIEW };
}

/** What a key does to the question whether a folder is trusted. */
export function trustKey(state: TrustState, event: KeyEvent, nowMs: number): TrustKeyResult {
  if (isLeaving(event)) return { state, answer: "exit" };
  if (nowMs < state.guardedUntil) {
    return { state: { ...state, guardedUntil: nowMs + GUARD_MS }, early: typedText(event) };
  }
  if (event.type === "paste") return { state };
  if (event.type === "text") return textKey(state, event.text);
  switch (event.name) {
    case "enter":
      return answerOf(state, state.choice);
    case "escape":
      return { state, answer: "exit" };
    case "up":
    case "left":
      return { state: moved(state, -1) };
    case "down":
    case "right":
      return { state: moved(state, 1) };
    case "tab":
      return { state: moved(state, event.shift ? -1 : 1) };
    case "pageup":
      return { state: scrolled(state, 1 - state.preview.rows) };
    case "pagedown":
      return { state: scrolled(state, state.preview.rows - 1) };
    default:
      return { state };
  }
}

function textKey(state: TrustState, text: string): TrustKeyResult {
  if (text === " ") return { state: scrolled(state, state.preview.rows - 1) };
  if (text === "j" || text === "k") return { state: scrolled(state, text === "j" ? 1 : -1) };
  return text.length === 1 ? answerOf(state, text) : { state };
}

/** What can't be read can't be agreed to. */
function answerOf(state: TrustState, key: string): TrustKeyResult {
  const answer = TRUST_OPTIONS.find((option) => option.key === key)?.answer;
  const isYes = answer === "trust" || answer === "session";
  return answer === undefined || (isYes && !state.preview.isReadable) ? { state } : { state, answer };
}

function moved(state: TrustState, step: number): TrustState {
  const count = TRUST_OPTIONS.length;
  const at = TRUST_OPTIONS.findIndex(({ key }) => key === state.choice);
  return { ...state, choice: TRUST_OPTIONS[(at + step + count) % count]?.key ?? state.choice };
}

function scrolled(state: TrustState, lines: number): TrustState {
  const { maxScroll } = state.preview;
  return { ...state, scroll: Math.max(0, Math.min(maxScroll, Math.min(state.scroll, maxScroll) + lines)) };
}

function isLeaving(event: KeyEvent): boolean {
  return event.type === "key" && event.name === "char" && event.ctrl && (event.char === "c" || event.char === "d");
}

/** What a terminal sends for a key that writes; keys that only move mean nothing to whoever comes next. */
function typedText(event: KeyEvent): string {
  if (event.type === "text") return event.text;
  if (event.type === "paste") return `\u001b[200~${event.text}\u001b[201~`;
  if (event.name === "enter") return "\r";
  return event.name === "backspace" ? "\u007f" : "";
}
