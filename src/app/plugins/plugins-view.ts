import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import {
  INLINE_MARKETPLACE,
  type ListedPlugin,
  type Plugin,
  type PluginReload,
  type PluginsView,
} from "../../contracts/plugin.ts";
import { shortPath } from "../../platform/directories.ts";
import { rememberSetting } from "../../services/config/remember-rules.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import { installedPlugin } from "./install-plugin.ts";
import { pluginEffects } from "./plugin-effects.ts";
import { type InstalledPlugin, idOf, readPluginStore } from "./plugin-store.ts";

type Parts = {
  readonly environment: Pick<ProjectEnvironment, "own" | "plugins" | "live" | "userSettingsFile">;
  reload(signal: AbortSignal): Promise<PluginReload>;
  /** Tokens that the tools of a plugin's servers take in each request. */
  toolTokens(plugin: Plugin): number;
};

/** The plugins of a session and the other installed ones, for `/plugins`. */
export function pluginsView(parts: Parts): PluginsView {
  const { own, live, userSettingsFile } = parts.environment;
  return {
    async list() {
      const store = await readPluginStore(own);
      const ids = store.plugins.map(idOf);
      const others = parts.environment.plugins.filter(({ id }) => !ids.includes(id));
      return Promise.all([
        ...others.map((plugin) => listed(plugin, parts)),
        ...store.plugins.map((installed) => listedInstalled(installed, parts)),
      ]);
    },
    reload: (signal) => parts.reload(signal),
    async setEnabled(id, isEnabled, signal) {
      if (id.endsWith(`@${INLINE_MARKETPLACE}`))
        throw new UserFacingError(`${id} comes from --plugin-dir: start quoll without the option to leave it out.`);
      await rememberSetting({ file: userSettingsFile, what: "the choice" }, ["enabledPlugins", id], isEnabled);
      await live.written();
      const { lines } = await parts.reload(signal);
      return [`${id} is ${isEnabled ? "enabled" : "disabled"} in your own settings.`, ...lines];
    },
  };
}

async function listedInstalled(installed: InstalledPlugin, parts: Parts): Promise<ListedPlugin> {
  const { own, plugins } = parts.environment;
  const id = idOf(installed);
  const inUse = plugins.find((plugin) => plugin.id === id);
  try {
    return await listed(inUse ?? installedPlugin(installed, own), parts);
  } catch (error) {
    const { name, folder } = installed;
    const nothing = { adds: [], mayDo: [], tokens: 0, isInUse: false };
    return { id, name, folder, ...nothing, state: "can't be read", remarks: [errorMessage(error)] };
  }
}

async function listed(plugin: Plugin, { environment, toolTokens }: Parts): Promise<ListedPlugin> {
  const { id, name, version, description, root } = plugin;
  const { adds, mayDo, remarks, listTokens } = await pluginEffects(plugin);
  const isInUse = environment.plugins.some((one) => one.id === id);
  return {
    id,
    name,
    adds,
    mayDo,
    remarks,
    isInUse,
    ...(version !== undefined && { version }),
    ...(description !== undefined && { description }),
    folder: shortPath(root, environment.own.home),
    state: isInUse ? "in use" : "not in use",
    tokens: isInUse ? listTokens + toolTokens(plugin) : 0,
  };
}
