import { Command } from "commander";
import type { Found } from "../invocation.ts";
import { collect } from "../option-values.ts";
import type { LoginOptions } from "./login-command.ts";

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
