import type { StopReason } from "../../../contracts/message.ts";
import { words } from "../../../contracts/words.ts";

/**
 * Words for the end of an answer that servers use beside those of their API. `broken`: the server could not finish the
 * answer. Sources: the references of Google, DeepSeek, Zhipu, Text Generation Inference and vLLM, and routers that pass on the words of
 * the server behind them.
 */
const WORDS: Readonly<Record<StopReason | "broken", readonly string[]>> = {
  end_turn: ["stop", "end_turn", "eos", "eos_token", "end", "complete", "completed", "finished", "done", "normal"],
  stop_sequence: ["stop_sequence", "stop_sequences"],
  tool_use: ["tool_calls", "tool_call", "tool_use", "function_call", "function_calls"],
  max_tokens: words("length max_tokens max_output_tokens max_new_tokens max_length token_limit model_length"),
  context_exceeded: ["model_context_window_exceeded", "context_window_exceeded", "context_length_exceeded"],
  refusal: [
    ...["content_filter", "content_filtered", "safety", "refusal", "recitation", "blocklist", "prohibited_content"],
    ...["spii", "sensitive", "guardrail_intervened"],
  ],
  broken: [
    ...["error", "network_error", "server_error", "upstream_error", "provider_error", "failed", "failure", "timeout"],
    ...["cancelled", "canceled", "abort", "aborted", "interrupted", "insufficient_system_resource"],
    ...["malformed_function_call", "malformed_response", "unexpected_tool_call"],
  ],
  pause_turn: ["pause_turn"],
  unfinished: [],
  other: [],
};

const REASONS: ReadonlyMap<string, StopReason | "broken"> = new Map(
  Object.entries(WORDS).flatMap(([reason, words]) => words.map((word) => [word, reason as StopReason | "broken"])),
);

/** The meaning of a server's word for the end of an answer; undefined for an unknown word. */
export function stopReasonOf(word: string): StopReason | "broken" | undefined {
  return REASONS.get(word.trim().toLowerCase().replaceAll("-", "_"));
}

/** One line for the person about an answer with the stop reason `other`. */
export function unknownEnd(word: string): string {
  return `The server ended the answer with a reason that Quoll does not know: ${JSON.stringify(word.slice(0, 80))}.`;
}
