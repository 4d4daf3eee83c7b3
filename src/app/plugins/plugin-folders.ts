import { join } from "node:path";
import type { Directories } from "../../platform/directories.ts";

/** The folder of installed plugins and known marketplaces; it does not exist before the first of them. */
export function pluginsFolder({ data }: Pick<Directories, "data">): string {
  return join(data, "plugins");
}

/** The folder in which each plugin has a folder for its own data. */
export function dataFolder({ data }: Pick<Directories, "data">): string {
  return join(data, "plugin-data");
}
