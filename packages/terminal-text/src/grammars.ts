import type { HLJSApi, LanguageFn } from "highlight.js";

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

/** The grammars of highlight.js, each loaded at its first use. */
export class Grammars {
  #core: HLJSApi | undefined;
  readonly #loaded = new Set<string>();

  /** True if nothing has to be loaded for a language. */
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

  /** @returns the code as HTML: spans with a class `hljs-…`, and five entities; undefined if it stays plain. */
  html(code: readonly string[], language: string): string | undefined {
    const name = grammarName(language);
    const isTooLong = code.some((line) => line.length > MAX_LINE_CHARS);
    if (name === undefined || isTooLong || !this.#core?.getLanguage(name)) return undefined;
    return this.#core.highlight(code.join("\n"), { language: name, ignoreIllegals: true }).value;
  }
}

/** The name of the grammar for a language or one of its aliases; undefined if there is none. */
export function grammarName(language: string): string | undefined {
  const name = ALIASES[language] ?? language;
  return Object.hasOwn(GRAMMARS, name) ? name : undefined;
}
