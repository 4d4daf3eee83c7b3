import type { AssistantBlock, UserBlock } from "../contracts/message.ts";
import { blocksSize } from "../contracts/token-estimate.ts";
import { inputSize, limitsOf, type SizeDeps } from "./request-size.ts";

/** The next request does not fit the window, and nothing could be removed from it. */
export class NoRoomError extends Error {
  override name = "NoRoomError";
}

/**
 * One line for the person: why the next request can't be sent; undefined if it can.
 * @param request The model of the next request, and the system prompt.
 */
export function whyNoRoom(
  { model, system }: { readonly model: string; readonly system: string },
  deps: SizeDeps,
): string | undefined {
  const { window, stop } = limitsOf(model, deps);
  const used = inputSize(system, deps);
  if (used < stop) return undefined;
  const { messages, tokens } = deps.conversation;
  const beside =
    used -
    tokens.calibrated(blocksSize(messages.flatMap(({ content }): readonly (UserBlock | AssistantBlock)[] => content)));
  if (beside >= stop)
    return `The system prompt and the tools take about ${shown(beside)} tokens, and ${model} has a window of ${shown(window)}: choose a model with a larger window, or fewer tools.`;
  const largest = Math.max(0, ...messages.map(({ content }) => tokens.calibrated(blocksSize(content))));
  if (largest >= stop)
    return `One message takes about ${shown(largest)} tokens, and ${model} has a window of ${shown(window)}: start a new conversation with /clear and send less, or choose a model with a larger window.`;
  return `The window of ${model} is full (about ${shown(used)} of ${shown(window)} tokens): run /compact, start a new conversation with /clear, or choose a model with a larger window.`;
}

function shown(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
