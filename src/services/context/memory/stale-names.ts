import { join, resolve } from "node:path";
import { entryExists, isInside } from "../../../platform/paths.ts";
import type { Ripgrep } from "../../../platform/ripgrep.ts";

/** Time limit of one search for names. Names that were not searched by then count as existing. */
const SEARCH_TIMEOUT_MS = 400;
const MAX_OUTPUT_BYTES = 256 * 1024;
const MAX_NAMES = 20;
/** The maximum length of text that is searched; of longer texts only the beginning is searched. */
const MAX_CHARS = 20_000;
const CODE_SPAN = /`([^`\n]{2,200})`/g;
const BARE_PATH = /(?:^|[\s("'`])((?:[\w.-]+\/)+[\w-][\w.-]*\.[A-Za-z]\w{0,7})(?=$|[\s)"'`,;:.])/gm;
const PATH = /^(?:\.\/)?[\w.-]+(?:\/[\w.-]+)+\/?$/;
const SYMBOL = /^[A-Za-z_]\w{3,79}(?:\(\))?$/;

/** The names in a note that can be checked: paths relative to the project, and names of functions, types and variables. */
export type NamedThings = { readonly paths: readonly string[]; readonly symbols: readonly string[] };

/** The paths and the names of code in a text: paths with an ending or in a code span, and code spans that look like names. */
export function namedThings(text: string): NamedThings {
  const looked = text.slice(0, MAX_CHARS);
  const spans = [...looked.matchAll(CODE_SPAN)].map(([, span = ""]) => span.trim());
  const bare = [...looked.matchAll(BARE_PATH)].map(([, path = ""]) => path);
  const paths = [...spans.filter((span) => PATH.test(span)), ...bare];
  const symbols = spans.filter((span) => SYMBOL.test(span) && isCodeName(span)).map((span) => span.replace("()", ""));
  return { paths: [...new Set(paths)].slice(0, MAX_NAMES), symbols: [...new Set(symbols)].slice(0, MAX_NAMES) };
}

/** `parseFile`, `parse_file` and `parse()` are names of code; `main` may be a word. */
function isCodeName(span: string): boolean {
  return span.endsWith("()") || /[a-z]\w*[A-Z]|\w_\w/.test(span);
}

/**
 * The paths that are not in the project. A path counts only if its first folder exists; otherwise it may be a phrase
 * such as `and/or`, an address or a package.
 */
export function missingPaths(paths: readonly string[], projectRoot: string): readonly string[] {
  return paths.filter((path) => {
    const whole = resolve(projectRoot, path);
    const [first = ""] = path.replace(/^\.\//, "").split("/");
    if (!isInside(projectRoot, whole) || !entryExists(join(projectRoot, first))) return false;
    return !entryExists(whole);
  });
}

/**
 * The names that occur nowhere in the files of the project, as ripgrep finds them: files that git ignores are left out.
 * @returns no names if the search did not end in time.
 */
export async function missingSymbols(
  symbols: readonly string[],
  { projectRoot, ripgrep }: { readonly projectRoot: string; readonly ripgrep: Ripgrep },
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (symbols.length === 0) return [];
  const found = new Set<string>();
  let bytes = 0;
  const { endedBy, exitCode } = await ripgrep({
    args: [
      ...["--no-config", "--no-messages", "--fixed-strings", "--word-regexp", "--only-matching", "--no-filename"],
      ...["--no-line-number", "--hidden", "--glob", "!.git", "--max-count", "20"],
      ...symbols.flatMap((symbol) => ["--regexp", symbol]),
      ...["--", projectRoot],
    ],
    cwd: projectRoot,
    signal,
    timeoutMs: SEARCH_TIMEOUT_MS,
    onOutput: (chunk) => {
      bytes += chunk.length;
      for (const line of chunk.toString("utf8").split("\n")) found.add(line.trim());
      return bytes < MAX_OUTPUT_BYTES && symbols.some((symbol) => !found.has(symbol));
    },
  });
  const isWhole = endedBy === "itself" && (exitCode === 0 || exitCode === 1);
  return isWhole ? symbols.filter((symbol) => !found.has(symbol)) : [];
}
