import type { EngineEvent } from "../../src/contracts/event.ts";
import { fieldList, table } from "./markdown.ts";

export const EVENTS_START = "<!-- events: generated from scripts/docs/event-table.ts -->";
export const EVENTS_END = "<!-- end of events -->";

type Kind = EngineEvent["type"];
/** A missing, doubled or invented field is a type error. */
type Fields<K extends Kind> = { readonly [F in Exclude<keyof Extract<EngineEvent, { type: K }>, "type">]-?: string };
type Row<K extends Kind> = { readonly when: string; readonly fields: Fields<K> };

const CONTINUE_REASONS = [
  "`tool_results`: there are results to send",
  "`pause_turn`: the provider paused its answer",
  "`output_cap_raised`, `output_continued`: the answer was cut off",
  "`compacted`: the prompt was too long",
  "`images_reduced`: a picture was too large",
  "`fallback_model`: another model takes over",
  "`empty_answer`: there was none",
  "`steered`: the user put words in",
  "`stop_hook`: a hook sends the model on",
  "`schema_mismatch`: the answer is not as the schema wants it",
  "`loop_told`: the model repeats itself and is told so",
].join("; ");

/** A missing event is a type error. */
const EVENTS: { readonly [K in Kind]: Row<K> } = {
  turn_started: {
    when: "The user's input was taken; it is in the log.",
    fields: { message: "as the model gets it", prompt: "as it was typed" },
  },
  request_started: {
    when: "A request goes to the provider.",
    fields: { step: "from 1, in this turn", model: "its id" },
  },
  text_delta: { when: "The answer goes on. For screens only.", fields: { text: "the next piece" } },
  thinking_delta: { when: "The model's thinking goes on. For screens only.", fields: { text: "the next piece" } },
  tool_input_delta: {
    when: "The input of a coming call goes on. For screens only.",
    fields: { toolUseId: "of the call", toolName: "of its tool", json: "the next piece of its input" },
  },
  restarted: {
    when: "The stream broke and is tried again: every delta of this request is void.",
    fields: { reason: "in words" },
  },
  retry: {
    when: "The provider refused or broke, and is asked again after a wait.",
    fields: {
      attempt: "of the one that failed, from 1",
      maxAttempts: "in all",
      delayMs: "the wait",
      status: "HTTP status, if there was one",
      message: "in words",
    },
  },
  notice: { when: "Something the person should know.", fields: { message: "one line" } },
  assistant_message: { when: "An answer is complete; it is in the log.", fields: { message: "with its usage" } },
  words_added: {
    when: "Words reach the model in the middle of a turn; they are in the log.",
    fields: { message: "of the user's role", by: "`user`, `hook` or `harness`", prompt: "the words" },
  },
  queue_changed: {
    when: "What waits for its turn changed.",
    fields: { queue: "id, prompt and time of the first hundred", total: "how many wait" },
  },
  compacted: {
    when: "Old tool results were taken out of what the model sees.",
    fields: { why: "`full` or `too_long`", freedTokens: "estimated", note: "one line" },
  },
  tool_started: {
    when: "A call begins; the log says so before it runs.",
    fields: { use: "id, name, input", title: "a few words for a line", level: "of this very call" },
  },
  tool_progress: {
    when: "A running call tells how far it is.",
    fields: { toolUseId: "of the call", progress: "last lines, total lines, bytes, elapsed milliseconds" },
  },
  tool_finished: {
    when: "A call ended, well or not.",
    fields: { result: "as the model gets it", durationMs: "how long it ran", display: "for screens, if it has one" },
  },
  tool_discarded: {
    when: "The stream that asked for a running call then failed: its result is thrown away.",
    fields: { toolUseId: "of the call" },
  },
  tool_results: {
    when: "All results of a message are there, in call order; they are in the log.",
    fields: { message: "of the user's role" },
  },
  permission_denied: {
    when: "A call was refused.",
    fields: { denial: "tool, id, input, by whom, and whether nobody could be asked" },
  },
  question_asked: {
    when: "A person is asked.",
    fields: { question: "what would happen, why it asks, what rules would help" },
  },
  question_settled: { when: "A question got its answer, or needs none any more.", fields: { id: "of the question" } },
  todos_changed: { when: "The list of steps changed.", fields: { todos: "the whole list" } },
  mode_changed: { when: "The permission mode changed.", fields: { mode: "the new one" } },
  model_changed: { when: "Another model answers from here on.", fields: { model: "its id" } },
  continued: {
    when: "The loop goes round again.",
    fields: { reason: CONTINUE_REASONS },
  },
  context_changed: {
    when: "The use of the window is known anew.",
    fields: { usedTokens: "input of the last request plus its output", windowTokens: "of the model" },
  },
  turn_finished: {
    when: "The turn came to rest.",
    fields: { report: "outcome, text, steps, times, usage, cost, refusals" },
  },
};

/** The table of docs/protocol.md, markers included. */
export function eventTable(): string {
  const rows = Object.entries(EVENTS).map(([type, { when, fields }]) => [`\`${type}\``, when, fieldList(fields)]);
  return [EVENTS_START, table(["event", "when", "fields"], rows), EVENTS_END].join("\n\n");
}
