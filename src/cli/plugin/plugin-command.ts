import { createInterface } from "node:readline/promises";
import { plural } from "@quoll/terminal-text/plural";
import { fetchPlugin } from "../../app/plugins/fetch-plugin.ts";
import {
  dropPlugin,
  fetchAgain,
  findInstalled,
  installedPlugin,
  keepPlugin,
} from "../../app/plugins/install-plugin.ts";
import { addMarketplace, findWanted, knownMarketplace, removeMarketplace } from "../../app/plugins/marketplaces.ts";
import { pluginEffects } from "../../app/plugins/plugin-effects.ts";
import { installLines, updateLines } from "../../app/plugins/plugin-lines.ts";
import { idOf, readPluginStore } from "../../app/plugins/plugin-store.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import { shortPath } from "../../platform/directories.ts";
import { printError, printProblem } from "../../platform/host.ts";
import { printLine } from "../../platform/standard-output.ts";
import { rememberSetting } from "../../services/config/remember-rules.ts";
import { typedOrigin } from "../../services/plugins/plugin-origin.ts";
import { abortAtSignal } from "../signals.ts";
import { listMarketplaces, listPlugins } from "./list-plugins.ts";
import { openPluginEnvironment, type PluginEnvironment } from "./plugin-environment.ts";

/** The options of all `quoll plugin` commands; each command declares its own. */
export type PluginOptions = {
  readonly cwd?: string;
  readonly yes?: true;
  readonly scope?: "user" | "local" | "project";
  readonly json?: true;
  readonly names?: true;
};
type Task = { readonly environment: PluginEnvironment; readonly options: PluginOptions; readonly signal: AbortSignal };
type Run = (argument: string, task: Task) => Promise<number>;

const COMMANDS = {
  install,
  remove,
  update,
  enable: (plugin, task) => choose(plugin, true, task),
  disable: (plugin, task) => choose(plugin, false, task),
  list: (_, { environment, options }) => listPlugins(environment, options),
  marketplaceAdd,
  marketplaceRemove,
  marketplaceUpdate,
  marketplaceList: (_, { environment, options }) => listMarketplaces(environment, options),
} as const satisfies Readonly<Record<string, Run>>;
export type PluginCommand = keyof typeof COMMANDS;

/**
 * `quoll plugin …`.
 * @param argument The command's argument; empty if absent.
 * @throws {UserFacingError} one line that gives the reason; nothing was changed.
 */
export async function runPluginCommand(command: PluginCommand, argument = "", options: PluginOptions): Promise<number> {
  using signals = abortAtSignal(new UserFacingError("Interrupted: nothing was changed."));
  try {
    const run: Run = COMMANDS[command];
    const code = await run(argument, {
      environment: await openPluginEnvironment(options),
      options,
      signal: signals.signal,
    });
    return signals.exitCode ?? code;
  } catch (error) {
    if (signals.exitCode === undefined) throw error;
    printError("quoll: interrupted; nothing was changed");
    return signals.exitCode;
  }
}

async function remove(plugin: string, { environment }: Task): Promise<number> {
  const installed = await findInstalled(plugin, environment.own);
  await dropPlugin(installed, environment);
  await rememberSetting(
    { file: environment.paths.user, what: "the choice" },
    ["enabledPlugins", idOf(installed)],
    undefined,
  );
  printLine(`Removed ${idOf(installed)}.`);
  return 0;
}

async function marketplaceAdd(source: string, { environment, signal }: Task): Promise<number> {
  const origin = typedOrigin(source, { cwd: environment.cwd, home: environment.own.home });
  const { marketplace, isNew } = await addMarketplace(origin, environment, signal);
  const { name, entries } = marketplace;
  printLine(`${isNew ? "Added" : "Updated"} the marketplace ${name} with ${plural(entries.length, "plugin")}.`);
  printLine(`quoll plugin marketplace list shows the plugins; quoll plugin install NAME@${name} installs a plugin.`);
  return 0;
}

