import { Command, Option } from "commander";
import type { Found } from "../invocation.ts";
import type { PluginCommand, PluginOptions } from "./plugin-command.ts";

/** The action of a command with at most one argument. */
type Ask = (name: PluginCommand) => (argument: string | undefined, options: PluginOptions) => void;

/** `quoll plugin …`. */
export function pluginCommand(found: Found): Command {
  const ask: Ask = (name) => (argument, options) =>
    found(async () => (await import("./plugin-command.ts")).runPluginCommand(name, argument, options));
  const install = withScope(withYes(new Command("install")))
    .description("show what a plugin adds and may do, and install it")
    .argument("<plugin>", "name, name@marketplace, a folder (./name), owner/repo, or a git address")
    .action(ask("install"));
  const remove = withFolder(new Command("remove"))
    .alias("uninstall")
    .description("remove an installed plugin; its data stays")
    .argument("<plugin>")
    .action(ask("remove"));
  const list = withFolder(new Command("list"))
    .description("list the installed plugins, with what each adds and may do")
    .option("--json", "as JSON")
    .option("--names", "only name@marketplace, one a line")
    .action((options: PluginOptions) => ask("list")(undefined, options));
  const update = withYes(new Command("update"))
    .description("fetch the newest files, show what changes, and ask again")
    .argument("[plugin]", "all plugins if absent")
    .action(ask("update"));
  const switches = (["enable", "disable"] as const).map((what) =>
    withScope(withFolder(new Command(what)))
      .description(what === "enable" ? "use an installed plugin again" : "keep a plugin installed, without using it")
      .argument("<plugin>")
      .action(ask(what)),
  );
  const plugin = new Command("plugin").description("install and manage plugins").helpCommand(false);
  for (const command of [install, remove, list, update, ...switches, marketplaceCommand(ask)])
    plugin.addCommand(command);
  return plugin;
}

function marketplaceCommand(ask: Ask): Command {
  const add = withFolder(new Command("add"))
    .description("add a list of plugins; nothing is installed")
    .argument("<source>", "a folder (./name), owner/repo, or a git address; #name after it is a branch or a tag")
    .action(ask("marketplaceAdd"));
  const remove = withFolder(new Command("remove"))
    .description("remove a marketplace; its installed plugins stay")
    .argument("<name>")
    .action(ask("marketplaceRemove"));
  const list = withFolder(new Command("list"))
    .description("list the marketplaces and their plugins")
    .option("--json", "as JSON")
    .option("--names", "only the name@marketplace of each plugin, one a line")
    .action((options: PluginOptions) => ask("marketplaceList")(undefined, options));
  const update = withFolder(new Command("update"))
    .description("fetch the lists of marketplaces again")
    .argument("[name]", "all marketplaces if absent")
    .action(ask("marketplaceUpdate"));
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
  return command.addOption(scope.choices(["user", "local", "project"]).default("user"));
}
