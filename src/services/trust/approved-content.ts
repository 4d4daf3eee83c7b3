import { resolve } from "node:path";
import { contentHash, MAX_HASHED_BYTES } from "../../platform/files/content-hash.ts";
import { isInside } from "../../platform/paths.ts";
import { readOrProblem } from "../../platform/read-small-file.ts";

/** The project folder in commands, as shells and configuration files write it. */
const PROJECT_FOLDER = /\$\{?(?:CLAUDE|QUOLL)_PROJECT_DIR\}?/g;
/** Characters that end a word in a command, in an option with a value, and in a list. */
const BETWEEN_WORDS = /[\s"'`;|&()<>=,]+/;

/**
 * The text that a person approves of a declaration: its JSON with sorted keys, and a hash of each file in the project that
 * its commands or arguments name. A change of such a file is a change of the content.
 * @param root The project root: absolute, symlinks resolved.
 * @param commands Commands and arguments of the declaration. @param folders Relative words start in one of these.
 */
export function approvedContent(
  declaration: unknown,
  commands: readonly string[],
  { root, folders = [root] }: { readonly root: string; readonly folders?: readonly string[] },
): string {
  const words = commands.flatMap((command) => [command, ...command.split(BETWEEN_WORDS)]);
  const paths = words.flatMap((word) => {
    const named = word.replace(PROJECT_FOLDER, root).replace(/^["']+/, "");
    return named === "" ? [] : folders.map((folder) => resolve(folder, named));
  });
  const files = [...new Set(paths)].filter((path) => path !== root && isInside(root, path)).sort();
  const lines: string[] = [canonicalJson(declaration)];
  for (const file of files) {
    const hash = hashOf(file);
    if (hash !== undefined) lines.push(`${hash} ${file.slice(root.length + 1)}`);
  }
  return lines.join("\n");
}

/** @returns undefined if there is no such file. Only the place of a file that can't be hashed is approved. */
function hashOf(path: string): string | undefined {
  const read = readOrProblem(path, MAX_HASHED_BYTES);
  if ("bytes" in read) return contentHash(read.bytes);
  return read.problem === "too large" || read.problem === "refused" ? "unhashed" : undefined;
}

/** JSON with sorted keys: the order of keys does not change the meaning. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const parts = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${parts.map(([key, part]) => `${JSON.stringify(key)}:${canonicalJson(part)}`).join(",")}}`;
}
