import type { Theme } from "./theme.ts";

/** An address in plain text; punctuation after it belongs to the sentence. */
const ADDRESS = /\bhttps?:\/\/[^\s<>"'`|\\^{}]*[^\s<>"'`|\\^{}.,;:!?)\]]/g;

/** Makes web addresses in a plain line links. */
export function linkedAddresses(line: string, theme: Theme): string {
  return line.includes("://") ? line.replace(ADDRESS, (address) => theme.link(address, address)) : line;
}
