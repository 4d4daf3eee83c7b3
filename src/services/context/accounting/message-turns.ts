import type { Message } from "../../../contracts/message.ts";

/**
 * The number of the turn, from 1, that each message belongs to. A turn is a prompt and all messages up to the next
 * prompt; text that arrives while calls run belongs to the running turn.
 */
export function messageTurns(messages: readonly Message[]): readonly number[] {
  let [turn, isOpen] = [0, false];
  return messages.map((message) => {
    const startsTurn =
      message.role === "user" && !isOpen && !message.content.some(({ type }) => type === "tool_result");
    if (startsTurn || turn === 0) turn += 1;
    isOpen = message.role === "user" || message.content.some(({ type }) => type === "tool_use");
    return turn;
  });
}
