import type { HLJSApi, LanguageFn } from "highlight.js";
import type { Theme } from "../view/theme.ts";

type Loader = () => Promise<{ readonly default: LanguageFn }>;

/** The common languages, each loaded at its first use. All 190 grammars would take tens of megabytes. */
const GRAMMARS: Readonly<Record<string, Loader>> = {
  bash: () => import("highlight.js/lib/languages/bash"),
  c: () => import("highlight.js/lib/languages/c"),
  cpp: () => import("highlight.js/lib/languages/cpp"),
  csharp: () => import("highlight.js/lib/languages/csharp"),
  css: () => import("highlight.js/lib/languages/css"),
  diff: () => import("highlight.js/lib/languages/diff"),
  dockerfile: () => import("highlight.js/lib/languages/dockerfile"),
  go: () => import("highlight.js/lib/languages/go"),
  ini: () => import("highlight.js/lib/languages/ini"),
  java: () => import("highlight.js/lib/languages/java"),
  javascript: () => import("highlight.js/lib/languages/javascript"),
  json: () => import("highlight.js/lib/languages/json"),
  kotlin: () => import("highlight.js/lib/languages/kotlin"),
  makefile: () => import("highlight.js/lib/languages/makefile"),
  php: () => import("highlight.js/lib/languages/php"),
  python: () => import("highlight.js/lib/languages/python"),
  ruby: () => import("highlight.js/lib/languages/ruby"),
  rust: () => import("highlight.js/lib/languages/rust"),
  sql: () => import("highlight.js/lib/languages/sql"),
  swift: () => import("highlight.js/lib/languages/swift"),
  typescript: () => import("highlight.js/lib/languages/typescript"),
  xml: () => import("highlight.js/lib/languages/xml"),
  yaml: () => import("highlight.js/lib/languages/yaml"),
};

const ALIASES: Readonly<Record<string, string>> = {
  "c++": "cpp",
  cc: "cpp",
  cjs: "javascript",
  console: "bash",
  cs: "csharp",
  docker: "dockerfile",
  golang: "go",
  h: "c",
  hpp: "cpp",
  html: "xml",
  js: "javascript",
  jsonc: "json",
  jsx: "javascript",
  kt: "kotlin",
  make: "makefile",
  mjs: "javascript",
  patch: "diff",
  py: "python",
  rb: "ruby",
  rs: "rust",
  sh: "bash",
  shell: "bash",
  svg: "xml",
  toml: "ini",
  ts: "typescript",
  tsx: "typescript",
  yml: "yaml",
  zsh: "bash",
};

/** Longer lines (minified code) are not highlighted: it would be slow and of little use. */
const MAX_LINE_CHARS = 1_000;

/** Highlights code. Grammars are loaded by `load`; until then, and for unknown languages, code stays plain. */
export class Highlighter {
  #core: HLJSApi | undefined;
  readonly #loaded = new Set<string>();

  /** True if the result of `lines` is final. */
  isReady(language: string): boolean {
    const name = grammarName(language);
    return name === undefined || this.#loaded.has(name);
  }

  /** Loads a grammar. Never fails: without its grammar, code stays plain. */
  async load(language: string): Promise<void> {
    const name = grammarName(language);
    const loader = name === undefined ? undefined : GRAMMARS[name];
    if (name === undefined || !loader || this.#loaded.has(name)) return;
    try {
      this.#core ??= (await import("highlight.js/lib/core")).default;
      this.#core.registerLanguage(name, (await loader()).default);
    } catch {
      // Code without a grammar is shown plain.
    }
    this.#loaded.add(name);
  }

  lines(code: readonly string[], language: string, theme: Theme): readonly string[] {
    const name = grammarName(language);
    const tooLong = code.some((line) => line.length > MAX_LINE_CHARS);
    if (theme.level === 0 || name === undefined || tooLong || !this.#core?.getLanguage(name)) return code;
    return paintHtml(this.#core.highlight(code.join("\n"), { language: name, ignoreIllegals: true }).value, theme);
  }
}

function grammarName(language: string): string | undefined {
  const name = ALIASES[language] ?? language;
  return Object.hasOwn(GRAMMARS, name) ? name : undefined;
}

/** Few styles, in the colours of the theme; green and red are only for diffs. */
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
