import { readBlock } from "../../contracts/content-block.ts";
import type { UserBlock } from "../../contracts/message.ts";

export type ReadContent =
  | {
      /** The complete text. */
      readonly words: string;
      /** The part of the content that the model gets last. */
      readonly prompt: string;
      /** The content before it. */
      readonly attachments: readonly UserBlock[];
    }
  | { readonly problem: string };

/** Replaces missing text, because models reject a message without text. */
const LOOK = "Look at what is attached.";
const MAX_BLOCKS = 1_000;

/** Reads the content of a user message in the form of the Anthropic Messages API: text, or a list of blocks. */
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

/** The text comes last, as in every message; texts between images keep their position. */
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
