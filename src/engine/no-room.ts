import type { Message } from "../contracts/message.ts";
import { blocksSize } from "../contracts/token-estimate.ts";
import { LARGER_WINDOW } from "../contracts/window-limits.ts";
import { besideSize, inputSize, limitsOf, type SizeDeps } from "./request-size.ts";

/** The next request does not fit the window, and nothing could be removed from it. */
export class NoRoomError extends Error {
  override name = "NoRoomError";
}

/** The model of the next request, and the system prompt. */
type Next = { readonly model: string; readonly system: string };

/** A model that its server has loaded with a small window may be able to take more. */
function larger({ model }: Next, { catalog }: SizeDeps): string {
  const { isLoadedWindow } = catalog.capabilities(model);
  const other = "choose a model with a larger window";
  return isLoadedWindow ? `${other}, or a larger one for this model (${LARGER_WINDOW})` : other;
}

/**
 * One line for the person: why no compaction can make the next request fit. Either the system prompt and the tools
 * fill the window, or the newest prompt does by itself. Undefined if the request fits, or if a compaction can help.
 */
export function whyNeverRoom(next: Next, deps: SizeDeps): string | undefined {
  const { model, system } = next;
  const { window, stop } = limitsOf(model, deps);
  if (inputSize(system, deps) < stop) return undefined;
  const beside = besideSize(system, deps);
  const offered = `${model} has a window of ${shown(window)}`;
  if (beside >= stop)
    return `The system prompt and the tools take about ${shown(beside)} tokens, and ${offered}: ${larger(next, deps)}, or fewer tools.`;
  const prompt = newestPrompt(deps);
  const size = prompt ? tokensOf(prompt, deps) : 0;
  if (beside + size < stop) return undefined;
  return `The message takes about ${shown(size)} tokens, and ${offered}, of which ${shown(stop - beside)} are free for messages. It was not sent: put long text into a file and ask for parts of it, or ${larger(next, deps)}.`;
}

/** One line for the person: why the next request can't be sent; undefined if it can. */
export function whyNoRoom(next: Next, deps: SizeDeps): string | undefined {
  const { window, stop } = limitsOf(next.model, deps);
  const used = inputSize(next.system, deps);
  if (used < stop) return undefined;
  const size = `about ${shown(used)} of ${shown(window)} tokens`;
  return (
    whyNeverRoom(next, deps) ??
    `The window of ${next.model} is full (${size}): run /compact, start a new conversation with /clear, or ${larger(next, deps)}.`
  );
}

/** The person's newest message, if the model has not answered it. */
function newestPrompt({ conversation }: SizeDeps): Message | undefined {
  const { messages, prompts } = conversation;
  const newest = messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1);
  const typed = new Set(prompts.map(({ messageId }) => messageId));
  return newest.findLast(({ id }) => typed.has(id));
}

function tokensOf({ content }: Message, { conversation }: SizeDeps): number {
  return conversation.tokens.calibrated(blocksSize(content));
}

function shown(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
