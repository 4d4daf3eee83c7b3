/** A shorter rest tells nothing. */
const MIN_WORD_CHARS = 8;
/** Of a text that is one long word this much is shown. */
const KEPT_CHARS = 64;
const WORD_SIGN = /[A-Za-z0-9_+/=.~%-]/;

/**
 * The start of a text that was cut, without the word that the cut went through: half of a long word (a hash, a number, a
 * credential) says something else than the whole, and what looks for it doesn't know it any more.
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
