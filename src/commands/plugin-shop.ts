import { oneLine } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import type { Choice, ChooseResult, CommandResult, FormResult, OperationResult } from "../contracts/command-result.ts";
import { UserFacingError } from "../contracts/errors.ts";
import type { ListedMarketplace, ListedPlugin, OfferedPlugin, PluginShop } from "../contracts/plugin.ts";
import type { SHOP_VERBS } from "./shop-verbs.ts";
import { yesNo } from "./yes-no.ts";

const MAX_COLUMNS = 200;
const SOURCE = "source";
/** The hash of the files that the person agreed to, behind the plugin's name. */
const AGREED = /^(\S.*?)(?:\s+--agreed\s+([0-9a-f]{64}))?$/;
const NO_SHOP =
  "Plugins are installed by a person: `quoll plugin install` in a shell shows what a plugin may do, and asks.";

/** The rows about marketplaces, below the installed plugins. */
export async function marketplaceChoices(shop: PluginShop): Promise<readonly Choice[]> {
  const all = await shop.marketplaces();
  const rows = all.map((one) => ({
    label: `marketplace ${one.name}`,
    detail: `${one.problem ?? plural(one.plugins.length, "plugin")} · ${oneLine(one.origin, MAX_COLUMNS)}`,
    input: `/plugins browse ${one.name}`,
  }));
  return [
    ...rows,
    { label: "add a marketplace …", detail: "a list of plugins; nothing is installed", input: "/plugins add" },
  ];
}

type Asked = {
  readonly verb: (typeof SHOP_VERBS)[number];
  readonly argument: string;
  readonly shop: PluginShop | undefined;
  readonly installed: readonly ListedPlugin[];
};

/** Shows marketplaces and their plugins, and installs a plugin after the person's yes to exactly its files. */
export async function runPluginShop({ verb, argument, shop, installed }: Asked): Promise<CommandResult> {
  if (!shop) throw new UserFacingError(NO_SHOP);
  if (verb === "add")
    return argument === "" ? sourceForm(shop) : fetching(argument, (signal) => shop.add(argument, signal), installed);
  const [, wanted = "", tree] = AGREED.exec(argument) ?? [];
  if (wanted === "")
    throw new UserFacingError(`Name it: /plugins ${verb} ${verb === "install" ? "NAME@MARKETPLACE" : "MARKETPLACE"}.`);
  if (verb === "update") return fetching(wanted, (signal) => shop.update(wanted, signal), installed);
  if (verb === "install") return tree === undefined ? offering(shop, wanted) : installing(shop, wanted, tree);
  const found = (await shop.marketplaces()).find(({ name }) => name === wanted);
  if (!found) throw new UserFacingError(`There is no marketplace ${wanted}: /plugins lists them.`);
  return listOf(found, installed);
}

function listOf(
  market: ListedMarketplace,
  installed: readonly ListedPlugin[],
  before: readonly string[] = [],
): ChooseResult {
  const { name, origin, plugins, problem } = market;
  const choices = plugins.map((plugin) => offeredChoice(plugin, name, installed));
  const told = [...before, ...(problem === undefined ? [] : [`The list can't be read: ${problem}`])];
  return {
    kind: "choose",
    title: `Marketplace ${name}, from ${oneLine(origin, MAX_COLUMNS)}`,
    choices,
    shortcuts: [{ letter: "u", label: "fetch again", input: `/plugins update ${name}` }],
    back: "/plugins",
    ...(told.length > 0 && { before: told }),
    lines: [
      ...choices.map(({ label, detail }) => `${label}  ${detail}`),
      `/plugins install NAME@${name} shows what a plugin may do, and asks.`,
    ],
  };
}

function offeredChoice(
  { name, description = "", version, problem }: OfferedPlugin,
  marketplace: string,
  installed: readonly ListedPlugin[],
): Choice {
  const id = `${name}@${marketplace}`;
  const own = installed.find((one) => one.id === id);
  const state = problem === undefined ? own && `installed, ${own.state}` : `can't be installed: ${problem}`;
  const about = oneLine(description, MAX_COLUMNS);
  return {
    label: version === undefined ? name : `${name} ${version}`,
    detail: [state, about].filter(Boolean).join(" · "),
    input: own ? `/plugins ${id}` : `/plugins install ${id}`,
    ...(about !== "" && { about: [about] }),
  };
}

function sourceForm(shop: PluginShop): FormResult {
  return {
    kind: "form",
    title: "Add a marketplace",
    fields: [{ name: SOURCE, label: "a folder (./name), owner/repo, or a git address" }],
    lines: ["/plugins add SOURCE adds a list of plugins; nothing is installed."],
    back: "/plugins",
    submit: async ({ [SOURCE]: source = "" }) =>
      fetching(source.trim(), (signal) => shop.add(source.trim(), signal), []),
  };
}

function fetching(
  source: string,
  fetch: (signal: AbortSignal) => Promise<ListedMarketplace>,
  installed: readonly ListedPlugin[],
): OperationResult {
  return {
    kind: "operation",
    title: `Fetching ${oneLine(source, MAX_COLUMNS)}`,
    async run(_report, signal) {
      const market = await fetch(signal);
      return listOf(market, installed, [
        `The marketplace ${market.name} has ${plural(market.plugins.length, "plugin")}.`,
      ]);
    },
  };
}

/** Nothing is installed: the yes names the hash of the files that were described. */
function offering(shop: PluginShop, wanted: string): OperationResult {
  return {
    kind: "operation",
    title: `Fetching ${oneLine(wanted, MAX_COLUMNS)}`,
    async run(_report, signal) {
      const { id, tree, isInstalled, lines } = await shop.offer(wanted, signal);
      const yes = `/plugins install ${wanted} --agreed ${tree}`;
      return yesNo({
        title: isInstalled ? `Install ${id} again?` : `Install ${id} and enable it?`,
        yes: { label: "Yes, install it", detail: "these files, in your own settings", input: yes },
        before: lines,
        lines: [`To install it: ${yes}`],
      });
    },
  };
}

function installing(shop: PluginShop, wanted: string, tree: string): OperationResult {
  return {
    kind: "operation",
    title: `Installing ${oneLine(wanted, MAX_COLUMNS)}`,
    // The hash is for the yes, not for reading.
    typed: `/plugins install ${wanted}`,
    run: async (_report, signal) => ({ kind: "text", lines: await shop.install(wanted, tree, signal) }),
  };
}
