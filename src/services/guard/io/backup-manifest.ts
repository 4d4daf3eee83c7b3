import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { errorCode } from "../../../contracts/errors.ts";
import { orUndefined } from "../../../contracts/or-undefined.ts";
import { timeOfBackup } from "./backup-folder.ts";

export const MANIFEST = "manifest.json";

const absolute = z.string().startsWith("/");
const manifest = z.object({
  before: z.string(),
  /** `copy`: relative to the folder of the backup. */
  files: z.array(z.object({ path: absolute, copy: z.string() })),
  rights: z.array(z.object({ path: absolute })).default([]),
});

export type Manifest = z.infer<typeof manifest>;

/** The manifest of a backup folder; undefined if there is none that can be read. */
export function readManifest(folder: string): Manifest | undefined {
  return orUndefined(() => manifest.safeParse(JSON.parse(readFileSync(join(folder, MANIFEST), "utf8"))).data);
}

/** The finished backup folders of a project, with their ids. @param root The folder of the project's backups: absolute. */
export function backupFolders(root: string): readonly { readonly id: string; readonly folder: string }[] {
  try {
    const ids = readdirSync(root).filter((name) => timeOfBackup(name) !== undefined);
    return ids.map((id) => ({ id, folder: join(root, id) }));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}
