import { rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { makePrivateFolder } from "../private-file.ts";

/** Deletes a folder with everything in it; a missing one is fine. Deletes links, and does not follow them. */
export async function removeTree(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** Replaces a folder with another folder on the same disk. */
export async function replaceTree(from: string, to: string): Promise<void> {
  makePrivateFolder(dirname(to));
  await removeTree(to);
  await rename(from, to);
}
