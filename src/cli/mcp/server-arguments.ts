import { Command, InvalidArgumentError, Option } from "commander";
import { EDITABLE_SCOPES } from "../../contracts/mcp.ts";
import { actions } from "../command-action.ts";
import type { Found } from "../invocation.ts";
import { collect } from "../option-values.ts";
import type { LoginOptions } from "./login-command.ts";

/** `quoll mcp add|add-json|list|get|remove`. */
export function serverCommands(found: Found): readonly Command[] {
  const run = actions(found, () => import("./mcp-command.ts"));
  const add = withScope(new Command("add"))
    .description("add a server: a program after --, or an address")
    .usage("[options] <name> <url> | <name> -- <command> [args...]")
    .argument("<name>")
    .argument("<words...>", "the address, or the program and its arguments")
    .addOption(new Option("-t, --transport <kind>", "how the server is reached").choices(["stdio", "http", "sse"]))
    .option("-e, --env <NAME=value>", "a variable for the program (repeatable)", collect)
    .option("-H, --header <text>", "an HTTP header, such as `Authorization: Bearer …` (repeatable)", collect)
    // The program's own options may be given without the --.
    .allowUnknownOption()
    .action(run((code) => code.addWords));
  const addJson = withScope(new Command("add-json"))
    .description("add a server as JSON text")
    .argument("<name>")
    .argument("<json>", 'the entry: {"command": …} or {"type": "http", "url": …}')
    .action(run((code) => code.addJson));
  const remove = withFolder(new Command("remove"))
    .description("remove a server from its file")
    .argument("<name>")
    .addOption(
      new Option("-s, --scope <scope>", "the file, if several files define the server").choices(EDITABLE_SCOPES),
    )
    .action(run((code) => code.remove));
  const list = withStart(new Command("list"))
    .description("start every server, and show its state, its tools and their tokens")
    .option("--names", "only the names, one a line; no server is started")
    .action(run((code) => code.list));
  const get = withStart(new Command("get"))
    .description("start one server, and show its state, its source and each tool")
    .argument("<name>")
    .action(run((code) => code.get));
  return [add, addJson, list, get, remove];
}

function withFolder(command: Command): Command {
  return command.option("-C, --cwd <folder>", "the project: this folder");
}

function withScope(command: Command): Command {
  const scope = new Option(
    "-s, --scope <scope>",
    "`local`: you, here; `project`: .mcp.json, for everybody; `user`: you, in all projects",
  );
  return withFolder(command).addOption(scope.choices(EDITABLE_SCOPES).default("local"));
}

function withStart(command: Command): Command {
  return withFolder(command)
    .option("--json", "as JSON")
    .option("--timeout <seconds>", "longest wait for a server (default 30)", seconds)
    .option("--mcp-config <file|json>", "more servers (repeatable)", collect)
    .option("--strict-mcp-config", "use only the MCP servers of --mcp-config")
    .option("--trust", "trust this folder for this run: start the servers of its .mcp.json");
}

const MAX_SECONDS = 600;

function seconds(value: string): number {
  const parsed = /^\d{1,3}$/.test(value) ? Number(value) : 0;
  if (parsed < 1 || parsed > MAX_SECONDS)
    throw new InvalidArgumentError(`It must be a number from 1 to ${MAX_SECONDS}.`);
  return parsed;
}

export function loginCommands(found: Found): readonly Command[] {
  const take = (what: "login" | "logout") => (server: string, options: LoginOptions) =>
    found(async () => (await import("./login-command.ts")).runLoginCommand(what, server, options));
  const login = withConfig(new Command("login"))
    .description("log in to a server with the browser (OAuth)")
    .argument("<server>")
    .option("--no-browser", "only print the address; the address of the last page can be pasted")
    .action(take("login"));
  const logout = withConfig(new Command("logout"))
    .description("remove the saved login to a server")
    .argument("<server>")
    .action(take("logout"));
  return [login, logout];
}

function withConfig(command: Command): Command {
  return command.option("--mcp-config <file|json>", "a file or JSON text with the server (repeatable)", collect);
}
