import { readBlock } from "../../contracts/content-block.ts";
import type { UserBlock } from "../../contracts/message.ts";

export type ReadContent =
  | {
      /** All that was said, in words. */
      readonly words: string;
      /** What the model gets last. */
      readonly prompt: string;
      /** What stands before it. */
      readonly attachments: readonly UserBlock[];
    }
  | { readonly problem: string };

/** Said in place of words where there are none: a message without text is refused by models. */
const LOOK = "Look at what is attached.";
const MAX_BLOCKS = 1_000;

/** Reads the content of a message of the user's role, as the Anthropic Messages API writes it: text, or a list of blocks. */
export function readContent(content: unknown): ReadContent {
  if (typeof content === "string") {
    return content.trim() === "" ? { problem: "it is empty" } : { words: content, prompt: content, attachments: [] };
  }
  if (!Array.isArray(content)) return { problem: "content is neither text nor a list of blocks" };
  if (content.length > MAX_BLOCKS) return { problem: `it has more than ${MAX_BLOCKS} blocks` };
  const blocks: UserBlock[] = [];
  for (const [index, value] of content.entries()) {
    const read = readBlock(value);
    if ("problem" in read) return { problem: `block ${index}: ${read.problem}` };
    if (read.type !== "text" || read.text.trim() !== "") blocks.push(read);
  }
  return blocks.length === 0 ? { problem: "it is empty" } : arranged(blocks);
}

/** The words come last, as everywhere; between pictures that are spoken of one by one they stay where they are. */
function arranged(blocks: readonly UserBlock[]): ReadContent {
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const words = texts.join("\n\n");
  const media = blocks.filter((block) => block.type !== "text");
  if (texts.length === 0) return { words, prompt: LOOK, attachments: media };
  if (texts.length === 1 || media.length === 0) return { words, prompt: words, attachments: media };
  const last = blocks.at(-1);
  if (last?.type !== "text") return { words, prompt: LOOK, attachments: blocks };
  return { words, prompt: last.text, attachments: blocks.slice(0, -1) };
}
