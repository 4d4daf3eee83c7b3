import type { Theme } from "./theme.ts";

/** Code between backticks, inside of a line. A backtick inside of a word, or next to another one, begins no code. */
const CODE = /(?<![\w`])`([^`\n]+)`(?![\w`])/g;

/** Code between backticks has a colour instead of the backticks, if there are colours. */
export function withCode(text: string, theme: Theme): string {
  if (theme.level === 0 || !text.includes("`")) return text;
  return text.replace(CODE, (_, code: string) => theme.literal(code));
}
