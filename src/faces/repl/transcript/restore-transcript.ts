import { titleFromInput } from "../../../contracts/call-title.ts";
import { type Message, textOf } from "../../../contracts/message.ts";
import { addRow, reduce } from "./reduce.ts";
import type { Transcript } from "./transcript.ts";

/** Messages of a restored conversation that are shown again; what came before is still there for the model. */
export const MAX_RESTORED_MESSAGES = 200;

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
  return { ...now, turn: undefined };
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
    // How long it took isn't kept in the history; nothing is shown for 0.
    now = reduce(now, { type: "tool_finished", result: block, durationMs: 0 }, 0);
  }
  if (message.content.some((block) => block.type === "tool_result")) return now;
  const prompt = message.content.filter((block) => block.type === "text").at(-1);
  return prompt ? addRow(now, { kind: "user", text: textOf([prompt]) }) : now;
}
