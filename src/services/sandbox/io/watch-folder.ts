import { watch } from "node:fs";

/**
 * Reports entries of a folder that appear, disappear or change. Reports nothing when the system refuses (too many
 * watches, an unsupported file system). Does not keep the process alive. Never throws.
 * @param told Receives the entry's name, or undefined when the system does not report it.
 * @returns a function that stops watching.
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
