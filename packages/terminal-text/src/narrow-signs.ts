/**
 * Characters of our screens and of western text that are one column wide, alone and in sequence: Latin, Greek
 * and Cyrillic letters, punctuation, arrows, box drawing, blocks, and some marks. Written for a class of a regular expression.
 */
export const NARROW_SIGNS =
  " -~\\u00a1-\\u00ac\\u00ae-\\u02ff\\u0388-\\u038a\\u038e-\\u03a1\\u03a3-\\u0482\\u048a-\\u052f\\u2010-\\u2027\\u2030-\\u205e\\u2190-\\u21ff\\u2500-\\u25fc\\u2713\\u2717\\u276f";
