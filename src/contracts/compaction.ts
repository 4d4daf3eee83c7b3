import type { UserBlock } from "./message.ts";

/**
 * Why the conversation has to become smaller. `full`: it comes near the window's end. `too_long`: the provider refused it.
 * `cold`: the prompt cache is lost anyway. `image_too_large`: the provider refused a picture. `manual`: the person wants it.
 */
export type CompactionReason = "full" | "too_long" | "cold" | "image_too_large" | "manual";

/** A block of a message of the user's role, as the model sees it from here on. */
export type Stub = {
  readonly messageId: string;
  /** The place of the block in the message, from 0. */
  readonly at: number;
  readonly block: UserBlock;
};
