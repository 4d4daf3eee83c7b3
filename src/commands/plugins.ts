import { formatCount } from "@quoll/terminal-text/format-amount";
import type { Command } from "../contracts/command.ts";
import type { CommandResult } from "../contracts/command-result.ts";
import { didYouMean } from "../contracts/did-you-mean.ts";
import { UserFacingError } from "../contracts/errors.ts";
import type { ListedPlugin, PluginsView } from "../contracts/plugin.ts";
import { SHOP_VERBS } from "./shop-verbs.ts";

const NONE =
  "No plugin is installed. Run `quoll plugin install` in a shell; `--plugin-dir` tries a plugin for one session.";

/** Lists the plugins, shows one of them, and switches installed ones on and off. */
export const pluginsCommand: Command = {
  name: "plugins",
  aliases: ["plugin"],
  summary: "List, install and switch plugins, with what each costs (also /plugin)",
  argumentHint: "[plugin | enable plugin | disable plugin | reload | browse marketplace | install plugin]",
  async run(argument, { plugins }, signal) {
    if (!plugins) throw new UserFacingError("This session has no plugins.");
    if (argument === "reload") return { kind: "text", lines: (await plugins.reload(signal)).lines };
    const all = await plugins.list();
    const [word = "", name] = argument.split(/\s+/);
    const verb = SHOP_VERBS.find((one) => one === word);
    if (verb) {
      const { runPluginShop } = await import("./plugin-shop.ts");
      return runPluginShop({ verb, argument: argument.slice(word.length).trim(), shop: plugins.shop, installed: all });
    }
    if (name !== undefined && (word === "enable" || word === "disable"))
      return choose({ name, isEnabled: word === "enable" }, all, plugins, signal);
    if (word !== "") return view(word, all);
    return overview(all, plugins);
  },
};

async function overview(all: readonly ListedPlugin[], { shop }: PluginsView): Promise<CommandResult> {
  if (all.length === 0 && !shop) return { kind: "text", lines: [NONE] };
  const own = all.map(({ id, isInUse, state, tokens }) => ({
    label: id,
    detail: [state, ...(isInUse ? [`${formatCount(tokens)} tokens a request`] : [])].join(" · "),
    input: `/plugins ${id}`,
    also: { e: `/plugins ${isInUse ? "disable" : "enable"} ${id}` },
  }));
  const markets = shop ? await (await import("./plugin-shop.ts")).marketplaceChoices(shop) : [];
  const choices = [...own, ...markets];
  const lines = choices.map(({ label, detail }) => `${label}  ${detail}`);
  return {
    kind: "choose",
    title: "Plugins",
    choices,
    ...(own.length > 0 && { shortcuts: [{ letter: "e", label: "on or off" }] }),
    lines: [...lines, "/plugins <name> shows a plugin."],
  };
}

async function choose(
  { name, isEnabled }: { readonly name: string; readonly isEnabled: boolean },
  all: readonly ListedPlugin[],
  { setEnabled }: PluginsView,
  signal: AbortSignal,
): Promise<CommandResult> {
  const plugin = found(name, all);
  if (!plugin) throw missing(name, all);
  return { kind: "text", lines: await setEnabled(plugin.id, isEnabled, signal) };
}

function view(name: string, all: readonly ListedPlugin[]): CommandResult {
  const plugin = found(name, all);
  if (!plugin) throw missing(name, all);
  const { id, version, description, state, adds, mayDo, remarks, tokens, isInUse, folder } = plugin;
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", title, ...lines.map((line) => `  ${line}`)];
  const lines = [
    ...(description === undefined ? [] : [description]),
    `State: ${state}`,
    `Folder: ${folder}`,
    ...(isInUse ? [`Takes about ${formatCount(tokens)} tokens of each request`] : []),
    ...section("Adds", adds),
    ...section("May do, without a question each time", mayDo),
    ...section("Remarks", remarks),
    "",
    `\`/plugins ${isInUse ? "disable" : "enable"} ${id}\` switches it ${isInUse ? "off" : "on"}.`,
  ];
  return { kind: "view", title: `Plugin ${id}${version === undefined ? "" : ` ${version}`}`, lines };
}

function found(name: string, all: readonly ListedPlugin[]): ListedPlugin | undefined {
  return all.find(({ id }) => id === name) ?? all.find((one) => one.name === name);
}

function missing(name: string, all: readonly ListedPlugin[]): UserFacingError {
  const hint = didYouMean(
    name,
    all.map(({ id }) => id),
    "/plugins lists them.",
  );
  return new UserFacingError(`There is no plugin "${name}". ${hint}`);
}
