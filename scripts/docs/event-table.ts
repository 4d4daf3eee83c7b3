import type { EngineEvent } from "../../src/contracts/event.ts";
import { fieldList, table } from "./markdown.ts";

export const EVENTS_START = "<!-- events: generated from scripts/docs/event-table.ts -->";
export const EVENTS_END = "<!-- end of events -->";

type Kind = EngineEvent["type"];
/** A missing, doubled or invented field is a type error. */
type Fields<K extends Kind> = { readonly [F in Exclude<keyof Extract<EngineEvent, { type: K }>, "type">]-?: string };
type Row<K extends Kind> = { readonly when: string; readonly fields: Fields<K> };

/** A missing event is a type error. */
const EVENTS: { readonly [K in Kind]: Row<K> } = {
  turn_started: {
    when: "A turn begins with the user's input, which is in the log.",
    fields: { message: "as the model gets it", prompt: "as it was typed" },
  },
  request_started: {
    when: "A request is sent to the provider.",
    fields: {
      step: "from 1, in this turn",
      model: "its id",
      holdsText: "true if hooks decide which text is shown: screens wait for `assistant_message`",
    },
  },
  text_delta: { when: "More text of the answer. For screens only.", fields: { text: "the next piece" } },
  thinking_delta: { when: "More of the model's thinking. For screens only.", fields: { text: "the next piece" } },
  tool_input_delta: {
    when: "More input of the next call. For screens only.",
    fields: { toolUseId: "of the call", toolName: "of its tool", json: "the next piece of its input" },
  },
  restarted: {
    when: "The stream broke and the request is retried: discard every delta of this request.",
    fields: { reason: "in words" },
  },
  retry: {
    when: "The request failed and is retried after a delay.",
    fields: {
      attempt: "number of the failed attempt, from 1",
      maxAttempts: "in all",
      delayMs: "the delay",
      status: "HTTP status, if there was one",
      message: "in words",
    },
  },
  notice: {
    when: "A message for the person.",
    fields: { level: "`info` for a line that is no warning", message: "one line" },
  },
  assistant_message: {
    when: "An answer is complete; it is in the log.",
    fields: { message: "with its usage", displayText: "the text that hooks want shown in place of the message's" },
  },
  words_added: {
    when: "The model gets a message during a turn; the message is in the log.",
    fields: { message: "of the user's role", by: "`user`, `hook` or `harness`", prompt: "the text" },
  },
  input_receipt: {
    when: "An input went one step further: each queued input gets a receipt when it is queued, and for its end.",
    fields: {
      receipt:
        "`id`, `prompt`, `when`; `state`: `queued`, `taken` (its turn or command begins), `sent` (the conversation has its message `messageId`), `edited` (a person took it back) or `cancelled`",
    },
  },
  queue_changed: {
    when: "The message queue changed.",
    fields: { queue: "id, prompt and time of the first hundred", total: "number of queued messages" },
  },
  compacted: {
    when: "The model sees less of the conversation from now on.",
    fields: {
      why: "`full`, `too_long`, `cold`, `manual`, or `chosen` by `/context`",
      freedTokens: "estimated",
      preTokens: "input tokens of the next request before it, estimated",
      note: "one line",
      report: "with a summary: `droppedMessages`, `keptMessages`, `checked` facts, and those `added`",
    },
  },
  compaction_started: {
    when: "A compaction begins. It ends with `compacted`, a notice, or `busy_changed`.",
    fields: { why: "as above", usedTokens: "of the next request, estimated" },
  },
  compaction_progress: {
    when: "The model is asked for a summary, and writes it.",
    fields: { writtenTokens: "of the summary so far, estimated; 0 when the model is asked" },
  },
  tools_changed: {
    when: "The tool array changed, so the next request sends everything without the provider's cache.",
    fields: { added: "names", changed: "names of tools whose input changed", resentTokens: "estimated" },
  },
  cache_missed: {
    when: "The answered request read less from the provider's cache than the request before had left there, and no other event says why.",
    fields: {
      changed:
        "the first part that differs: `tools`, `prompt`, `thinking`, `effort`, `outputSchema`, `message`, or `nothing`",
      detail: "name of the tool or number of the message",
      missedTokens: "tokens that were read again",
      costUsd: "more than from the cache, if the price is known",
    },
  },
  tool_started: {
    when: "A call begins. The log contains its entry before the call runs.",
    fields: { use: "id, name, input", title: "a short line for screens", level: "of this call" },
  },
  tool_progress: {
    when: "Progress of a running call.",
    fields: { toolUseId: "of the call", progress: "last lines, total lines, bytes, elapsed milliseconds" },
  },
  tool_finished: {
    when: "A call ended, with or without success.",
    fields: { result: "as the model gets it", durationMs: "its duration", display: "for screens, if it has one" },
  },
  tool_discarded: {
    when: "The stream that requested a running call failed; the result is discarded.",
    fields: { toolUseId: "of the call" },
  },
  tool_results: {
    when: "All results of a message are complete, in call order; they are in the log.",
    fields: { message: "of the user's role" },
  },
  permission_denied: {
    when: "A call was refused.",
    fields: {
      denial:
        "tool, id, input, `decidedBy` (`kind`, and the `rule`, `source` and `reason`), and whether nobody could be asked",
    },
  },
  question_asked: {
    when: "A person is asked.",
    fields: { question: "who asks, and in its body the kind, the call, the reason and what can be answered" },
  },
  question_settled: {
    when: "A question was answered or withdrawn.",
    fields: {
      id: "of the question",
      toolUseId: "of the call that it was about",
      answer: "a no with its reason, or the accepted part of a change",
    },
  },
  task_started: {
    when: "An agent, or a command in the background, starts or waits for its turn.",
    fields: { task: "id, kind, agent, title, status, `isBackground`, output file, and an agent's progress" },
  },
  task_changed: {
    when: "A task left the queue, made progress or was moved to the background.",
    fields: { task: "the same" },
  },
  task_ended: {
    when: "An agent, or a command in the background, ended. Told once; its status never changes again.",
    fields: { task: "the same, with its end" },
  },
  todos_changed: { when: "The task list changed.", fields: { todos: "the whole list" } },
  mode_changed: { when: "The permission mode changed.", fields: { mode: "the new one" } },
  conversation_changed: {
    when: "The conversation is another one now: read its messages again.",
    fields: {
      by: "`clear` (it is empty), `move` (it continues from another entry) or `take_back` (a prompt that was cancelled before its answer left it)",
    },
  },
  model_changed: { when: "Another model answers from now on.", fields: { model: "its id" } },
  continued: {
    when: "The loop continues.",
    fields: { reason: "see [reasons to continue](#reasons-to-continue)" },
  },
  context_changed: {
    when: "The used part of the context window was measured again.",
    fields: {
      usedTokens: "input of the last request plus its output",
      windowTokens: "of the model",
      warnTokens: "from here on little of the window is left",
    },
  },
  hook_status: {
    when: "A hook with a `statusMessage` has run for 0.3 s, or has ended.",
    fields: { text: "the line of the oldest such hook; absent when none runs" },
  },
  budget_changed: {
    when: "A turn with a budget of its own (`+500k`) has spent some of it.",
    fields: { spentTokens: "new input and output of the turn so far", totalTokens: "the budget" },
  },
  turn_finished: {
    when: "The turn ended.",
    fields: { report: "outcome, text, steps, times, usage, cost, refusals" },
  },
  busy_changed: {
    when: "A turn, `/compact`, or a command typed with `!` began or ended. The next queued message starts after this event.",
    fields: {
      busy: "true when it begins",
      interrupted: "true when the person interrupted it; queued messages then wait for the next input",
    },
  },
};

/** The table of docs/protocol.md, markers included. */
export function eventTable(): string {
  const rows = Object.entries(EVENTS).map(([type, { when, fields }]) => [`\`${type}\``, when, fieldList(fields)]);
  return [EVENTS_START, table(["event", "when", "fields"], rows), EVENTS_END].join("\n\n");
}
