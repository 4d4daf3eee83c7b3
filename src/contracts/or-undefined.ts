/** The result of a question to the system; undefined if it throws, where every failure has the same meaning. */
export function orUndefined<Value>(ask: () => Value): Value | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}
