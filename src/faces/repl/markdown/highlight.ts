import { Grammars } from "@quoll/terminal-text/grammars";
import type { Theme } from "../view/theme.ts";

/** Highlights code. `load` loads the grammars; until then, and for unknown languages, code is drawn plain. */
export class Highlighter {
  readonly #grammars = new Grammars();

  /** True if the result of `lines` is final. */
  isReady(language: string): boolean {
    return this.#grammars.isReady(language);
  }

  /** Loads a grammar. The function never fails: without its grammar, code is drawn plain. */
  load(language: string): Promise<void> {
    return this.#grammars.load(language);
  }

  lines(code: readonly string[], language: string, theme: Theme): readonly string[] {
    const html = theme.level === 0 ? undefined : this.#grammars.html(code, language);
    return html === undefined ? code : paintHtml(html, theme);
  }
}

/** The theme uses few styles; green and red are only for diffs. */
function paintOf(scope: string, theme: Theme): ((text: string) => string) | undefined {
  const name = scope.replace("hljs-", "").split(/[ .]/)[0];
  switch (name) {
    case "keyword":
    case "built_in":
    case "section":
    case "selector-tag":
    case "name":
      return theme.code.keyword;
    case "string":
    case "regexp":
      return theme.code.string;
    case "number":
    case "literal":
    case "symbol":
      return theme.code.number;
    case "comment":
    case "meta":
    case "doctag":
      return theme.code.comment;
    case "addition":
      return theme.added;
    case "deletion":
      return theme.removed;
    default:
      return undefined;
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
};

/** highlight.js returns HTML: spans with a class, and five entities. */
function paintHtml(html: string, theme: Theme): readonly string[] {
  const scopes: string[] = [];
  const lines: string[] = [""];
  for (const [token] of html.matchAll(/<span class="[^"]*">|<\/span>|[^<]+/g)) {
    if (token === "</span>") scopes.pop();
    else if (token.startsWith("<span")) scopes.push(token.slice(13, -2));
    else {
      const text = token.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => ENTITIES[entity] ?? entity);
      const paint = innermost(scopes, theme);
      for (const [at, part] of text.split("\n").entries()) {
        if (at > 0) lines.push("");
        lines[lines.length - 1] += part === "" || !paint ? part : paint(part);
      }
    }
  }
  return lines;
}

function innermost(scopes: readonly string[], theme: Theme): ((text: string) => string) | undefined {
  for (const scope of scopes.toReversed()) {
    const paint = paintOf(scope, theme);
    if (paint) return paint;
  }
  return undefined;
}
