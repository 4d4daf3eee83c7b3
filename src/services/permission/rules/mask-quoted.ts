/** Stands for one character of quoted or substituted text. */
const MASK = "\0";
/** A quoted, escaped or substituted text without a nested one of its kind. */
const QUOTED =
  /\\[\s\S]?|'[^']*(?:'|$)|"(?:[^"\\]|\\[\s\S])*(?:"|$)|`[^`]*(?:`|$)|[$<>]\((?:[^()]|\([^()]*\))*\)|\$\{[^}]*\}/g;

/**
 * A shell text of the same length in which quoted and escaped characters and the text of substitutions are masked, so
 * that every other character has its meaning for the shell. Only for deciding what a rule's author meant: an open quote
 * ends with the text, and deep nesting is not followed.
 */
export function maskQuoted(text: string): string {
  return text.replace(QUOTED, (quoted) => MASK.repeat(quoted.length));
}
