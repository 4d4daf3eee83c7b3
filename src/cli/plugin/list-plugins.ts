import { installedPlugin } from "../../app/plugins/install-plugin.ts";
import { listedMarketplaces } from "../../app/plugins/marketplaces.ts";
import { pluginEffects } from "../../app/plugins/plugin-effects.ts";
import { effectLines } from "../../app/plugins/plugin-lines.ts";
import { type InstalledPlugin, idOf, readPluginStore } from "../../app/plugins/plugin-store.ts";
import { errorMessage } from "../../contracts/errors.ts";
import { printLine } from "../../platform/standard-output.ts";
import { hashTree } from "../../services/plugins/io/copy-tree.ts";
import type { PluginEnvironment } from "./plugin-environment.ts";

/** A shell expands the names that it completes, so other names are left out. */
const COMPLETED_NAME = /^[\w.-]+@[\w.-]+$/;

type Form = { readonly json?: true; readonly names?: true };

/** `quoll plugin list`. */
export async function listPlugins(environment: PluginEnvironment, { json, names }: Form): Promise<number> {
  const { plugins } = await readPluginStore(environment.own);
  if (names) return printNames(plugins.map(idOf));
  const all = await Promise.all(plugins.map((installed) => describe(installed, environment)));
  if (json) printLine(JSON.stringify(all, null, 2));
  else if (all.length === 0) printLine("No plugin is installed: quoll plugin install NAME installs one.");
  else
    for (const { id, version, state, origin, effects, problem } of all) {
      printLine(`${id}${version === undefined ? "" : ` ${version}`}  ${state}  from ${origin}`);
      const lines = effects ? effectLines(effects) : [];
      for (const line of [...(problem === undefined ? [] : [problem]), ...lines]) printLine(`  ${line}`);
    }
  return 0;
}

async function describe(installed: InstalledPlugin, { own, plugins }: PluginEnvironment) {
  const id = idOf(installed);
  const state = plugins?.enabled.includes(id)
    ? "enabled"
    : plugins?.ofProject.includes(id)
      ? "for this project"
      : "disabled";
  const about = { id, state, origin: installed.source, commit: installed.commit, folder: installed.folder };
  try {
    const plugin = installedPlugin(installed, own);
    const isSame = (await hashTree(plugin.root)) === installed.tree;
    const problem = isSame
      ? undefined
      : `Its files have changed since you approved them: quoll plugin install ${id} restores them.`;
    return { ...about, version: plugin.version, effects: await pluginEffects(plugin), problem };
  } catch (error) {
    return { ...about, version: undefined, effects: undefined, problem: errorMessage(error) };
  }
}

/** `quoll plugin marketplace list`. */
export async function listMarketplaces({ own }: PluginEnvironment, { json, names }: Form): Promise<number> {
  const all = await listedMarketplaces(own);
  if (names)
    return printNames(
      all.flatMap(({ name: marketplace, plugins }) => plugins.map(({ name }) => idOf({ name, marketplace }))),
    );
  if (json) printLine(JSON.stringify(all, null, 2));
  else if (all.length === 0) printLine("There is no marketplace: add one with quoll plugin marketplace add.");
  else
    for (const { name, origin, plugins, ...rest } of all) {
      printLine(`${name}  from ${origin}${"problem" in rest ? `  ${rest.problem}` : ""}`);
      for (const one of plugins)
        printLine(
          `  ${one.name}  ${"problem" in one ? `can't be installed: ${one.problem}` : (one.description ?? "")}`,
        );
    }
  return 0;
}

function printNames(ids: readonly string[]): number {
  for (const id of ids.filter((one) => COMPLETED_NAME.test(one)).sort()) printLine(id);
  return 0;
}
