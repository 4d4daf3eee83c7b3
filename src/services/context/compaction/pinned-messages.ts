import type { CompactionView } from "../../../contracts/compactor.ts";
import { type Message, toolUses } from "../../../contracts/message.ts";

/**
 * The messages that the person pinned, or that contain a pinned result. A call and its result come together.
 */
export function pinnedMessages(
  { messages, isPinned }: Pick<CompactionView, "messages" | "isPinned">,
  { from, to }: { readonly from: number; readonly to: number },
): readonly Message[] {
  const holdsPin = (message: Message | undefined) =>
    message !== undefined &&
    (isPinned(message.id) ||
      message.content.some((block) => block.type === "tool_result" && isPinned(block.toolUseId)));
  return messages.slice(from, to).filter((message, index) => {
    const at = from + index;
    if (holdsPin(message)) return true;
    if (message.role === "assistant") return toolUses(message).length > 0 && holdsPin(messages[at + 1]);
    return message.content.some(({ type }) => type === "tool_result") && holdsPin(messages[at - 1]);
  });
}
