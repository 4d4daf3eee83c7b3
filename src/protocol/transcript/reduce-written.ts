import type { EngineEvent } from "../../contracts/event.ts";
import { CHARS_PER_TOKEN } from "../../contracts/token-estimate.ts";
import { secondOf, type Transcript, type Turn } from "./transcript.ts";

type Written = Turn["written"];

export const NOTHING_WRITTEN: Written = { tokens: 0, openChars: 0, shownChars: 0, second: -1 };

/**
 * The transcript with the amount that the model has written in the running turn: exact for ended answers, estimated
 * from characters for the open answer.
 * @param nowMs Monotonic milliseconds.
 */
export function countWritten(state: Transcript, event: EngineEvent, nowMs: number): Transcript {
  const { turn } = state;
  if (!turn) return state;
  const { tokens, openChars } = turn.written;
  const withWritten = (written: Written) => ({ ...state, turn: { ...turn, written } });
  switch (event.type) {
    case "text_delta":
    case "thinking_delta":
      return withWritten(grown(turn, event.text.length, nowMs));
    case "tool_input_delta":
      return withWritten(grown(turn, event.json.length, nowMs));
    case "assistant_message":
      return withWritten({ ...NOTHING_WRITTEN, tokens: tokens + event.message.usage.outputTokens });
    case "restarted":
    case "request_started":
      return openChars === 0 ? state : withWritten({ ...NOTHING_WRITTEN, tokens });
    default:
      return state;
  }
}

function grown({ watch, written }: Turn, chars: number, nowMs: number): Written {
  const openChars = written.openChars + chars;
  const second = secondOf(watch, nowMs);
  return second === written.second
    ? { ...written, openChars }
    : { ...written, openChars, shownChars: written.openChars || openChars, second };
}

/**
 * Tokens, estimated while an answer is open: the count at the beginning of the turn's current second, so that it changes in
 * one frame with the clock.
 * @param nowMs Monotonic milliseconds.
 */
export function writtenTokens({ watch, written }: Turn, nowMs: number): number {
  const chars = secondOf(watch, nowMs) === written.second ? written.shownChars : written.openChars;
  return written.tokens + Math.ceil(chars / CHARS_PER_TOKEN);
}
