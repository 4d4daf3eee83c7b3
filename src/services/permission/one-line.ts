const MAX_SHOWN_CHARS = 120;
/** Characters that a terminal would execute or reorder instead of showing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are replaced.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A text as one short line that is safe to print. */
export function oneLine(text: string, maxChars = MAX_SHOWN_CHARS): string {
  const line = text
    .slice(0, maxChars * 8)
    .replace(/\s+/g, " ")
    .replace(UNPRINTABLE, "�")
    .trim();
  return line.length > maxChars ? `${line.slice(0, maxChars - 1)}…` : line;
}
