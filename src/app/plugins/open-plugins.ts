import { resolve } from "node:path";
import type { Approvable } from "../../contracts/approval.ts";
import { errorCode, errorMessage, UserFacingError } from "../../contracts/errors.ts";
import { INLINE_MARKETPLACE, type Plugin } from "../../contracts/plugin.ts";
import type { ProjectConfig } from "../../contracts/session-config.ts";
import type { PluginChoices } from "../../contracts/settings.ts";
import type { Directories } from "../../platform/directories.ts";
import { entryExists, realFolder } from "../../platform/paths.ts";
import { makePrivateFolder } from "../../platform/private-file.ts";
import { readPlugin } from "../../services/plugins/read-plugin.ts";
import { dataFolder, pluginApprovals, pluginsFolder } from "./plugin-folders.ts";

export type PluginEnvironment = {
  readonly own: Directories;
  /** Tells the person one line. */
  notify(line: string): void;
  /** Reports parts of a plugin that have no effect. */
  remark(line: string): void;
};

export type OpenedPlugins = {
  /** The plugins that the person chose. */
  readonly ofPerson: readonly Plugin[];
  /** Installed plugins that only the project enables: each needs an approval for this project. */
  readonly ofProject: readonly { readonly plugin: Plugin; readonly item: Approvable }[];
  /** Plugins that the project asks for but that are not installed. */
  readonly offered: readonly string[];
};

/**
 * The plugins of a session. This module is loaded only if there may be a plugin.
 * @throws {UserFacingError} (exit 2) a folder of `--plugin-dir` is not a plugin.
 */
export async function openPlugins(
  { pluginDirs = [], cwd }: ProjectConfig,
  choices: PluginChoices | undefined,
  environment: PluginEnvironment,
): Promise<OpenedPlugins> {
  const inline = pluginDirs.map((folder) => inlinePlugin(folder, cwd, environment));
  for (const plugin of inline) notifyOfProblems(plugin, environment);
  const installed = await openInstalled(choices, environment);
  return { ...installed, ofPerson: [...inline, ...installed.ofPerson] };
}

/** The enabled plugins of a session, each name once, and the folders for their data. */
export function readyPlugins(plugins: readonly Plugin[]): readonly Plugin[] {
  const byName = new Map<string, Plugin>();
  // Two plugins with the same name would have skills and servers with the same names: the first plugin is used.
  for (const plugin of plugins) if (!byName.has(plugin.name)) byName.set(plugin.name, plugin);
  const counting = [...byName.values()];
  for (const { hooks, servers, data } of counting)
    if (hooks.length + Object.keys(servers).length > 0) makePrivateFolder(data);
  return counting;
}

const NONE: OpenedPlugins = { ofPerson: [], ofProject: [], offered: [] };

async function openInstalled(
  choices: PluginChoices | undefined,
  environment: PluginEnvironment,
): Promise<OpenedPlugins> {
  if (!choices || choices.enabled.length + choices.ofProject.length === 0) return NONE;
  const { own, notify } = environment;
  if (!entryExists(pluginsFolder(own))) {
    for (const id of choices.enabled) notify(missingLine(id));
    return { ...NONE, offered: choices.ofProject };
  }
  const [{ idOf, readPluginStore }, { installedPlugin }, { pluginApprovable, pluginEffects }, { pluginPrograms }] =
    await Promise.all([
      import("./plugin-store.ts"),
      import("./install-plugin.ts"),
      import("./plugin-effects.ts"),
      import("./plugin-programs.ts"),
    ]);
  const { plugins } = await readPluginStore(own);
  const approvals = await pluginApprovals(own);
  const ofPerson: Plugin[] = [];
  const ofProject: { plugin: Plugin; item: Approvable }[] = [];
  const offered: string[] = [];
  for (const id of [...choices.enabled, ...choices.ofProject]) {
    const installed = plugins.find((one) => idOf(one) === id);
    const isOfProject = choices.ofProject.includes(id);
    if (!installed && isOfProject) offered.push(id);
    if (!installed && !isOfProject) notify(missingLine(id));
    if (!installed) continue;
    if (approvals.state(pluginApprovable(id, installed.tree)) !== "approved") {
      notify(
        `the plugin ${id} is left out, because you have not approved its files: quoll plugin install ${id} shows them`,
      );
      continue;
    }
    try {
      const plugin = installedPlugin(installed, own);
      if (installed.programs !== undefined && pluginPrograms(plugin) !== installed.programs) {
        notify(
          `the plugin ${id} is left out: files of its hooks or servers have changed since you approved them: quoll plugin install ${id} restores them`,
        );
        continue;
      }
      if (!isOfProject) ofPerson.push(plugin);
      else {
        const { adds, mayDo } = await pluginEffects(plugin);
        const lines = [`uses your plugin ${id} (${adds.join("; ")})`, ...mayDo];
        ofProject.push({ plugin, item: pluginApprovable(id, installed.tree, lines) });
      }
    } catch (error) {
      notify(`the plugin ${id} is left out: ${errorMessage(error)}`);
    }
  }
  return { ofPerson, ofProject, offered };
}

function missingLine(id: string): string {
  return `the plugin ${id} is enabled in your settings, but not installed: quoll plugin install ${id}`;
}

function notifyOfProblems({ name, problems, unsupported }: Plugin, { notify, remark }: PluginEnvironment): void {
  for (const problem of problems) notify(`the plugin ${name}: ${problem}`);
  if (unsupported.length > 0)
    remark(`the plugin ${name} has parts that Quoll does not support yet: ${unsupported.join(", ")}`);
}

function inlinePlugin(folder: string, cwd: string, { own }: PluginEnvironment): Plugin {
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
