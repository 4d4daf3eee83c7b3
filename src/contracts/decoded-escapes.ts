/** A text with its escapes (`%20`) decoded; undefined if a `%` is not part of one. */
export function decodedEscapes(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
