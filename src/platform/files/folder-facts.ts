import { lstat, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hasRights } from "./kind-at.ts";

/** The maximum number of entries to count. */
const MAX_ENTRIES = 20_000;

export type FolderFacts = {
  readonly kind: "folder" | "missing" | "other";
  /** True if files can be created in the folder or, if it is missing, if the folder can be created. */
  readonly isWritable: boolean;
  readonly bytes: number;
  /** True if there are more entries than were counted. */
  readonly isPart: boolean;
};

/** The kind and size of the entry at a path where a folder belongs. Links are not followed. */
export async function folderFacts(path: string): Promise<FolderFacts> {
  const stats = await stat(path).catch(() => undefined);
  if (stats && !stats.isDirectory()) return { kind: "other", isWritable: false, bytes: 0, isPart: false };
  if (!stats) return { kind: "missing", isWritable: await canMake(dirname(path)), bytes: 0, isPart: false };
  return { kind: "folder", isWritable: hasRights(path, "wx"), ...(await sizeOf(path)) };
}

async function canMake(folder: string): Promise<boolean> {
  const stats = await stat(folder).catch(() => undefined);
  if (stats) return stats.isDirectory() && hasRights(folder, "wx");
  return folder !== dirname(folder) && canMake(dirname(folder));
}

async function sizeOf(root: string): Promise<{ readonly bytes: number; readonly isPart: boolean }> {
  let bytes = 0;
  let count = 0;
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      count += 1;
      if (count > MAX_ENTRIES) return { bytes, isPart: true };
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else bytes += (await lstat(path).catch(() => undefined))?.size ?? 0;
    }
  }
  return { bytes, isPart: false };
}
