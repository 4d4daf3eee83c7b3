import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";

/** The state of a path: the SHA-256 of its content, or one word for its kind. */
export type FileState = "missing" | "folder" | "other" | { readonly sha256: string };

/** Reads the state of a path; files are streamed, and other kinds are never opened. @param path Absolute. */
export async function fileState(path: string, signal: AbortSignal): Promise<FileState> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return "missing";
  if (!found.isFile()) return found.isDirectory() ? "folder" : "other";
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { signal })) hash.update(chunk);
  return { sha256: hash.digest("hex") };
}

export function isSameState(one: FileState, other: FileState): boolean {
  return typeof one === "object" && typeof other === "object" ? one.sha256 === other.sha256 : one === other;
}
