import type { UserBlock } from "./message.ts";

/**
 * Why the conversation has to become smaller. `full`: the window is nearly full. `too_long`: the provider refused the
 * conversation. `cold`: the prompt cache is lost anyway. `image_too_large`: the provider refused a picture. `manual`:
 * the person started the compaction. `chosen`: the person chose turns or results to take out.
 */
export type CompactionReason = "full" | "too_long" | "cold" | "image_too_large" | "manual" | "chosen";

/** The messages before the message with this id, or that message and all later ones. */
export type CompactedPart = { readonly upTo: string } | { readonly from: string };

/** The messages that a summary replaced, and the checkable facts that were added because the summary did not mention them. */
export type CompactionReport = {
  readonly droppedMessages: number;
  readonly keptMessages: number;
  /** The facts that the check looked for: paths, commands, to-dos, and names and numbers that the user typed. */
  readonly checked: number;
  /** The facts that the summary did not mention, in the wording that was added. */
  readonly added: readonly string[];
};

/** The new content of a block in a user message, which the model sees from here on. */
export type Stub = {
  readonly messageId: string;
  /** The place of the block in the message, from 0. */
  readonly at: number;
  readonly block: UserBlock;
};
