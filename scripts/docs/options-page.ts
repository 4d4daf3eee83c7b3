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
  const takesShared = command.options.some(({ long }) => long === "--model");
  const own = takesShared ? command.options.filter(({ flags }) => !shared.has(flags)) : command.options;
  const description = command.description();
  return [
    `## quoll ${command.name()}`,
    `${description.charAt(0).toUpperCase()}${description.slice(1)}.`,
    `\`\`\`\nquoll ${command.name()} ${command.usage()}\n\`\`\``,
    ...(command.registeredArguments.some(({ description }) => description !== "") ? [argumentLines(command)] : []),
    ...(own.length > 0 ? [optionTable(own)] : []),
    ...(takesShared ? ["This command also accepts all session options above."] : []),
  ];
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
