import { resolve } from "node:path";
import { markdownParts } from "./code-spans.ts";

/** `@` at the start of a word, then a path in quotes, or a path in which a backslash keeps a space. */
const MENTION = /(?<=^|[\s([])@(?:"([^"\n]+)"|'([^'\n]+)'|((?:\\ |[^\s\\])+))/g;
const TRAILING = ".,;:!?)]'\"*";
/** The maximum number of mentions in one file, because each is looked up on the disk. */
const MAX_MENTIONS = 500;
/** The maximum number of further words that can belong to a path with spaces. */
const MAX_MORE_WORDS = 6;
const ENDING = /\.\w{1,8}$/;

/** A file that an instruction file mentions as `@path`. */
export type Mention = {
  /** The mention as written, without the `@`. */
  readonly written: string;
  /** Absolute. */
  readonly path: string;
  /** Absolute paths to try if `path` does not exist: with the words that follow it, and with its letters composed or decomposed. */
  readonly others: readonly string[];
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
    .flatMap(({ text: part }) => [...part.matchAll(MENTION)].map((found) => mentioned(part, found)))
    .filter(({ plain }) => plain !== "" && plain !== "~");
  const pathOf = (plain: string) => (plain.startsWith("~/") ? resolve(home, plain.slice(2)) : resolve(folder, plain));
  return [...new Map(written.map((one) => [[one.plain, ...one.longer].join("\n"), one])).values()]
    .slice(0, MAX_MENTIONS)
    .map(({ plain, longer }) => {
      const [path = "", ...others] = [...new Set([plain, ...longer].flatMap(spellings).map(pathOf))];
      return { written: plain, path, others, isSurelyFile: /\.(?:md|mdc|txt)$/i.test(plain) };
    });
}

type Written = { readonly plain: string; readonly longer: readonly string[] };

function mentioned(text: string, { 0: all, 1: double, 2: single, 3: bare = "", index }: RegExpExecArray): Written {
  const quoted = double ?? single;
  if (quoted !== undefined) return { plain: quoted.trim(), longer: [] };
  const rest = /^[^\n]*/.exec(text.slice(index + all.length))?.[0] ?? "";
  const words = [...rest.matchAll(/[ \t]+\S+/g)].slice(0, MAX_MORE_WORDS).map(([word]) => word);
  const unescaped = bare.replaceAll("\\ ", " ");
  return {
    plain: withoutEnd(bare).replaceAll("\\ ", " "),
    longer: words
      .map((_, at) => withoutEnd(unescaped + words.slice(0, at + 1).join("")))
      .filter((one) => ENDING.test(one)),
  };
}

/** macOS decomposes the accented letters of names, and most other programs compose them. */
function spellings(path: string): readonly string[] {
  return [path, path.normalize("NFC"), path.normalize("NFD")];
}

/** A path without the punctuation of the sentence around it. */
function withoutEnd(path: string): string {
  let end = path.length;
  while (end > 0 && TRAILING.includes(path.charAt(end - 1))) end -= 1;
  return path.slice(0, end);
}
