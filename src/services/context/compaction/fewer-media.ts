import type { Stub } from "../../../contracts/compaction.ts";
import type { CompactionStage } from "../../../contracts/compactor.ts";
import type { CountLimit } from "../../../contracts/errors.ts";
import type { Message, ToolResultBlock, UserBlock } from "../../../contracts/message.ts";

/** The share of the limit that stays, so that not every new image is refused and changes the cached prefix. */
const KEPT_SHARE = 0.75;
/** The share of the images that stays if the server does not state its limit. */
const GUESSED_SHARE = 0.5;

type Part = Exclude<UserBlock, ToolResultBlock>;

/** Leaves out the oldest images and documents after a provider refused their number. */
export function fewerMedia(): CompactionStage {
  return {
    name: "media",
    async run({ why, messages, countLimit }) {
      if (why !== "image_too_large" || !countLimit) return undefined;
      const isMeant = meantBy(countLimit);
      const count = messages.reduce((sum, { content }) => sum + partsOf(content).filter(isMeant).length, 0);
      const surplus = count - keptOf(count, countLimit);
      if (surplus <= 0) return undefined;
      return {
        stubs: stubsFor(messages, isMeant, surplus),
        note: `Left out the ${surplus} oldest images and documents.`,
      };
    },
  };
}

function meantBy({ what }: CountLimit): (part: Part) => boolean {
  return ({ type }) => (type === "image" && what !== "documents") || (type === "document" && what !== "images");
}

/** A server may count the pages of documents, so its limit may be above the number of parts. */
function keptOf(count: number, { max = count }: CountLimit): number {
  const kept = max < count ? max * KEPT_SHARE : count * GUESSED_SHARE;
  return Math.max(max === 0 ? 0 : 1, Math.floor(kept));
}

function partsOf(content: Message["content"]): readonly Part[] {
  return content.flatMap((block): readonly Part[] => {
    if (block.type === "image" || block.type === "document") return [block];
    return block.type === "tool_result" && typeof block.content !== "string" ? block.content : [];
  });
}

function stubsFor(messages: readonly Message[], isMeant: (part: Part) => boolean, surplus: number): readonly Stub[] {
  const stubs: Stub[] = [];
  let left = surplus;
  const fewer = (part: Part): Part => {
    if (left === 0 || !isMeant(part)) return part;
    left -= 1;
    const name = part.type === "image" ? "An image" : "A PDF";
    return { type: "text", text: `[${name} was here; it was left out because the server takes fewer in a request.]` };
  };
  for (const { id: messageId, role, content } of messages) {
    if (role !== "user") continue;
    for (const [at, block] of content.entries()) {
      const before = left;
      const smaller =
        block.type !== "tool_result"
          ? fewer(block)
          : typeof block.content === "string"
            ? block
            : { ...block, content: block.content.map(fewer) };
      if (left < before) stubs.push({ messageId, at, block: smaller });
    }
  }
  return stubs;
}
