import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { inSlices } from "./in-slices.ts";

const BLOCK_BYTES = 512;

/** The bytes that folders take on the disk. Missing folders and files that go meanwhile count as nothing. */
export async function diskUsage(folders: readonly string[], signal: AbortSignal): Promise<number> {
  let bytes = 0;
  const waiting = [...folders];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const at = folder;
    await inSlices(namesOf(at), signal, (name) => {
      const path = join(at, name);
      const stats = statsOf(path);
      if (stats?.isDirectory()) waiting.push(path);
      bytes += (stats?.blocks ?? 0) * BLOCK_BYTES;
    });
  }
  return bytes;
}

function namesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function statsOf(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
