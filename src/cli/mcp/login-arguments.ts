import { Command } from "commander";
import { collect } from "../option-values.ts";

/** The options of `quoll mcp login` and `logout`. */
export type LoginOptions = {
  /** False if the address is only printed, and the last page's address is pasted. */
  readonly browser?: boolean;
  readonly mcpConfig?: readonly string[];
};

export type LoginInvocation = {
  readonly kind: "mcp-login";
  readonly what: "login" | "logout";
  readonly server: string;
  readonly options: LoginOptions;
};

type Found = (asked: LoginInvocation) => void;

export function loginCommands(found: Found): readonly Command[] {
  const take = (what: LoginInvocation["what"]) => (server: string, options: LoginOptions) =>
    found({ kind: "mcp-login", what, server, options });
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
