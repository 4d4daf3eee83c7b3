import type { Token, Tokens } from "marked";
import { linkedFile, linkedPaths } from "../view/linked-files.ts";
import type { Theme } from "../view/theme.ts";

/** Inline Markdown as one styled string; a forced break is a line feed. */
export function inlineText(tokens: readonly Token[] | undefined, theme: Theme): string {
  return (tokens ?? []).map((token) => inline(token, theme)).join("");
}

function inline(token: Token, theme: Theme): string {
  switch (token.type) {
    case "strong":
      return theme.strong(inlineText(token.tokens, theme));
    case "em":
      return theme.italic(inlineText(token.tokens, theme));
    case "del":
      return theme.level === 0
        ? `~~${inlineText(token.tokens, theme)}~~`
        : theme.struck(inlineText(token.tokens, theme));
    case "codespan":
      return linkedFile(token.text, theme.level === 0 ? `\`${token.text}\`` : theme.literal(token.text), theme);
    // The list draws the check box.
    case "checkbox":
      return "";
    case "br":
      return "\n";
    case "link":
      return link(token as Tokens.Link, theme);
    case "image":
      return `${token.text === "" ? "image" : token.text} ${theme.dim(`(${token.href})`)}`;
    case "escape":
      return token.text;
    // Line breaks of the model are kept, as in chats: output and lists without markers stay readable.
    case "text":
      return "tokens" in token && token.tokens ? inlineText(token.tokens, theme) : linkedPaths(token.text, theme);
    default:
      return token.raw;
  }
}

/** The address is always shown, because the text of a link may pretend a different address. */
function link({ href, text, tokens }: Tokens.Link, theme: Theme): string {
  // A link can't hold another one.
  const { file: _, ...unlinked } = theme;
  const label = theme.underline(inlineText(tokens, unlinked));
  const isWhole = [href, `\`${href}\``].includes(text) || `mailto:${text}` === href;
  const shown = isWhole ? label : `${label} ${theme.dim(`(${href})`)}`;
  return linkedFile(href, theme.link(shown, href), theme);
}
