import { ToolFailedError } from "../../contracts/errors.ts";
import type { Encoding } from "../../contracts/files.ts";
import { decode, detectText } from "./encoding.ts";

/** A text that `encode` turns into the same bytes. */
export type ReadableText = { readonly text: string; readonly encoding: Encoding };

/** The text of bytes that a person can read; undefined for binary bytes, damaged ones, and an unknown encoding. */
export async function readableText(bytes: Uint8Array): Promise<ReadableText | undefined> {
  try {
    const encoding = await detectText(bytes);
    if (encoding === "binary" || encoding.name === "unknown") return undefined;
    const text = decode(bytes, encoding);
    return text.isWellFormed() && !text.includes("\0") ? { text, encoding } : undefined;
  } catch (error) {
    // UTF-16 with an odd number of bytes.
    if (error instanceof ToolFailedError) return undefined;
    throw error;
  }
}
