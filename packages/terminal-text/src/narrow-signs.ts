/**
 * Characters of our screens and of western text that are one column wide, alone and in sequence: Latin letters,
 * punctuation, arrows, box drawing, blocks, and some marks. Written for a class of a regular expression.
 */
export const NARROW_SIGNS =
  " -~\\u00a1-\\u00ac\\u00ae-\\u02ff\\u2010-\\u2027\\u2030-\\u205e\\u2190-\\u21ff\\u2500-\\u25fc\\u2713\\u2717\\u276f";
