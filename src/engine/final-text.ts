import { type Message, textOf } from "../contracts/message.ts";
import { CONTINUE_WRITING } from "./system-reminders.ts";

/**
 * The text of the last answer, including its earlier parts if the answer was truncated or paused and then continued.
 */
export function finalText(messages: readonly Message[]): string {
  let text = "";
  // If the continuation never arrived, the request for it is still after the answer.
  let at = messages.length - (isContinuation(messages.at(-1)) ? 2 : 1);
  for (let reply = messages[at]; reply?.role === "assistant"; reply = messages[at]) {
    const before = messages[at - 1];
    const isPaused = before?.role === "assistant" && before.stopReason === "pause_turn";
    text = joined(textOf(reply.content), text, reply.stopReason === "pause_turn" ? "\n" : "");
    if (!isPaused && !isContinuation(before)) break;
    at -= isPaused ? 1 : 2;
  }
  return text;
}

function isContinuation(message: Message | undefined): boolean {
  return message?.role === "user" && textOf(message.content) === CONTINUE_WRITING;
}

function joined(first: string, second: string, between: string): string {
  return first === "" || second === "" ? first + second : `${first}${between}${second}`;
}
