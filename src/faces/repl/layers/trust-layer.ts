import type { TrustRequest } from "../../../contracts/permission.ts";
import type { KeyEvent } from "../input/decode-keys.ts";
import type { KeyAction } from "../keymap/key-actions.ts";
import { DEFAULT_KEYMAP } from "../keymap/keymap.ts";
import { trustLines } from "../view/trust-box.ts";
import { actionOf } from "./action-of.ts";
import type { Layer, Room } from "./layer.ts";
import { GUARD_MS } from "./question.ts";
import { TRUST_NO_KEY, TRUST_OPTIONS, type TrustChoice, type TrustState } from "./trust-state.ts";

export type TrustKeyResult = {
  readonly state: TrustState;
  readonly answer?: TrustChoice;
  /** The keys for the next reader, as a terminal would send them. */
  readonly early?: string;
};

type TrustLayer = Layer<TrustKeyResult, Pick<Room, "theme" | "columns" | "rows">>;

/** The question whether a folder is trusted. This layer hides everything else. */
export function trustLayer(request: TrustRequest, state: TrustState): TrustLayer {
  return {
    contexts: ["trust"],
    draft: "empty",
    place: "whole",
    handle: (action) => (action.type === "key" ? handle(state, action.name, action.key) : { state }),
    lines: (room) => trustLines(request, state, room),
  };
}

type Asked = { readonly request: TrustRequest; readonly state: TrustState; readonly nowMs: number };

/** Handles a key. Keys from before the question was readable are kept for the next reader. */
export function trustKey(event: KeyEvent, { request, state, nowMs }: Asked): TrustKeyResult {
  const layer = trustLayer(request, state);
  const action = actionOf(event, layer, DEFAULT_KEYMAP);
  const isLeaving = action?.type === "key" && action.name === "trust.leave" && action.key !== "esc";
  if (!isLeaving && nowMs < state.guardedUntil) {
    return { state: { ...state, guardedUntil: nowMs + GUARD_MS }, early: typedText(event) };
  }
  return (action && layer.handle(action)) ?? { state };
}

function handle(state: TrustState, name: KeyAction, key: string): TrustKeyResult {
  const page = state.preview.rows - 1;
  switch (name) {
    case "trust.leave":
      return { state, answer: "exit" };
    case "trust.answer":
      return answerOf(state, key === "0" ? TRUST_NO_KEY : key);
    case "trust.accept":
      return answerOf(state, state.choice);
    case "trust.previous":
      return { state: moved(state, -1) };
    case "trust.next":
      return { state: moved(state, 1) };
    case "trust.lineUp":
      return { state: scrolled(state, -1) };
    case "trust.lineDown":
      return { state: scrolled(state, 1) };
    case "trust.pageUp":
      return { state: scrolled(state, -page) };
    case "trust.pageDown":
      return { state: scrolled(state, page) };
    default:
      return { state };
  }
}

/** A question that cannot be read accepts no yes. */
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

/** The bytes of a key that types text; keys that only move are not passed on. */
function typedText(event: KeyEvent): string {
  if (event.type === "text") return event.text;
  if (event.type === "paste") return `\u001b[200~${event.text}\u001b[201~`;
  if (event.name === "enter") return "\r";
  return event.name === "backspace" ? "\u007f" : "";
}
