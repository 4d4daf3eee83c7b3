import { basename } from "node:path";
import ignore from "ignore";
import picomatch from "picomatch";
import { typeGlobs } from "./file-types.ts";

export type FileFilter = {
  /**
   * True if a glob names exactly this file or folder. Like ripgrep, the search then includes the path even if git
   * ignores it.
   */
  readonly isNamed: (path: string) => boolean;
  readonly isWanted: (path: string) => boolean;
  /** True if a glob excludes the folder or file. */
  readonly isLeftOut: (path: string) => boolean;
};

/** Applies `--glob` and `--type`; paths are relative to the root. Undefined for an unknown type. */
export function fileFilter(globs: readonly string[], type: string | undefined): FileFilter | undefined {
  const ofType = type === undefined ? undefined : typeGlobs(type);
  if (type !== undefined && !ofType) return undefined;
  const isOfType = ofType ? picomatch([...ofType], { dot: true }) : () => true;
  const wanted = matcher(globs.filter((glob) => !glob.startsWith("!")));
  const unwanted = matcher(globs.filter((glob) => glob.startsWith("!")).map((glob) => glob.slice(1)));
  return {
    isNamed: (path) => wanted?.(path) ?? false,
    isWanted: (path) => (wanted?.(path) ?? true) && isOfType(basename(path)),
    isLeftOut: (path) => unwanted?.(path) ?? false,
  };
}

/** Gitignore's globs with braces, like in ripgrep; matches the path itself, not a parent folder. */
function matcher(globs: readonly string[]): ((path: string) => boolean) | undefined {
  if (globs.length === 0) return undefined;
  const rules = ignore({ ignorecase: false }).add(globs.flatMap((glob) => braces(glob)));
  return (path) => {
    const parent = path.lastIndexOf("/");
    return rules.ignores(path) && !(parent > 0 && rules.ignores(`${path.slice(0, parent)}/`));
  };
}

/** `a.{ts,tsx}` → `a.ts`, `a.tsx`; also nested. */
function braces(glob: string): readonly string[] {
  const open = glob.indexOf("{");
  if (open === -1) return [glob];
  let depth = 0;
  let start = open + 1;
  const choices: string[] = [];
  for (let at = open; at < glob.length; at += 1) {
    if (glob[at] === "{") depth += 1;
    if (glob[at] === "}") depth -= 1;
    if ((glob[at] === "," && depth === 1) || depth === 0) {
      choices.push(glob.slice(start, at));
      start = at + 1;
    }
    if (depth === 0) {
      const tail = glob.slice(at + 1);
      return choices.flatMap((choice) => braces(glob.slice(0, open) + choice + tail));
    }
  }
  return [glob];
}
