import { Argument, Command, Option } from "commander";
import { SETTING_SCOPES, type SettingScope } from "../../contracts/setting-sources.ts";
import { actions } from "../command-action.ts";
import type { Found, PromptOptions } from "../invocation.ts";

/** The key of `config get` that is not a setting. */
const PROMPT = "prompt";

type EditOptions = { readonly cwd?: string; readonly scope: SettingScope; readonly add?: true };

/**
 * Declares `quoll config`.
 * @param withSession Adds the options of a session, which `get prompt` takes.
 */
export function configCommand(found: Found, withSession: (command: Command) => Command): Command {
  const get = withSession(new Command("get"))
    .description("print the effective value of a setting, and the file and line that set it")
    .argument("<key>", "a setting; or `prompt`: the system prompt and the first message as the model would get them")
    .option("--json", "as JSON; for `prompt` with the tools")
    .action((key: string, options: PromptOptions) =>
      found(async (version) =>
        key === PROMPT
          ? (await import("../inspect/print-prompt.ts")).printPrompt(options, version)
          : (await import("./config-command.ts")).get(key, options, options.json === true),
      ),
    );
  const list = inFolder(new Command("list"))
    .description("list every setting in effect here, with its file and line")
    .option("--settings <file|json>", "another settings file, or JSON text")
    .option("--trust", "as if this folder were trusted")
    .option("--json", "as JSON")
    .action(actions(found, () => import("./config-command.ts"))((code) => code.list));
  const schema = new Command("schema")
    .description("print the JSON Schema of settings files")
    .action(actions(found, () => import("./config-command.ts"))((code) => code.printSchema));
  return new Command("config")
    .description("read, change and import settings")
    .usage("get|set|unset|list|schema|import [options]")
    .helpCommand(false)
    .addCommand(get)
    .addCommand(setCommand(found))
    .addCommand(unsetCommand(found))
    .addCommand(list)
    .addCommand(schema)
    .addCommand(importCommand(found));
}

/** The programs whose settings can be imported, as they are typed. */
const IMPORTED = ["claude", "codex", "gemini", "opencode"] as const;

function importCommand(found: Found): Command {
  return inFolder(new Command("import"))
    .description("show what the settings of Claude Code, Codex, Gemini CLI and opencode become here, line by line")
    .addArgument(new Argument("[programs...]", "only of these programs").choices(IMPORTED))
    .option("--apply", "write the settings, with a backup of each file")
    .option("--trust", "as if this folder were trusted")
    .option("--json", "as JSON")
    .action(actions(found, () => import("./config-command.ts"))((code) => code.importSettings));
}

function setCommand(found: Found): Command {
  return inScope(new Command("set"))
    .description("set a setting; comments in the file stay")
    .argument("<key>", "such as `model`, `permissions.deny`, `env.NAME`")
    .argument("<value>", "a text, or JSON for other types")
    .option("--add", "add the value to a list")
    .action((key: string, value: string, { scope, add, ...options }: EditOptions) =>
      found(async () =>
        (await import("./config-command.ts")).edit(options, { what: "set", key, value, scope, adds: add === true }),
      ),
    );
}

function unsetCommand(found: Found): Command {
  return inScope(new Command("unset"))
    .description("remove a setting from a file")
    .argument("<key>")
    .argument("[value]", "remove only this value of a list")
    .action((key: string, value: string | undefined, { scope, ...options }: EditOptions) =>
      found(async () => {
        const change = { what: "unset", key, scope } as const;
        return (await import("./config-command.ts")).edit(options, value === undefined ? change : { ...change, value });
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
