import type { ConvertOrder } from "./io/convert-page.ts";
import { type PageText, pageText } from "./page-text.ts";
import { decodeText } from "./read-charset.ts";
import { visible } from "./visible-text.ts";

/** Converts the bytes of a page or a text, in the converting child. */
export function convertBytes({ url, charset, as }: ConvertOrder, bytes: Uint8Array): PageText {
  const text = decodeText(bytes, charset, as !== "text");
  if (as === "page" || as === "plain") return pageText(text, url, as === "plain");
  return { title: "", markdown: visible(text), notes: [] };
}
