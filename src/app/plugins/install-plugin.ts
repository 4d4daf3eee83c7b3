import { join } from "node:path";
import { nearestName } from "../../contracts/did-you-mean.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import type { Plugin } from "../../contracts/plugin.ts";
import type { Directories } from "../../platform/directories.ts";
import { removeTree, replaceTree } from "../../platform/files/remove-tree.ts";
import { realPathOrSelf } from "../../platform/paths.ts";
import { hashTree } from "../../services/plugins/io/copy-tree.ts";
import { FOLDER_MARKETPLACE, GIT_MARKETPLACE } from "../../services/plugins/marketplace.ts";
import { readPlugin } from "../../services/plugins/read-plugin.ts";
import { type FetchEnvironment, type FetchedPlugin, fetchPlugin } from "./fetch-plugin.ts";
import { addMarketplace, findWanted, knownMarketplace, type WantedPlugin } from "./marketplaces.ts";
import { pluginApprovable } from "./plugin-effects.ts";
import { dataFolder, pluginApprovals, pluginsFolder } from "./plugin-folders.ts";
import { pluginPrograms } from "./plugin-programs.ts";
import { pluginSkillHooks, pluginSkillItems } from "./plugin-skill-hooks.ts";
import { changePluginStore, type InstalledPlugin, idOf, readPluginStore } from "./plugin-store.ts";

const FOLDER_HASH_CHARS = 16;

/** Reads the files of an installed plugin. @throws {UserFacingError} the files are missing or malformed. */
export function installedPlugin({ folder, marketplace, entry }: InstalledPlugin, own: Directories): Plugin {
  const read = { root: realPathOrSelf(folder), marketplace, dataFolder: dataFolder(own) };
  return readPlugin({ ...read, ...(entry && { entry }) });
}

/** @throws {UserFacingError} if there is no such plugin. @param typed `name`, or `name@marketplace`. */
export async function findInstalled(typed: string, own: Directories): Promise<InstalledPlugin> {
  const { plugins } = await readPluginStore(own);
  const found = plugins.filter((one) => idOf(one) === typed || one.name === typed);
  const [first] = found;
  if (found.length > 1)
    throw new UserFacingError(`More than one plugin is named ${typed}: type ${found.map(idOf).join(" or ")}.`);
  if (first) return first;
  const nearest = nearestName(typed, plugins.map(idOf));
  const hint = nearest === undefined ? "quoll plugin list shows what is installed." : `did you mean ${nearest}?`;
  throw new UserFacingError(`The plugin ${typed} is not installed: ${hint}`);
}

/**
 * Fetches the newest files of an installed plugin, after its marketplace.
 * @throws {UserFacingError} they can't be fetched.
 */
export async function fetchAgain(
  installed: InstalledPlugin,
  environment: FetchEnvironment,
  signal: AbortSignal,
): Promise<{ readonly wanted: WantedPlugin; readonly fetched: FetchedPlugin }> {
  const { marketplace, origin, source } = installed;
  const isAlone = marketplace === FOLDER_MARKETPLACE || marketplace === GIT_MARKETPLACE;
  if (!isAlone) await addMarketplace((await knownMarketplace(marketplace, environment)).origin, environment, signal);
  const wanted = isAlone ? { marketplace, origin, source } : await findWanted(idOf(installed), environment, "/");
  return { wanted, fetched: await fetchPlugin(wanted, environment, signal) };
}

/** Installs files that the person approved, replacing earlier files. @throws {UserFacingError} they can't be stored. */
export async function keepPlugin(
  fetched: FetchedPlugin,
  wanted: WantedPlugin,
  { own }: FetchEnvironment,
): Promise<readonly string[]> {
  const { plugin, tree, commit } = fetched;
  const { marketplace, origin, source, entry } = wanted;
  const folder = join(pluginsFolder(own), "files", marketplace, plugin.name, tree.slice(0, FOLDER_HASH_CHARS));
  await replaceTree(fetched.folder, folder);
  // The name may come from the folder, which is now a different folder.
  const named = { fields: { ...entry?.fields, name: plugin.name }, isWhole: entry?.isWhole ?? false };
  const moved: InstalledPlugin = {
    name: plugin.name,
    marketplace,
    origin,
    source,
    tree,
    folder,
    entry: named,
    ...(commit !== undefined && { commit }),
  };
  const installed = installedPlugin(moved, own);
  const hashes = { programs: pluginPrograms(installed), skillHooks: await pluginSkillHooks(installed) };
  const kept = { ...moved, ...hashes };
  let old: InstalledPlugin | undefined;
  await changePluginStore(own, (store) => {
    old = store.plugins.find((one) => idOf(one) === idOf(kept));
    return { ...store, plugins: [...store.plugins.filter((one) => one !== old), kept] };
  });
  if (old && old.folder !== folder) await removeTree(old.folder);
  const items = [pluginApprovable(plugin.id, tree), ...(await pluginSkillItems(installed))];
  const problem = await (await pluginApprovals(own)).approve(items, "always");
  return problem === undefined ? [] : [problem];
}

/**
 * Compares all files of an installed plugin with those that the person approved: its extensions can load any of them.
 * @returns one line if the files differ.
 */
export async function changedPluginLine({ id, root }: Plugin, own: Directories): Promise<string | undefined> {
  const { plugins } = await readPluginStore(own);
  const approved = plugins.find((one) => idOf(one) === id)?.tree;
  // A tree that can't be read or hashed counts as changed.
  const now = await hashTree(root).catch(() => "");
  if (now === approved) return undefined;
  return `the extensions of the plugin ${id} are left out, because its files have changed since you approved them: quoll plugin install ${id} restores them`;
}

/** Removes the files of a plugin; its data stays. */
export async function dropPlugin(installed: InstalledPlugin, { own }: FetchEnvironment): Promise<void> {
  await changePluginStore(own, (store) => ({
    ...store,
    plugins: store.plugins.filter((one) => idOf(one) !== idOf(installed)),
  }));
  await removeTree(installed.folder);
}
