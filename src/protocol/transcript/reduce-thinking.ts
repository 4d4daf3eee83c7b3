import type { Row, Transcript } from "./transcript.ts";

/** The minimum duration of thinking for a row; shorter thinking is added to the next. */
const MIN_SHOWN_MS = 1_000;
/** The maximum length of the thinking that the transcript keeps. */
const MAX_CHARS = 32_000;

/** Adds the next piece of the model's thinking. */
export function takeThinking(state: Transcript, text: string, nowMs: number): Transcript {
  const { thinking = { text: "", durationMs: 0, since: undefined } } = state;
  const isNew = thinking.since === undefined && thinking.text !== "";
  const all = thinking.text.length >= MAX_CHARS ? thinking.text : thinking.text + (isNew ? "\n\n" : "") + text;
  return { ...state, thinking: { ...thinking, text: all, since: thinking.since ?? nowMs } };
}

/** Stops the clock of the thinking. */
export function pauseThinking(state: Transcript, nowMs: number): Transcript {
  const { thinking } = state;
  if (thinking?.since === undefined) return state;
  const durationMs = thinking.durationMs + Math.max(0, nowMs - thinking.since);
  return { ...state, thinking: { ...thinking, durationMs, since: undefined } };
}

/** Removes ended thinking from the state as a row; there is no row if it was too short. */
export function thinkingRow(state: Transcript): {
  readonly state: Transcript;
  readonly row?: Row & { kind: "thinking" };
} {
  const { thinking } = state;
  if (!thinking || thinking.since !== undefined || thinking.durationMs < MIN_SHOWN_MS) return { state };
  const { text, durationMs } = thinking;
  return { state: { ...state, thinking: undefined }, row: { kind: "thinking", text, durationMs } };
}
