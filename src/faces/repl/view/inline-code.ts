import type { Paint, Theme } from "./theme.ts";

/** Code between backticks, inside of a line. A backtick inside of a word, or next to another one, begins no code. */
const CODE = /(?<![\w`])`([^`\n]+)`(?![\w`])/g;

/**
 * Code between backticks has a colour instead of the backticks, if there are colours.
 * @param around The colour of the text around the code, which goes on behind it.
 */
export function withCode(text: string, theme: Theme, around?: Paint): string {
  if (theme.level === 0 || !text.includes("`")) return text;
  const [open = ""] = around?.("|").split("|") ?? [];
  return text.replace(CODE, (_, code: string) => theme.literal(code) + open);
}
