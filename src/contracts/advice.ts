const MARK = "\nNext: ";

/**
 * A result that tells the model what happened and, behind a mark, what to do now. People are shown the first part alone
 * (`withoutAdvice`).
 */
export function withAdvice(facts: string, advice: string): string {
  return `${facts}${MARK}${advice}`;
}

/** The version for a person of a text that the model got. */
export function withoutAdvice(text: string): string {
  const at = text.lastIndexOf(MARK);
  return at === -1 || text.indexOf("\n", at + 1) !== -1 ? text : text.slice(0, at);
}
