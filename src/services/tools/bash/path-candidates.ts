import { orUndefined } from "../../../contracts/or-undefined.ts";

/** PATH_MAX of Linux. */
const MAX_PATH_CHARS = 4096;
/** Most texts for one word; a word with more separators is not a list of files. */
const MAX_PIECES = 64;
/** Short flags in one word before a value: `-sSLT.env`. */
const MAX_CLUSTER = 8;
/** Characters between a flag, a key or a mark and a file name. */
const SEPARATOR = /[=@<>:,;{}"'|&+]/;

/**
 * All parts of a word that a program may read as a file: the word itself, the text after a short flag (`-T.env`), a key
 * (`--file=.env`), a mark (`f=@.env;type=x`) or `file://`, the members of a list (`{a,.env}`, `./.env:/x`). Deliberately too many:
 * candidates that do not exist do no harm.
 */
export function pathCandidates(word: string): readonly string[] {
  const starts = [word, ...behindFlag(word), ...behindScheme(word)];
  const texts = starts.flatMap((text) => [text, ...behindSeparators(text), ...text.split(SEPARATOR)]);
  return [...new Set(texts)]
    .filter((text) => text !== "" && text.length < MAX_PATH_CHARS && !text.includes("\0"))
    .slice(0, MAX_PIECES * starts.length);
}

/** `-T.env`, `-sT.env`: any letter may be the last flag. */
function behindFlag(word: string): readonly string[] {
  const letters = /^-([A-Za-z0-9]{1,8})/.exec(word)?.[1] ?? "";
  return Array.from({ length: Math.min(letters.length, MAX_CLUSTER) }, (_, at) => word.slice(at + 2));
}

/** `file:///a/%2eenv`, also with a host. */
function behindScheme(word: string): readonly string[] {
  const path = /file:\/\/[^/]*(\/.*)$/is.exec(word)?.[1];
  if (path === undefined) return [];
  return orUndefined(() => [path, decodeURIComponent(path)]) ?? [path];
}

/** The text after each separator, to the end of the word, because a file name may contain a separator. */
function behindSeparators(word: string): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < word.length && found.length < MAX_PIECES; at += 1)
    if (SEPARATOR.test(word[at] ?? "")) found.push(word.slice(at + 1));
  return found;
}
