import { resolve } from "node:path";
import { errorCode, errorMessage, UserFacingError } from "../../contracts/errors.ts";
import { INLINE_MARKETPLACE, type Plugin } from "../../contracts/plugin.ts";
import type { ProjectConfig } from "../../contracts/session-config.ts";
import type { Directories } from "../../platform/directories.ts";
import { realFolder } from "../../platform/paths.ts";
import { makePrivateFolder } from "../../platform/private-file.ts";
import { readPlugin } from "../../services/plugins/read-plugin.ts";
import { dataFolder } from "./plugin-folders.ts";

export type PluginPlace = {
  readonly own: Directories;
  /** Tells the person one line. */
  warn(line: string): void;
};

/**
 * The plugins of a session. This module is loaded only if there may be one.
 * @throws {UserFacingError} (exit 2) a folder of `--plugin-dir` is no plugin.
 */
export function openPlugins({ pluginDirs = [], cwd }: ProjectConfig, place: PluginPlace): readonly Plugin[] {
  const plugins = withoutDoubles(pluginDirs.map((folder) => inlinePlugin(folder, cwd, place)));
  for (const plugin of plugins) {
    for (const problem of plugin.problems) place.warn(`the plugin ${plugin.name}: ${problem}`);
    if (plugin.unsupported.length > 0)
      place.warn(
        `the plugin ${plugin.name} has parts that Quoll does not support yet: ${plugin.unsupported.join(", ")}`,
      );
    // Only programs of a plugin use the folder.
    if (plugin.hooks.length + Object.keys(plugin.servers).length > 0) makePrivateFolder(plugin.data);
  }
  return plugins;
}

function inlinePlugin(folder: string, cwd: string, { own }: PluginPlace): Plugin {
  const fail = (why: string, cause: unknown): never => {
    throw new UserFacingError(`--plugin-dir: ${JSON.stringify(folder)} ${why}.`, 2, { cause });
  };
  let root: string;
  try {
    root = realFolder(resolve(cwd, folder));
  } catch (error) {
    return fail(errorCode(error) === "ENOENT" ? "does not exist" : "is not a folder that can be read", error);
  }
  try {
    return readPlugin({ root, marketplace: INLINE_MARKETPLACE, dataFolder: dataFolder(own) });
  } catch (error) {
    throw new UserFacingError(`--plugin-dir: ${errorMessage(error)}`, 2, { cause: error });
  }
}

/** Of two plugins with one name the first counts, because their skills and servers would have the same names. */
function withoutDoubles(plugins: readonly Plugin[]): readonly Plugin[] {
  const seen = new Map<string, Plugin>();
  for (const plugin of plugins) if (!seen.has(plugin.name)) seen.set(plugin.name, plugin);
  return [...seen.values()];
}
