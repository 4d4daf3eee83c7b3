import type { Argument, Command, Option } from "commander";
import { createProgram } from "../../src/cli/program.ts";
import { page, table } from "./markdown.ts";

/** docs/guide/reference/options.md, generated from the command-line declaration. */
export function optionsPage(): string {
  const program = createProgram("0", () => undefined);
  const shared = new Set(program.options.map(({ flags }) => flags));
  return page(
    "Command line",
    "```\nquoll [options] [prompt]\n```",
    argumentLines(program),
    "Options also work in camelCase (`--allowedTools`). Separate rules and tool names with commas or spaces, or pass them" +
      " as several arguments. [Headless](../headless.md#exit-codes) explains the exit codes.",
    optionTable(program.options),
    ...program.commands.flatMap((command) => subcommand(command, shared)),
  );
}

function subcommand(command: Command, shared: ReadonlySet<string>): readonly string[] {
  // A command may have a few options of a session without taking all.
  const takesShared = command.options.some(({ flags, hidden }) => hidden && shared.has(flags));
  const own = command.options.filter(({ hidden }) => !hidden);
  const description = command.description();
  const name = fullName(command);
  return [
    `${"#".repeat(name.split(" ").length)} ${name}`,
    `${description.charAt(0).toUpperCase()}${description.slice(1)}.`,
    `\`\`\`\n${name} ${command.usage()}\n\`\`\``,
    ...(command.registeredArguments.some(({ description }) => description !== "") ? [argumentLines(command)] : []),
    ...(own.length > 0 ? [optionTable(own)] : []),
    ...(takesShared ? ["The other options of a session are accepted too, and change nothing here."] : []),
    ...command.commands.flatMap((inner) => subcommand(inner, shared)),
  ];
}

/** `quoll auth login`. */
function fullName(command: Command): string {
  const { parent } = command;
  return parent ? `${fullName(parent)} ${command.name()}` : command.name();
}

function argumentLines(command: Command): string {
  const line = ({ required, description, ...argument }: Argument) => {
    const name = "_name" in argument ? String(argument._name) : "argument";
    return `- \`${required ? `<${name}>` : `[${name}]`}\`: ${description}`;
  };
  return command.registeredArguments
    .filter(({ description }) => description !== "")
    .map(line)
    .join("\n");
}

function optionTable(options: readonly Option[]): string {
  return table(
    ["option", "effect", "default"],
    options.map((option) => [`\`${option.flags}\``, describe(option), defaultOf(option)]),
  );
}

function describe({ description, argChoices }: Option): string {
  return argChoices ? `${description}: ${argChoices.map((choice) => `\`${choice}\``).join(", ")}` : description;
}

function defaultOf({ defaultValue }: Option): string {
  return typeof defaultValue === "string" || typeof defaultValue === "number" ? `\`${defaultValue}\`` : "";
}
