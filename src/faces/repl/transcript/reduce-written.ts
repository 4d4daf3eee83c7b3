import type { EngineEvent } from "../../../contracts/event.ts";
import { CHARS_PER_TOKEN } from "../../../contracts/token-estimate.ts";
import type { Transcript, Turn } from "./transcript.ts";

/** The transcript with what the model has written in the running turn: exact for ended answers, by its characters for the open one. */
export function countWritten(state: Transcript, event: EngineEvent): Transcript {
  const { turn } = state;
  if (!turn) return state;
  const { tokens, openChars } = turn.written;
  const withWritten = (written: Turn["written"]) => ({ ...state, turn: { ...turn, written } });
  switch (event.type) {
    case "text_delta":
    case "thinking_delta":
      return withWritten({ tokens, openChars: openChars + event.text.length });
    case "tool_input_delta":
      return withWritten({ tokens, openChars: openChars + event.json.length });
    case "assistant_message":
      return withWritten({ tokens: tokens + event.message.usage.outputTokens, openChars: 0 });
    case "restarted":
    case "request_started":
      return openChars === 0 ? state : withWritten({ tokens, openChars: 0 });
    default:
      return state;
  }
}

/** Tokens, estimated while an answer is open. */
export function writtenTokens({ written }: Turn): number {
  return written.tokens + Math.ceil(written.openChars / CHARS_PER_TOKEN);
}
