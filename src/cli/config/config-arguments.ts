import { Command, Option } from "commander";
import { SETTING_SCOPES, type SettingScope } from "../../contracts/settings.ts";
import type { ConfigInvocation, PlaceOptions, PromptOptions } from "../invocation.ts";

/** The key of `config get` that is no setting. */
const PROMPT = "prompt";

type Found = (asked: ConfigInvocation) => void;
type GetOptions = PromptOptions;
type EditOptions = { readonly cwd?: string; readonly scope: SettingScope; readonly add?: true };

/**
 * Declares `quoll config`.
 * @param withSession Adds the options of a session, which `get prompt` takes.
 */
export function configCommand(found: Found, withSession: (command: Command) => Command): Command {
  const get = withSession(new Command("get"))
    .description("print the value of a setting that counts here, and the file and line that set it")
    .argument("<key>", "a setting; or `prompt`: the system prompt and the first message as the model would get them")
    .option("--json", "as JSON; for `prompt` with the tools")
    .action((key: string, options: GetOptions) =>
      key === PROMPT
        ? found({ kind: "config", action: { what: "prompt", options }, options })
        : found({ kind: "config", action: { what: "get", key, asJson: options.json === true }, options }),
    );
  const list = inFolder(new Command("list"))
    .description("list every setting that counts here, with its file and line")
    .option("--settings <file|json>", "another settings file, or JSON text")
    .option("--trust", "as if this folder were trusted")
    .option("--json", "as JSON")
    .action(({ json, ...options }: PlaceOptions & { json?: true }) =>
      found({ kind: "config", action: { what: "list", asJson: json === true }, options }),
    );
  const schema = new Command("schema")
    .description("print the JSON Schema of settings files")
    .action(() => found({ kind: "config", action: { what: "schema" }, options: {} }));
  return new Command("config")
    .description("read and change settings")
    .usage("get|set|unset|list|schema [options]")
    .helpCommand(false)
    .addCommand(get)
    .addCommand(setCommand(found))
    .addCommand(unsetCommand(found))
    .addCommand(list)
    .addCommand(schema);
}

function setCommand(found: Found): Command {
  return inScope(new Command("set"))
    .description("set a setting; comments in the file stay")
    .argument("<key>", "such as `model`, `permissions.deny`, `env.NAME`")
    .argument("<value>", "a text, or JSON for other types")
    .option("--add", "add the value to a list")
    .action((key: string, value: string, { scope, add, ...options }: EditOptions) =>
      found({ kind: "config", action: { what: "set", key, value, scope, adds: add === true }, options }),
    );
}

function unsetCommand(found: Found): Command {
  return inScope(new Command("unset"))
    .description("remove a setting from a file")
    .argument("<key>")
    .argument("[value]", "remove only this value of a list")
    .action((key: string, value: string | undefined, { scope, ...options }: EditOptions) =>
      found({
        kind: "config",
        action: { what: "unset", key, scope, ...(value !== undefined && { value }) },
        options,
      }),
    );
}

function inFolder(command: Command): Command {
  return command.option("-C, --cwd <folder>", "in this folder");
}

function inScope(command: Command): Command {
  const option = new Option(
    "--scope <scope>",
    "user: everywhere; project: its shared file; own: your file for this project",
  );
  return inFolder(command).addOption(option.choices(SETTING_SCOPES).default("user", "user"));
}
