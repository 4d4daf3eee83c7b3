import type { ToolUseBlock, UserBlock } from "./message.ts";

/**
 * Why the conversation has to become smaller. `full`: the window is nearly full. `too_long`: the provider refused the
 * conversation. `cold`: the prompt cache will be lost in any case. `image_too_large`: the provider refused an image, or
 * the number of images and documents.
 * `idle`: the cache will expire soon, and the person set `compaction.idle`. `manual`: the person started the compaction. `chosen`: the person chose turns or results to remove.
 */
export type CompactionReason = "full" | "too_long" | "cold" | "image_too_large" | "idle" | "manual" | "chosen";

/** The messages before the message with this id, or this message and all later messages. */
export type CompactedPart = { readonly upTo: string } | { readonly from: string };

/** The messages that a summary replaced, and the checkable facts that were added because the summary did not mention them. */
export type CompactionReport = {
  readonly droppedMessages: number;
  readonly keptMessages: number;
  /** The facts that the check looked for: paths, commands, to-dos, and names and numbers that the user typed. */
  readonly checked: number;
  /** The facts that the summary did not mention, as they were added to it. */
  readonly added: readonly string[];
};

/**
 * The new content of a block in a user message, or of a call with the same id in an answer. It replaces the block in
 * the model's view.
 */
export type Stub = {
  readonly messageId: string;
  /** The index of the block in the message, from 0. */
  readonly at: number;
  readonly block: UserBlock | ToolUseBlock;
};
