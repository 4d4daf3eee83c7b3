import type { ShellWord } from "./types.ts";

/**
 * The path that an operand reads: the operand itself, or for a pattern the folder above its first `*`, `?` or `[`.
 * @returns undefined if the pattern may leave that folder.
 */
export function readPath(word: ShellWord): string | undefined {
  const { value, isGlob } = word;
  if (value === undefined) return undefined;
  if (!isGlob) return value;
  const parts = value.split("/");
  const first = parts.findIndex((part) => /[*?[]/.test(part));
  // `.*` matches `..` in many versions, and `*/..` leads to the parent folder.
  if (parts.slice(Math.max(first, 0)).some((part) => part.startsWith("."))) return undefined;
  if (first < 0) return value;
  const folder = parts.slice(0, first).join("/");
  return folder === "" ? (value.startsWith("/") ? "/" : ".") : folder;
}

/** The target of a path that is read from inside `folder`. */
export function inFolder(folder: string | undefined, path: string): string {
  if (folder === undefined || path.startsWith("/")) return path;
  return path === "." ? folder : `${folder.replace(/\/+$/, "")}/${path}`;
}
