/** Least useful length of the rest. */
const MIN_WORD_CHARS = 8;
/** The shown length of a single long word. */
const KEPT_CHARS = 64;
const WORD_SIGN = /[A-Za-z0-9_+/=.~%-]/;

/**
 * The start of a text that was cut, without the word at the cut: half of a long word (a hash, a number, a credential)
 * is misleading, and a search for the word fails.
 */
export function withoutCutEnd(text: string): string {
  let at = text.length;
  while (at > 0 && WORD_SIGN.test(text[at - 1] ?? "")) at -= 1;
  if (text.length - at < MIN_WORD_CHARS) return text;
  return text.slice(0, at > 0 ? at : KEPT_CHARS);
}

/** The same for the end of a text that was cut off at its start. */
export function withoutCutStart(text: string): string {
  let at = 0;
  while (at < text.length && WORD_SIGN.test(text[at] ?? "")) at += 1;
  if (at < MIN_WORD_CHARS) return text;
  return text.slice(at < text.length ? at : -KEPT_CHARS);
}
