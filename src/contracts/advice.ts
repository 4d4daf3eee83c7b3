const MARK = "\nNext: ";

/**
 * Joins a result for the model: the facts first and, after a marker, the advice on what to do next. `withoutAdvice`
 * shows people only the facts.
 */
export function withAdvice(facts: string, advice: string): string {
  return `${facts}${MARK}${advice}`;
}

/** Removes the advice from a result for the model, for display to a person. */
export function withoutAdvice(text: string): string {
  const at = text.lastIndexOf(MARK);
  return at === -1 || text.indexOf("\n", at + 1) !== -1 ? text : text.slice(0, at);
}
