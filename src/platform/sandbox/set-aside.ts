import { randomBytes } from "node:crypto";
import { lstatSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode, errorMessage } from "../../contracts/errors.ts";
import { HeldFolder } from "../files/held-folder.ts";
import { isInside } from "../paths.ts";

export type SetAside =
  | { readonly outcome: "moved"; readonly from: string; readonly to: string }
  /** Nothing is there any more. */
  | { readonly outcome: "gone" }
  | { readonly outcome: "left"; readonly why: string };

/**
 * Renames an entry to a new name beside it, through a descriptor of the folder that it lies in: whoever made it may exchange a
 * folder above it at any time. Where a link leads to it, that link is renamed. Nothing is deleted or overwritten. Never throws.
 * @param root Not touched itself, nor anything outside of it.
 */
export function setAside(path: string, root: string): SetAside {
  for (let at = path; at !== root && isInside(root, at); at = dirname(at)) {
    let held: HeldFolder;
    try {
      held = HeldFolder.hold(dirname(at));
    } catch (error) {
      if (errorCode(error) === "ENOENT") return { outcome: "gone" };
      continue; // A link on the way, or no folder: the entry above is the one to rename.
    }
    try {
      return rename(held, at);
    } catch (error) {
      return { outcome: "left", why: errorMessage(error) };
    } finally {
      held.close();
    }
  }
  return { outcome: "left", why: "the way to it leads elsewhere" };
}

function rename(held: HeldFolder, from: string): SetAside {
  const name = basename(from);
  if (!lstatSync(held.entry(name), { throwIfNoEntry: false })) return { outcome: "gone" };
  // Nobody can have guessed the name, so nothing can be in the way.
  const aside = `${name}.set-aside-${randomBytes(4).toString("hex")}`;
  renameSync(held.entry(name), held.entry(aside));
  return { outcome: "moved", from, to: join(dirname(from), aside) };
}
