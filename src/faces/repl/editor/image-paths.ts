import { orUndefined } from "../../../contracts/or-undefined.ts";

const IMAGE = /\.(?:png|jpe?g|gif|webp)$/i;
/** A word in quotes, or a word in which a backslash keeps a space. */
const WORD = /'([^'\n]+)'|"([^"\n]+)"|((?:\\.|[^\s\\'"])+)/g;
/** The maximum number of paths in one paste. */
const MAX_PATHS = 20;

/**
 * The image files in a pasted text that contains nothing else, in the form in which terminals write a dragged file: in
 * quotes, with backslashes before spaces, or as an address (`file://`). A whole line with spaces that ends like an
 * image name is a path too.
 * @returns undefined if the text contains anything else.
 */
export function imagePaths(text: string): readonly string[] | undefined {
  const trimmed = text.trim();
  if (trimmed === "" || !IMAGE.test(trimmed.replace(/['"]$/, ""))) return undefined;
  const words = [...trimmed.matchAll(WORD)].map(
    ([, single, double, plain = ""]) => single ?? double ?? plain.replace(/\\(.)/g, "$1"),
  );
  const rest = trimmed.replace(WORD, "").trim();
  const paths =
    rest === "" && words.every(isPath) ? words : isPath(trimmed) && !trimmed.includes("\n") ? [trimmed] : [];
  return paths.length === 0 || paths.length > MAX_PATHS ? undefined : paths.map(plainPath);
}

/** A bare word such as `logo.png` may be meant as text, so only a word with a folder counts as a path. */
function isPath(word: string): boolean {
  return IMAGE.test(word) && /^(?:\/|~\/|\.{1,2}\/|file:\/\/)/.test(word);
}

function plainPath(word: string): string {
  if (!word.startsWith("file://")) return word;
  const url = URL.parse(word);
  return orUndefined(() => (url ? decodeURIComponent(url.pathname) : word)) ?? word;
}
