import { Command, InvalidArgumentError, Option } from "commander";
import { DEBUG_TOPICS } from "../../contracts/debug.ts";
import { actions } from "../command-action.ts";
import type { Found } from "../invocation.ts";
import { collect, collectRules, debugTopics, dollars, positiveInteger } from "../option-values.ts";

/** @param withPolicy Adds the options that affect permissions. */
export function mcpServeCommand(found: Found, withPolicy: (command: Command) => Command): Command {
  return withPolicy(new Command("serve"))
    .description("offer Quoll's tools to another program, as an MCP server on stdin and stdout")
    .option(
      "--http [port]",
      "serve over HTTP on this machine instead, with a token; without a port, any free one",
      port,
    )
    .option("--tools <names>", "offer only these tools; `agent` runs a whole request", collectRules)
    .option("--with-mcp", "also offer the tools of the MCP servers of a session here")
    .option("--mcp-config <file|json>", "MCP servers (repeatable)", collect)
    .option("--strict-mcp-config", "use only the MCP servers of --mcp-config")
    .addOption(new Option("--model <name>", "the model of the tool `agent`"))
    .option("--max-turns <n>", "maximum number of model requests of one agent", positiveInteger)
    .option("--max-budget-usd <usd>", "maximum cost of a session in US dollars", dollars)
    .option("--debug [filter]", `write a debug log; filter: ${DEBUG_TOPICS.join(", ")}`, debugTopics)
    .action(actions(found, () => import("./serve-mcp.ts"))((code) => code.serveMcp));
}

const MAX_PORT = 65_535;

function port(text: string): number {
  const number = positiveInteger(text);
  if (number > MAX_PORT) throw new InvalidArgumentError(`It must be at most ${MAX_PORT}.`);
  return number;
}
