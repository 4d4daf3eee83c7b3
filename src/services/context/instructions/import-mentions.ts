import { resolve } from "node:path";
import { markdownParts } from "./code-spans.ts";

/** `@` at the start of a word, then a path; a backslash keeps a space in it. */
const MENTION = /(?<=^|[\s([])@((?:\\ |[^\s\\])+)/g;
const TRAILING = ".,;:!?)]'\"*";
/** The maximum number of mentions in one file, because each is looked up on the disk. */
const MAX_MENTIONS = 500;

/** A file that an instruction file mentions as `@path`. */
export type Mention = {
  /** The mention as written, without the `@`. */
  readonly written: string;
  /** Absolute. */
  readonly path: string;
  /** True if the mention can only be a file: a missing file is then reported, whereas `@someone` is just a name. */
  readonly isSurelyFile: boolean;
};

/**
 * The files that a text mentions as `@path` outside code: relative to the folder of its file, to `~`, or absolute.
 * @param folder The absolute folder of the file.
 */
export function importMentions(text: string, folder: string, home: string): readonly Mention[] {
  if (!text.includes("@")) return [];
  const written = markdownParts(text)
    .filter(({ isCode }) => !isCode)
    .flatMap(({ text: part }) => [...part.matchAll(MENTION)].map(([, path = ""]) => withoutEnd(path)))
    .filter((path) => path !== "" && path !== "~");
  return [...new Set(written)].slice(0, MAX_MENTIONS).map((one) => {
    const plain = one.replaceAll("\\ ", " ");
    const path = plain.startsWith("~/") ? resolve(home, plain.slice(2)) : resolve(folder, plain);
    return { written: plain, path, isSurelyFile: /\.(?:md|mdc|txt)$/i.test(plain) };
  });
}

/** A path without the punctuation of the sentence around it. */
function withoutEnd(path: string): string {
  let end = path.length;
  while (end > 0 && TRAILING.includes(path.charAt(end - 1))) end -= 1;
  return path.slice(0, end);
}
