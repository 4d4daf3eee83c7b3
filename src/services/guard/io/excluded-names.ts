import { dirname } from "node:path";
import { type Git, recordsOf } from "./run-git.ts";

/** Selects the untracked files, and the ignored folders as a whole, that git's patterns match. */
export async function excludedBy(
  git: Git,
  patterns: readonly string[],
  signal: AbortSignal,
): Promise<(name: string) => boolean> {
  if (patterns.length === 0) return () => false;
  const flags = ["-z", "--others", "--ignored", "--directory", ...patterns.map((pattern) => `--exclude=${pattern}`)];
  const names = recordsOf(await git.run({ args: ["ls-files", ...flags], signal }));
  const plain = new Set(names.map((name) => name.replace(/\/$/, "")));
  return (name) => plain.has(name.replace(/\/$/, "")) || hasFolderAmong(name, plain);
}

/** True if a folder around the name is among the names. */
export function hasFolderAmong(name: string, names: ReadonlySet<string>): boolean {
  if (name === "") return false;
  if (names.has("")) return true;
  for (let at = dirname(name); at !== "."; at = dirname(at)) if (names.has(at)) return true;
  return false;
}
