import { watch } from "node:fs";

/**
 * Tells which entries of a folder come, go or change, as long as it can: the system may refuse (too many watches, a file system
 * that tells nothing), and then nothing is told. Keeps no process alive. Never throws.
 * @param told Gets an entry's name, or undefined when the system does not say which.
 * @returns the function that ends it.
 */
export function watchFolder(folder: string, told: (name: string | undefined) => void): () => void {
  try {
    const watcher = watch(folder, { persistent: false }, (_event, name) => told(name ?? undefined));
    watcher.on("error", () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => undefined;
  }
}
