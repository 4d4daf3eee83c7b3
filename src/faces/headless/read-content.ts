import { z } from "zod";
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

const base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/, "no base64 without line breaks");
const textBlock = z.looseObject({ type: z.literal("text"), text: z.string() });
const imageBlock = z.looseObject({
  type: z.literal("image"),
  source: z.looseObject({
    type: z.literal("base64"),
    media_type: z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]),
    data: base64,
  }),
});
const documentBlock = z.looseObject({
  type: z.literal("document"),
  title: z.string().nullish(),
  source: z.discriminatedUnion("type", [
    z.looseObject({ type: z.literal("base64"), media_type: z.literal("application/pdf"), data: base64 }),
    z.looseObject({ type: z.literal("text"), media_type: z.literal("text/plain"), data: z.string() }),
  ]),
});
const WANTED: Readonly<Record<string, { readonly schema: z.ZodType; readonly shape: string }>> = {
  text: { schema: textBlock, shape: "a text" },
  image: { schema: imageBlock, shape: "a base64 source of type PNG, JPEG, GIF or WebP" },
  document: { schema: documentBlock, shape: "a base64 source of type application/pdf, or a text source" },
};

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

/** Reads one block of a message or a result. */
export function readBlock(value: unknown): UserBlock | { readonly problem: string } {
  const text = textBlock.safeParse(value);
  if (text.success) return { type: "text", text: text.data.text };
  const image = imageBlock.safeParse(value);
  if (image.success) {
    const { media_type: mediaType, data } = image.data.source;
    return { type: "image", mediaType, data };
  }
  const document = documentBlock.safeParse(value);
  if (!document.success) return { problem: problemOf(value) };
  const { source, title } = document.data;
  if (source.type === "text") {
    const heading = title ? `${title}:\n` : "";
    return { type: "text", text: `${heading}${source.data}` };
  }
  const { data } = source;
  return { type: "document", mediaType: "application/pdf", data, ...(title && { title }) };
}

function problemOf(value: unknown): string {
  const type = z.looseObject({ type: z.string() }).safeParse(value);
  const wanted = type.success ? WANTED[type.data.type] : undefined;
  if (wanted) return `it needs ${wanted.shape}`;
  return `its type is none of ${Object.keys(WANTED).join(", ")}`;
}
