import { join } from "node:path";
import { z } from "zod";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type { Directories } from "../../platform/directories.ts";
import { changeLockedJson, type LockedJson, readLockedJson } from "../../platform/locked-json.ts";
import { pluginsFolder } from "./plugin-folders.ts";

const originSchema = z.union([
  z.object({ kind: z.literal("folder"), path: z.string() }),
  z.object({
    kind: z.literal("git"),
    url: z.string(),
    ref: z.string().optional(),
    sha: z.string().optional(),
    path: z.string().optional(),
  }),
]);

const installedSchema = z.object({
  name: z.string(),
  marketplace: z.string(),
  /** Where an update looks. */
  origin: originSchema,
  /** The origin for people. */
  source: z.string(),
  /** The commit of the installed files; absent if they came from a folder. */
  commit: z.string().optional(),
  /** The hash of the installed files, which the person approved. */
  tree: z.string(),
  /**
   * The hash of the plugin's hooks and servers, and of the files that they name. Absent in records of older versions.
   */
  programs: z.string().optional(),
  /**
   * The hash of the hooks in the plugin's skills, and of the files that they name. If this hash is absent, the hooks do
   * not run.
   */
  skillHooks: z.string().optional(),
  /** The absolute folder of the installed files. */
  folder: z.string(),
  /** The marketplace's entry, which can name parts of the plugin. */
  entry: z.object({ fields: z.record(z.string(), z.unknown()), isWhole: z.boolean() }).optional(),
});
const marketplaceSchema = z.object({
  name: z.string(),
  origin: originSchema,
  commit: z.string().optional(),
  /** Its files; absolute. */
  folder: z.string(),
});
const storeSchema = z.object({
  version: z.literal(1),
  plugins: z.array(installedSchema),
  marketplaces: z.array(marketplaceSchema),
});

export type InstalledPlugin = z.infer<typeof installedSchema>;
export type KnownMarketplace = z.infer<typeof marketplaceSchema>;
export type PluginStore = z.infer<typeof storeSchema>;

export function idOf({ name, marketplace }: Pick<InstalledPlugin, "name" | "marketplace">): string {
  return `${name}@${marketplace}`;
}

/** The installed plugins and the known marketplaces. @throws {UserFacingError} the file of this list can't be read. */
export async function readPluginStore(own: Pick<Directories, "data">): Promise<PluginStore> {
  try {
    return await readLockedJson(storeFile(own));
  } catch (error) {
    throw new UserFacingError(`${errorMessage(error)}: plugins can't be used. Fix or delete the file.`, 1, {
      cause: error,
    });
  }
}

/** Changes the list under a lock. @throws {UserFacingError} the file can't be read or written. */
export async function changePluginStore(
  own: Pick<Directories, "data">,
  edit: (store: PluginStore) => PluginStore,
): Promise<void> {
  try {
    await changeLockedJson(storeFile(own), edit);
  } catch (error) {
    throw new UserFacingError(`${errorMessage(error)}: nothing was changed.`, 1, { cause: error });
  }
}

function storeFile(own: Pick<Directories, "data">): LockedJson<PluginStore> {
  return {
    file: join(pluginsFolder(own), "plugins.json"),
    read: (json) => storeSchema.safeParse(json).data,
    empty: { version: 1, plugins: [], marketplaces: [] },
    what: "a list of plugins",
  };
}
