/** PATH_MAX of Linux. */
const MAX_PATH_CHARS = 4096;
/** Texts tried for one word; more separators than that are no list of files. */
const MAX_PIECES = 64;
/** Short flags in one word before a value: `-sSLT.env`. */
const MAX_CLUSTER = 8;
/** What may stand between a flag, a key or a mark and the name of a file. */
const SEPARATOR = /[=@<>:,;{}"'|&+]/;

/**
 * Every text in a word that a program may take for a file: the word itself, what is behind a short flag (`-T.env`), a key
 * (`--file=.env`), a mark (`f=@.env;type=x`) or `file://`, the members of a list (`{a,.env}`, `./.env:/x`). Far too many: those that
 * name nothing do no harm.
 */
export function pathPieces(word: string): readonly string[] {
  const starts = [word, ...behindFlag(word), ...behindScheme(word)];
  const texts = starts.flatMap((text) => [text, ...behindSeparators(text), ...text.split(SEPARATOR)]);
  return [...new Set(texts)]
    .filter((text) => text !== "" && text.length < MAX_PATH_CHARS && !text.includes("\0"))
    .slice(0, MAX_PIECES * starts.length);
}

/** `-T.env`, `-sT.env`: any letter may be the last that is a flag. */
function behindFlag(word: string): readonly string[] {
  const letters = /^-([A-Za-z0-9]{1,8})/.exec(word)?.[1] ?? "";
  return Array.from({ length: Math.min(letters.length, MAX_CLUSTER) }, (_, at) => word.slice(at + 2));
}

/** `file:///a/%2eenv`, also with a host. */
function behindScheme(word: string): readonly string[] {
  const path = /file:\/\/[^/]*(\/.*)$/is.exec(word)?.[1];
  if (path === undefined) return [];
  try {
    return [path, decodeURIComponent(path)];
  } catch {
    return [path];
  }
}

/** What follows each separator, to the word's end: a file's name may hold one. */
function behindSeparators(word: string): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < word.length && found.length < MAX_PIECES; at += 1)
    if (SEPARATOR.test(word[at] ?? "")) found.push(word.slice(at + 1));
  return found;
}
