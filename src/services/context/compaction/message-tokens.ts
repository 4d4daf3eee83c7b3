import type { CompactionView } from "../../../contracts/compactor.ts";
import type { Message } from "../../../contracts/message.ts";

/** Estimated tokens of a message; 0 for none. */
export function tokensOf({ tokensOf: sizeOf }: CompactionView, message: Message | undefined): number {
  return (message?.content ?? []).reduce((sum, block) => sum + sizeOf(block), 0);
}
