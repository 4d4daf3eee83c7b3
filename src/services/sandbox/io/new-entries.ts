import { lstatSync, renameSync, watch } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode, errorMessage } from "../../../contracts/errors.ts";
import { randomHex } from "../../../platform/digest.ts";
import { HeldFolder } from "../../../platform/files/held-folder.ts";
import { isInside } from "../../../platform/paths.ts";

export type SetAside =
  | { readonly outcome: "moved"; readonly from: string; readonly to: string }
  /** The entry is already gone. */
  | { readonly outcome: "gone" }
  | { readonly outcome: "left"; readonly why: string };

/**
 * Renames an entry to a new name in the same folder. Works through a descriptor of the parent folder, because the
 * program that created the entry may replace a folder above it at any time. When the path goes through a link, the link
 * is renamed. No entry is deleted or overwritten. Never throws.
 * @param root Neither the root itself nor any entry outside it is changed.
 */
export function setAside(path: string, root: string): SetAside {
  for (let at = path; at !== root && isInside(root, at); at = dirname(at)) {
    let held: HeldFolder;
    try {
      held = HeldFolder.hold(dirname(at));
    } catch (error) {
      if (errorCode(error) === "ENOENT") return { outcome: "gone" };
      continue; // A parent is a link or not a folder: rename that entry instead.
    }
    try {
      return rename(held, at);
    } catch (error) {
      return { outcome: "left", why: errorMessage(error) };
    } finally {
      held.close();
    }
  }
  return { outcome: "left", why: "its path now leads outside" };
}

function rename(held: HeldFolder, from: string): SetAside {
  const name = basename(from);
  if (!lstatSync(held.entry(name), { throwIfNoEntry: false })) return { outcome: "gone" };
  // The random name can't be guessed, so it is free.
  const aside = `${name}.set-aside-${randomHex(4)}`;
  renameSync(held.entry(name), held.entry(aside));
  return { outcome: "moved", from, to: join(dirname(from), aside) };
}

/**
 * Reports entries of a folder that appear, disappear or change. Reports nothing when the system refuses (too many
 * watches, an unsupported file system). Does not keep the process alive. Never throws.
 * @param changed Receives the entry's name, or undefined when the system does not report it.
 * @returns a function that stops watching.
 */
export function watchFolder(folder: string, changed: (name: string | undefined) => void): () => void {
  try {
    const watcher = watch(folder, { persistent: false }, (_event, name) => changed(name ?? undefined));
    watcher.on("error", () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => undefined;
  }
}
