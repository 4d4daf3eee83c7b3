/** Least useful length of the rest. */
const MIN_WORD_CHARS = 8;
/**
 * The signs of a word: also those of passwords, of URLs and of keys with `\n` in place of line ends. Quotes, brackets,
 * commas and `&` end a word, as in JSON, source code and queries.
 */
const WORD_SIGN = /[!#$%*+\-./0-9:=?@A-Z\\^_a-z~]/;
/** The name before a value: `API_KEY=`, `password:`. */
const NAME = /^[A-Za-z_][\w.-]{0,40}[=:](?!\/)/;

/**
 * The start of a text that was cut, without the word at the cut: half of a long word (a hash, a number) is misleading,
 * a search for the word fails, and half of a credential is no longer recognised as one. The name before a value stays.
 */
export function withoutCutEnd(text: string): string {
  let at = text.length;
  while (at > 0 && WORD_SIGN.test(text[at - 1] ?? "")) at -= 1;
  const word = text.slice(at);
  if (word.length < MIN_WORD_CHARS) return text;
  return text.slice(0, at) + (NAME.exec(word)?.[0] ?? "");
}

/** The same for the end of a text that was cut off at its start. */
export function withoutCutStart(text: string): string {
  let at = 0;
  while (at < text.length && WORD_SIGN.test(text[at] ?? "")) at += 1;
  return at < MIN_WORD_CHARS ? text : text.slice(at);
}
