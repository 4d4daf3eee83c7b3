import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { actions } from "../command-action.ts";
import type { Found } from "../invocation.ts";

/** The maximum is ten years, because no ledger is older. */
const MAX_DAYS = 3_660;

export function statsCommand(found: Found): Command {
  return new Command("stats")
    .description("show spending by day, model, project and source")
    .option("--days <n>", "days up to today (default 30)", days)
    .addOption(new Option("--json", "as JSON").conflicts("csv"))
    .option("--csv", "as comma-separated values, a line for each kind of request on each day")
    .action(actions(found, () => import("./stats-command.ts"))((code) => code.runStatsCommand));
}

export function authCommand(found: Found): Command {
  const run = actions(found, () => import("./auth-command.ts"));
  const login = new Command("login")
    .description("save the key of a provider, its endpoint, or both")
    .argument(
      "<provider>",
      "anthropic, openai, google, openrouter …, or a search service: brave, tavily, exa, kagi, searxng",
    )
    // Declared only to be refused with a reason, and without the key in the error message.
    .addArgument(new Argument("[words...]", "none: a key is asked for, or piped"))
    .option("--key-stdin", "read the key from stdin, not from the terminal")
    .option("--endpoint <url>", "the provider's address; without --key-stdin, Quoll asks for no key")
    .addOption(refused("--key <key>"))
    .addOption(refused("--api-key <key>"))
    .addOption(refused("--token <key>"))
    .action(run((code) => code.login));
  const logout = new Command("logout")
    .description("remove the saved key and address of a provider")
    .argument("<provider>")
    .action(run((code) => code.logout));
  const status = new Command("status")
    .description("show where the key of each provider comes from")
    .option("--json", "as JSON")
    .action(run((code) => code.status));
  return new Command("auth")
    .description("keys and endpoints of model providers")
    .usage("login|logout|status [options]")
    .helpCommand(false)
    .addCommand(login)
    .addCommand(logout)
    .addCommand(status);
}

function refused(flags: string): Option {
  return new Option(flags, "refused: other programs can see the command line").hideHelp();
}

function days(value: string): number {
  const count = /^\d{1,4}$/.test(value) ? Number(value) : 0;
  if (count < 1 || count > MAX_DAYS) throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_DAYS}.`);
  return count;
}
