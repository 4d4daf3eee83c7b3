import { descriptorPath, HeldFolder } from "./held-folder.ts";
import { openFile } from "./open-file.ts";

/** A file or folder that a child process reaches by `path`, whatever takes its place in the meantime. */
export type HeldForChild = { readonly path: string; close(): Promise<void> };

/**
 * Holds a judged file or folder for a child process. Only Linux has such paths; elsewhere the child gets the path itself.
 * @param path Absolute and resolved.
 * @throws {ToolFailedError} as `openFile` or `HeldFolder.hold`: it is missing, or was replaced since it was resolved.
 */
export async function holdForChild(path: string, kind: "file" | "folder"): Promise<HeldForChild> {
  if (process.platform !== "linux") return { path, close: async () => {} };
  if (kind === "file") {
    const { handle } = await openFile(path);
    return { path: descriptorPath(handle.fd), close: () => handle.close() };
  }
  const folder = HeldFolder.hold(path);
  return { path: folder.forChild, close: async () => folder.close() };
}