async function marketplaceRemove(name: string, { environment }: Task): Promise<number> {
  await removeMarketplace(name, environment);
  printLine(`Removed the marketplace ${name}. Its installed plugins stay.`);
  return 0;
}

async function install(plugin: string, { environment, options, signal }: Task): Promise<number> {
  const wanted = await findWanted(plugin, environment, environment.cwd);
  await using fetched = await fetchPlugin(wanted, environment, signal);
  const { id } = fetched.plugin;
  const before = (await readPluginStore(environment.own)).plugins.find((one) => idOf(one) === id);
  for (const line of installLines(fetched, await pluginEffects(fetched.plugin), wanted)) printLine(line);
  if (!(await agrees(before ? `Install ${id} again?` : `Install ${id} and enable it?`, options, signal))) return 1;
  for (const line of await keepPlugin(fetched, wanted, environment)) printProblem(line);
  printLine(`Installed ${id}.`);
  return enable(id, true, { environment, options, signal });
}

/** @returns 1 if a plugin was not updated, because the person said no or because it can't be fetched. */
async function update(plugin: string, { environment, options, signal }: Task): Promise<number> {
  const { plugins } = await readPluginStore(environment.own);
  const all = plugin === "" ? plugins : [await findInstalled(plugin, environment.own)];
  if (all.length === 0) printLine("No plugin is installed.");
  let code = 0;
  for (const installed of all) {
    const id = idOf(installed);
    const { wanted, fetched } = await fetchAgain(installed, environment, signal);
    await using copy = fetched;
    if (copy.tree === installed.tree) {
      printLine(`${id} is up to date.`);
      continue;
    }
    const old = installedPlugin(installed, environment.own);
    const effects = { old: await pluginEffects(old), new: await pluginEffects(copy.plugin) };
    for (const line of updateLines({ installed, old, fetched: copy }, effects)) printLine(line);
    if (await agrees(`Update ${id}?`, options, signal)) {
      for (const line of await keepPlugin(copy, wanted, environment)) printProblem(line);
      printLine(`Updated ${id}. The update takes effect at the next start.`);
    } else code = 1;
  }
  return code;
}

async function marketplaceUpdate(name: string, { environment, signal }: Task): Promise<number> {
  const all =
    name === "" ? (await readPluginStore(environment.own)).marketplaces : [await knownMarketplace(name, environment)];
  if (all.length === 0) printLine("There is no marketplace: add one with quoll plugin marketplace add.");
  for (const known of all) {
    const { marketplace } = await addMarketplace(known.origin, environment, signal);
    printLine(`Updated the marketplace ${known.name} with ${plural(marketplace.entries.length, "plugin")}.`);
  }
  return 0;
}

async function choose(plugin: string, isEnabled: boolean, task: Task): Promise<number> {
  return enable(idOf(await findInstalled(plugin, task.environment.own)), isEnabled, task);
}

async function enable(
  id: string,
  isEnabled: boolean,
  { environment, options: { scope = "user" } }: Task,
): Promise<number> {
  const { paths, own } = environment;
  const file = { user: paths.user, local: paths.own, project: paths.project }[scope];
  await rememberSetting({ file, what: "the choice", isShared: scope === "project" }, ["enabledPlugins", id], isEnabled);
  const shown = scope === "project" ? ".quoll/settings.json" : shortPath(file, own.home);
  printLine(`${isEnabled ? "Enabled" : "Disabled"} ${id} in ${shown}.`);
  return 0;
}

/** @throws {UserFacingError} (exit 2) nobody can be asked. */
async function agrees(question: string, { yes }: { readonly yes?: true }, signal: AbortSignal): Promise<boolean> {
  if (yes) return true;
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new UserFacingError(
      "Nothing was installed, because nobody can be asked here: read the lines above and add --yes.",
      2,
    );
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(?:es)?$/i.test((await lines.question(`${question} [y/N] `, { signal })).trim());
  } finally {
    lines.close();
  }
}
