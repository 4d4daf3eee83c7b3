import { lexer, type Token } from "marked";

/** The content of the code blocks of a Markdown text, also of those in lists and quotes, in order. */
export function codeBlocksOf(markdown: string): readonly string[] {
  return lexer(markdown).flatMap(codeIn);
}

function codeIn(token: Token): readonly string[] {
  if (token.type === "code") return [String(token["text"])];
  const inner: unknown = "items" in token ? token.items : "tokens" in token ? token.tokens : undefined;
  return Array.isArray(inner) ? (inner as readonly Token[]).flatMap(codeIn) : [];
}
