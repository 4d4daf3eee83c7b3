import { withoutAdvice } from "../../../contracts/advice.ts";
import { titleFromInput } from "../../../contracts/call-title.ts";
import type { Todo } from "../../../contracts/display.ts";
import { type Message, textOf } from "../../../contracts/message.ts";
import { readUserRefusal } from "../../../contracts/user-refusal.ts";
import { addRow, reduce } from "./reduce.ts";
import { noteAnswer } from "./reduce-tools.ts";
import type { Transcript } from "./transcript.ts";

/** Messages of a restored conversation that are shown again; what came before is still there for the model. */
export const MAX_RESTORED_MESSAGES = 200;
const TODO_TOOL = "TodoWrite";
/** What was refused stands in the head of its row; its preview is not kept. */
const NO_PREVIEW = { kind: "text", text: "" } as const;

/**
 * Shows a restored conversation as if it had just been held. The person's own words are the last text block of their
 * message; what stands before it was added by us.
 */
export function restoreTranscript(state: Transcript, messages: readonly Message[]): Transcript {
  const hidden = Math.max(0, messages.length - MAX_RESTORED_MESSAGES);
  let now = state;
  if (hidden > 0) {
    const text = `${hidden} earlier messages are not shown; the model still has them`;
    now = addRow(now, { kind: "notice", level: "info", text });
  }
  for (const message of messages.slice(hidden)) now = showMessage(now, message);
  const todos = lastTodos(messages);
  const open = todos.every(({ status }) => status === "completed") ? [] : todos;
  return { ...now, turn: undefined, todos: open };
}

/** The list of steps as the model wrote it last. */
function lastTodos(messages: readonly Message[]): readonly Todo[] {
  const failed = new Set(
    messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === "tool_result" && block.isError ? [block.toolUseId] : [])),
    ),
  );
  const calls = messages.flatMap(({ content }) =>
    content.flatMap((block) =>
      block.type === "tool_use" && block.name === TODO_TOOL && !failed.has(block.id) ? [block] : [],
    ),
  );
  const todos = calls.at(-1)?.input["todos"];
  return Array.isArray(todos) ? todos.filter(isTodo) : [];
}

function isTodo(value: unknown): value is Todo {
  if (typeof value !== "object" || value === null) return false;
  const { content, activeForm, status } = value as Partial<Todo>;
  const isText = typeof content === "string" && typeof activeForm === "string";
  return isText && (status === "pending" || status === "in_progress" || status === "completed");
}

function showMessage(state: Transcript, message: Message): Transcript {
  let now = state;
  if (message.role === "assistant") {
    now = reduce({ ...now, textSeen: false }, { type: "assistant_message", message }, 0);
    for (const block of message.content) {
      if (block.type !== "tool_use") continue;
      now = reduce(now, { type: "tool_started", use: block, title: titleFromInput(block.input), level: "none" }, 0);
    }
    return now;
  }
  for (const block of message.content) {
    if (block.type !== "tool_result") continue;
    const refusal = block.isError ? readUserRefusal(withoutAdvice(textOf(block.content))) : undefined;
    if (refusal) now = noteAnswer(now, block.toolUseId, { kind: "refused", preview: NO_PREVIEW, ...refusal });
    // How long it took isn't kept in the history; nothing is shown for 0.
    now = reduce(now, { type: "tool_finished", result: block, durationMs: 0 }, 0);
  }
  if (message.content.some((block) => block.type === "tool_result")) return now;
  const prompt = message.content.filter((block) => block.type === "text").at(-1);
  return prompt ? addRow(now, { kind: "user", text: textOf([prompt]) }) : now;
}
