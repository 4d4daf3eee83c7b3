import { Command, Option } from "commander";

const SCOPES = ["user", "local", "project"] as const;
export type PluginScope = (typeof SCOPES)[number];

type PlaceOptions = { readonly cwd?: string };
type ChangeOptions = PlaceOptions & { readonly yes?: true };
type ListOptions = PlaceOptions & { readonly json?: true; readonly names?: true };
type ScopeOptions = PlaceOptions & { readonly scope: PluginScope };

/** A `quoll plugin` command. */
export type PluginAction =
  | { readonly what: "install"; readonly plugin: string; readonly options: ChangeOptions & ScopeOptions }
  | { readonly what: "remove"; readonly plugin: string; readonly options: PlaceOptions }
  | { readonly what: "list"; readonly options: ListOptions }
  | { readonly what: "enable" | "disable"; readonly plugin: string; readonly options: ScopeOptions }
  | { readonly what: "update"; readonly plugin: string | undefined; readonly options: ChangeOptions }
  | { readonly what: "marketplace-add"; readonly source: string; readonly options: PlaceOptions }
  | { readonly what: "marketplace-remove"; readonly name: string; readonly options: PlaceOptions }
  | { readonly what: "marketplace-update"; readonly name: string | undefined; readonly options: PlaceOptions }
  | { readonly what: "marketplace-list"; readonly options: ListOptions };

export type PluginInvocation = { readonly kind: "plugin"; readonly action: PluginAction };

type Found = (asked: PluginInvocation) => void;

/** `quoll plugin …`. */
export function pluginCommand(found: Found): Command {
  const ask = (action: PluginAction) => found({ kind: "plugin", action });
  const install = withScope(withYes(new Command("install")))
    .description("show what a plugin adds and may do, and install it")
    .argument("<plugin>", "name, name@marketplace, a folder (./name), owner/repo, or a git address")
    .action((plugin: string, options: ChangeOptions & ScopeOptions) => ask({ what: "install", plugin, options }));
  const remove = withFolder(new Command("remove"))
    .alias("uninstall")
    .description("remove an installed plugin; its data stays")
    .argument("<plugin>")
    .action((plugin: string, options: PlaceOptions) => ask({ what: "remove", plugin, options }));
  const list = withFolder(new Command("list"))
    .description("list the installed plugins, with what each adds and may do")
    .option("--json", "as JSON")
    .option("--names", "only name@marketplace, one a line")
    .action((options: ListOptions) => ask({ what: "list", options }));
  const update = withYes(new Command("update"))
    .description("fetch the newest files, show what changes, and ask again")
    .argument("[plugin]", "all plugins if absent")
    .action((plugin: string | undefined, options: ChangeOptions) => ask({ what: "update", plugin, options }));
  const switches = (["enable", "disable"] as const).map((what) =>
    withScope(withFolder(new Command(what)))
      .description(what === "enable" ? "use an installed plugin again" : "keep a plugin installed, without using it")
      .argument("<plugin>")
      .action((plugin: string, options: ScopeOptions) => ask({ what, plugin, options })),
  );
  const plugin = new Command("plugin").description("install and manage plugins").helpCommand(false);
  for (const command of [install, remove, list, update, ...switches, marketplaceCommand(ask)])
    plugin.addCommand(command);
  return plugin;
}

function marketplaceCommand(ask: (action: PluginAction) => void): Command {
  const add = withFolder(new Command("add"))
    .description("add a list of plugins; nothing is installed")
    .argument("<source>", "a folder (./name), owner/repo, or a git address; #name after it is a branch or a tag")
    .action((source: string, options: PlaceOptions) => ask({ what: "marketplace-add", source, options }));
  const remove = withFolder(new Command("remove"))
    .description("remove a marketplace; its installed plugins stay")
    .argument("<name>")
    .action((name: string, options: PlaceOptions) => ask({ what: "marketplace-remove", name, options }));
  const list = withFolder(new Command("list"))
    .description("list the marketplaces and their plugins")
    .option("--json", "as JSON")
    .option("--names", "only the name@marketplace of each plugin, one a line")
    .action((options: ListOptions) => ask({ what: "marketplace-list", options }));
  const update = withFolder(new Command("update"))
    .description("fetch the lists of marketplaces again")
    .argument("[name]", "all marketplaces if absent")
    .action((name: string | undefined, options: PlaceOptions) => ask({ what: "marketplace-update", name, options }));
  const marketplace = new Command("marketplace").description("lists of plugins").helpCommand(false);
  for (const command of [add, remove, list, update]) marketplace.addCommand(command);
  return marketplace;
}

function withFolder(command: Command): Command {
  return command.option("-C, --cwd <folder>", "the project: this folder");
}

function withYes(command: Command): Command {
  return withFolder(command).option("-y, --yes", "do not ask; print the same");
}

function withScope(command: Command): Command {
  const scope = new Option(
    "-s, --scope <scope>",
    "`user`: all projects; `local`: you, here; `project`: everybody here",
  );
  return command.addOption(scope.choices(SCOPES).default("user"));
}
