const MAX_TITLE_CHARS = 80;
/** The title of a conversation without words of a person. */
export const NO_PROMPT = "(no prompt)";

/** A prompt or a name as a title: one line of at most 80 characters; undefined for a blank text. */
export function titleOf(text: string): string | undefined {
  const line = lineOf(text, MAX_TITLE_CHARS);
  return line === "" ? undefined : line;
}

/**
 * A text on one line without control characters, cut after `maxChars` characters. A list of thousands of texts needs
 * it, for which the measuring of columns takes too long.
 */
export function lineOf(text: string, maxChars: number): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a list is printed on a terminal.
  const line = text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
  if (line.length <= maxChars) return line;
  // Two units can be one character, so this is enough for `maxChars` characters.
  const characters = Array.from(line.slice(0, 2 * maxChars + 2));
  return characters.length > maxChars ? `${characters.slice(0, maxChars - 1).join("")}…` : line;
}
