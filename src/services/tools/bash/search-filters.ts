import { relative } from "node:path";

/** True if a search skips a file below its starting folder; false in doubt. */
export type LeavesOut = (path: string, start: string) => boolean;

/** Extensions of ripgrep's types; only types of source text or documents. */
const TYPES: Readonly<Record<string, RegExp>> = {
  ts: /\.[cm]?tsx?$/,
  typescript: /\.[cm]?tsx?$/,
  js: /\.(?:[cm]?jsx?|vue)$/,
  py: /\.pyi?$/,
  python: /\.pyi?$/,
  rust: /\.rs$/,
  go: /\.go$/,
  java: /\.(?:java|jsp|jspx|properties)$/,
  kotlin: /\.kts?$/,
  swift: /\.swift$/,
  c: /\.(?:[chH](?:\.in)?|cats)$/,
  cpp: /\.(?:[ChH](?:\.in)?|cc|cpp|cxx|hh|hpp|hxx|inl)(?:\.in)?$/,
  cs: /\.cs$/,
  rb: /(?:\.(?:gemspec|rb|rbw)|(?:^|\/)(?:Gemfile|\.irbrc|Rakefile|config\.ru))$/,
  ruby: /(?:\.(?:gemspec|rb|rbw)|(?:^|\/)(?:Gemfile|\.irbrc|Rakefile|config\.ru))$/,
  php: /\.(?:php[3-9s]?|pht|phtml)$/,
  css: /\.s?css$/,
  html: /\.(?:ejs|html?)$/,
  md: /\.(?:markdown|md|mdown|mdwn|mkd|mkdn|mdx)$/,
  markdown: /\.(?:markdown|md|mdown|mdwn|mkd|mkdn|mdx)$/,
  svelte: /\.(?:svelte|svelte\.ts)$/,
  vue: /\.vue$/,
  lua: /\.lua$/,
  sql: /\.(?:sql|psql)$/,
};

/**
 * Files that ripgrep's documented filters skip (rg(1), "Automatic filtering", "Manual filtering"): hidden names without the
 * flag for them, files that no glob names, files of other types. Ignore files are not read here, which yields too many names, never too few.
 */
export function rgLeavesOut(words: readonly string[]): LeavesOut {
  const { globs, types, rest } = rgFlags(words);
  const wantsHidden = rest.some(
    (word) => word === "--hidden" || /^-[a-zA-Z]*\./.test(word) || countOf(rest, /^-u+$|^--unrestricted$/) > 1,
  );
  const tests = globs.map((glob) => ({
    isNegated: glob.startsWith("!"),
    pattern: globPattern(glob.replace(/^!/, "")),
  }));
  const wanted = types.map((type) => TYPES[type]);
  return (path, start) => {
    const name = relative(start, path);
    // The last matching glob decides.
    const last = tests.findLast(({ pattern }) => pattern === undefined || pattern.test(name));
    if (last !== undefined) return last.isNegated && last.pattern !== undefined && isPlainlyNegated(tests, name);
    if (tests.some(({ isNegated }) => !isNegated)) return true;
    // A type's files are shown even if their names begin with a dot.
    if (wanted.length > 0) return wanted.every((type) => type !== undefined && !type.test(name));
    return !wantsHidden && name.split("/").some((part) => part.startsWith("."));
  };
}

type GlobTest = { readonly isNegated: boolean; readonly pattern: RegExp | undefined };

/** True if no including glob follows the glob that excludes the file. */
function isPlainlyNegated(tests: readonly GlobTest[], name: string): boolean {
  const at = tests.findLastIndex(({ pattern }) => pattern?.test(name));
  return at >= 0 && tests[at]?.isNegated === true && tests.slice(at + 1).every(({ pattern }) => pattern !== undefined);
}

function countOf(words: readonly string[], pattern: RegExp): number {
  return words.reduce((sum, word) => sum + (pattern.test(word) ? (word.startsWith("--") ? 1 : word.length - 1) : 0), 0);
}

function rgFlags(words: readonly string[]) {
  const globs: string[] = [];
  const types: string[] = [];
  const rest: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word === "--") break;
    const glob = /^(?:-g|--glob=|--iglob=)(.+)$/s.exec(word)?.[1];
    const type = /^(?:-t|--type=)(.+)$/s.exec(word)?.[1];
    if (/^(?:-g|--glob|--iglob)$/.test(word)) globs.push(words[++at] ?? "");
    else if (/^(?:-t|--type)$/.test(word)) types.push(words[++at] ?? "");
    else if (glob !== undefined) globs.push(glob);
    else if (type !== undefined) types.push(type);
    else rest.push(word);
  }
  return { globs, types, rest };
}

/** Files that `grep -r` skips by `--include`, `--exclude` and `--exclude-dir` (grep(1)); with both kinds, their order is ignored. */
export function grepLeavesOut(words: readonly string[]): LeavesOut {
  const valuesOf = (flag: string) =>
    words.flatMap((word, at) =>
      word.startsWith(`${flag}=`) ? [word.slice(flag.length + 1)] : words[at - 1] === flag ? [word] : [],
    );
  const includes = valuesOf("--include").map(namePattern);
  const excludes = valuesOf("--exclude").map(namePattern);
  const folders = valuesOf("--exclude-dir").map(namePattern);
  const isMatch = (patterns: readonly (RegExp | undefined)[], name: string) => patterns.some((one) => one?.test(name));
  return (path, start) => {
    const parts = relative(start, path).split("/");
    const name = parts.pop() ?? "";
    if (parts.some((part) => isMatch(folders, part))) return true;
    if (includes.length > 0 && excludes.length === 0)
      return includes.every((one) => one !== undefined && !one.test(name));
    return includes.length === 0 && isMatch(excludes, name);
  };
}

/** @returns undefined for a pattern with more than stars and question marks. */
function namePattern(text: string): RegExp | undefined {
  return /[[\]{}\\/]/.test(text) ? undefined : new RegExp(`^${sourceOf(text)}$`, "s");
}

/** A glob as in .gitignore, with `{a,b}`; a glob without a slash matches in every folder. */
function globPattern(text: string): RegExp | undefined {
  if (/[[\]\\]|\{[^{}]*\{/.test(text)) return undefined;
  const trimmed = text.replace(/^\.?\//, "");
  const source = trimmed
    .split(/(\{[^{}]*\}|\*\*\/?)/)
    .map((part) => {
      if (part.startsWith("**")) return part.endsWith("/") ? "(?:.*/)?" : ".*";
      return part.startsWith("{") ? `(?:${part.slice(1, -1).split(",").map(sourceOf).join("|")})` : sourceOf(part);
    })
    .join("");
  const isAnchored = trimmed.replace(/\/$/, "").includes("/") || text.startsWith("/");
  // A glob that names a folder matches all files in it.
  return new RegExp(`^${isAnchored ? "" : "(?:.*/)?"}${source.replace(/\/$/, "")}(?:/.*)?$`, "s");
}

function sourceOf(text: string): string {
  return text
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", "[^/]*")
    .replaceAll("?", "[^/]");
}
