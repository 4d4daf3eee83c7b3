import { UserFacingError } from "../../contracts/errors.ts";
import type { ListedMarketplace, PluginShop, PluginsView } from "../../contracts/plugin.ts";
import { type PluginOrigin, typedOrigin } from "../../services/plugins/plugin-origin.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import { fetchPlugin } from "./fetch-plugin.ts";
import { keepPlugin } from "./install-plugin.ts";
import { addMarketplace, findWanted, knownMarketplace, listedMarketplaces } from "./marketplaces.ts";
import { pluginEffects } from "./plugin-effects.ts";
import { installLines } from "./plugin-lines.ts";
import { idOf, readPluginStore } from "./plugin-store.ts";

type Parts = {
  readonly environment: Pick<ProjectEnvironment, "own" | "env">;
  readonly cwd: string;
  /** Enables a plugin and reads the plugins of the session again. */
  readonly setEnabled: PluginsView["setEnabled"];
};

/** Marketplaces and the installation of plugins, with the consent of `quoll plugin install`. */
export function pluginShop({ environment, cwd, setEnabled }: Parts): PluginShop {
  const add = async (origin: PluginOrigin, signal: AbortSignal): Promise<ListedMarketplace> => {
    const { name } = (await addMarketplace(origin, environment, signal)).marketplace;
    const found = (await listedMarketplaces(environment.own)).find((one) => one.name === name);
    if (!found) throw new UserFacingError(`The marketplace ${name} was removed meanwhile.`);
    return found;
  };
  /** The hashes of the files that the person was shown: nothing else can be agreed to. */
  const shown = new Set<string>();
  return {
    marketplaces: () => listedMarketplaces(environment.own),
    add: (source, signal) => add(typedOrigin(source, { cwd, home: environment.own.home }), signal),
    update: async (name, signal) => add((await knownMarketplace(name, environment)).origin, signal),
    async offer(typed, signal) {
      const wanted = await findWanted(typed, environment, cwd);
      await using fetched = await fetchPlugin(wanted, environment, signal);
      const { plugin, tree } = fetched;
      const { plugins } = await readPluginStore(environment.own);
      shown.add(tree);
      return {
        id: plugin.id,
        tree,
        isInstalled: plugins.some((one) => idOf(one) === plugin.id),
        lines: installLines(fetched, await pluginEffects(plugin), wanted),
      };
    },
    async install(typed, tree, signal) {
      const wanted = await findWanted(typed, environment, cwd);
      await using fetched = await fetchPlugin(wanted, environment, signal);
      const { id } = fetched.plugin;
      if (fetched.tree !== tree || !shown.has(tree))
        throw new UserFacingError(
          `The files of ${id} are not those that you were shown, so nothing was installed: /plugins install ${typed} shows them.`,
        );
      const problems = await keepPlugin(fetched, wanted, environment);
      return [`Installed ${id}.`, ...problems, ...(await setEnabled(id, true, signal))];
    },
  };
}
