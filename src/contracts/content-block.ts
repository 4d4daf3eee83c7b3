import { z } from "zod";
import type { UserBlock } from "./message.ts";

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
