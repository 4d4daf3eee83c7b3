import type { Block, SearchBlock } from "./request.ts";

/** A block as it is sent, with the JSON text that streams a tool's input. */
export type RenderedBlock = { readonly block: Block | SearchBlock; readonly inputText?: string };
