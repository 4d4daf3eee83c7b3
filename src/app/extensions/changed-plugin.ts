import type { Plugin } from "../../contracts/plugin.ts";
import type { Directories } from "../../platform/directories.ts";
import { hashTree } from "../../services/plugins/io/copy-tree.ts";
import { isInstalled } from "../plugins/plugin-folders.ts";
import { idOf, readPluginStore } from "../plugins/plugin-store.ts";

/**
 * Compares all files of an installed plugin with those that the person approved: its extensions can load any of them.
 * @returns one line if the files differ; undefined for equal files, and for a folder of `--plugin-dir`, which is always
 * accepted.
 */
export async function changedPluginLine({ id, root }: Plugin, own: Directories): Promise<string | undefined> {
  if (!isInstalled({ root }, own)) return undefined;
  const { plugins } = await readPluginStore(own);
  const approved = plugins.find((one) => idOf(one) === id)?.tree;
  // A tree that can't be read or hashed counts as changed.
  const now = await hashTree(root).catch(() => "");
  if (now === approved) return undefined;
  return `the extensions of the plugin ${id} are left out, because its files have changed since you approved them: quoll plugin install ${id} restores them`;
}
