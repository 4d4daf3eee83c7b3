/**
 * Regular expressions (for ripgrep and JavaScript) that match the lines of definitions. No group with a
 * repetition is repeated without limit: such patterns can take exponential time without ripgrep, and are refused.
 */

/** Up to three of these words, each followed by spaces. */
const words = (...choices: readonly string[]) => `((${choices.join("|")})\\s+)?`.repeat(3);

const JAVASCRIPT = [
  "^\\s*(export\\s+)?(default\\s+)?(declare\\s+)?(abstract\\s+)?(async\\s+)?(class|interface|enum|namespace|function\\*?)\\s+[\\w$]+",
  "^(export\\s+)?(declare\\s+)?type\\s+[\\w$]+[^=]*=",
  "^(export\\s+)?(const|let|var)\\s+[\\w$]+[^=]*=\\s*(async\\s*)?(function|\\(|[\\w$]+\\s*=>)",
  "^export\\s+(const|let|var)\\s+[\\w$]+",
  "^export\\s+default\\b",
  `^\\s+${words("public", "private", "protected", "static", "override", "readonly", "async", "get", "set")}\\*?#?[\\w$]+(<[^>]*>)?\\([^;]*\\)\\s*(:\\s*[^;{]+)?\\{\\s*$`,
].join("|");
/** JavaScript statements look like methods; these words exclude them. */
const NOT_METHODS = ["if", "for", "while", "switch", "catch", "with", "return"];
const C = [
  "^\\s*(typedef\\s+)?(struct|union|enum|class|namespace)\\s+\\w+",
  "^#\\s*define\\s+\\w+",
  "^[A-Za-z_][\\w\\s*&:<>,~]*[\\s*&]~?[\\w:]+\\([^;]*\\)?\\s*(const\\s*)?\\{?\\s*$",
].join("|");
const JAVA = [
  `^\\s*${words("public", "protected", "private", "static", "final", "abstract", "sealed")}(class|interface|enum|record|@interface)\\s+\\w+`,
  "^\\s*(public|protected|private)\\s+[\\w<>\\[\\], .?]*\\w+\\s*\\([^;]*(\\{\\s*|,\\s*)$",
].join("|");
const SHELL = "^\\s*(function\\s+[\\w:.-]+|[\\w:.-]+\\s*\\(\\s*\\))";

const PATTERNS: Readonly<Record<string, string>> = {
  ts: JAVASCRIPT,
  tsx: JAVASCRIPT,
  mts: JAVASCRIPT,
  cts: JAVASCRIPT,
  js: JAVASCRIPT,
  jsx: JAVASCRIPT,
  mjs: JAVASCRIPT,
  cjs: JAVASCRIPT,
  py: "^\\s*(async\\s+def|def|class)\\s+\\w+",
  pyi: "^\\s*(async\\s+def|def|class)\\s+\\w+",
  go: "^(func|type|package)\\s+",
  rs: '^\\s*(pub(\\([^)]*\\))?\\s+)?(default\\s+)?(const\\s+)?(async\\s+)?(unsafe\\s+)?(extern\\s+("[^"]*"\\s+)?)?(fn|struct|enum|trait|impl|mod|type|union|macro_rules!)(\\s|<)',
  java: JAVA,
  c: C,
  h: C,
  cc: C,
  cpp: C,
  hpp: C,
  rb: "^\\s*(def|class|module)\\s+\\S+",
  md: "^#{1,6}\\s+\\S",
  markdown: "^#{1,6}\\s+\\S",
  sh: SHELL,
  bash: SHELL,
};

/** The pattern for a file, by its extension; undefined for an unknown language. */
export function outlinePattern(path: string): string | undefined {
  const extension = /[^/]\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase();
  return extension === undefined || !Object.hasOwn(PATTERNS, extension) ? undefined : PATTERNS[extension];
}

/** True if a matching line is a definition after all. */
export function isDefinition(line: string): boolean {
  const first = /^\s*(?:\}\s*)?(?:else\s+)?([A-Za-z]+)/.exec(line)?.[1];
  return first === undefined || !NOT_METHODS.includes(first);
}
