import { join } from "node:path/posix";

/** A selection of files in a git command (gitglossary(7), "pathspec"). */
type Pathspec = {
  readonly isExclude: boolean;
  /** False if the pathspec is only partly understood: it may then match anything, and excludes nothing. */
  readonly isPlain: boolean;
  matches(path: string): boolean;
};

const MAGIC = /^:(?:\(([a-z,:]*)\)|([!^/]+):?)?([\s\S]*)$/;

/**
 * True if a command with these pathspecs may affect a file. True in doubt.
 * @param prefix The command's folder, relative to the top of the work tree; empty at the top.
 * @param path Relative to the top.
 */
export function mayConcern(pathspecs: readonly string[], prefix: string, path: string): boolean {
  const all = pathspecs.map((text) => readPathspec(text, prefix));
  if (all.some(({ isExclude, isPlain, matches }) => isExclude && isPlain && matches(path))) return false;
  const wanted = all.filter(({ isExclude }) => !isExclude);
  return wanted.length === 0 || wanted.some(({ isPlain, matches }) => !isPlain || matches(path));
}

function readPathspec(text: string, prefix: string): Pathspec {
  const magic = text.startsWith(":") ? MAGIC.exec(text) : undefined;
  const words = (magic?.[1] ?? "").split(",").filter((word) => word !== "");
  const signs = magic?.[2] ?? "";
  const isExclude = words.includes("exclude") || /[!^]/.test(signs);
  const isTop = words.includes("top") || signs.includes("/");
  const rest = magic ? (magic[3] ?? "") : text;
  // Bracket expressions, escapes and other magic words are not interpreted.
  const isPlain =
    words.every((word) => /^(?:exclude|top)$/.test(word)) && !/[[\\]/.test(rest) && !(magic && rest === "");
  const pattern = (isTop ? rest : join(prefix, rest)).replace(/^\.\/|\/+$/g, "");
  const expression = patternOf(pattern);
  return { isExclude, isPlain, matches: (path) => pattern === "." || pattern === "" || expression.test(path) };
}

/** `*` and `?` also match a slash; a name matches everything below it. */
function patternOf(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\*+/g, ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}(?:/|$)`, "su");
}
