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
  return splitAdvice(text).facts;
}

/** Splits a result for the model; `advice` is absent if it has none. */
export function splitAdvice(text: string): { readonly facts: string; readonly advice?: string } {
  const end = factsEnd(text);
  return end === text.length ? { facts: text } : { facts: text.slice(0, end), advice: text.slice(end + MARK.length) };
}

/** Adds a line to the facts of a result, before its advice. */
export function withFact(text: string, fact: string): string {
  const end = factsEnd(text);
  return `${text.slice(0, end)}\n${fact}${text.slice(end)}`;
}

/** The advice is the last line. */
function factsEnd(text: string): number {
  const at = text.lastIndexOf(MARK);
  return at === -1 || text.indexOf("\n", at + 1) !== -1 ? text.length : at;
}
