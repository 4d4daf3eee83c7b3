import type { Argument, Command, Option } from "commander";
import { createProgram } from "../../src/cli/program.ts";
import { page, table } from "./markdown.ts";

/** docs/guide/reference/options.md, from the declaration that reads the command line. */
export function optionsPage(): string {
  const program = createProgram("0", () => undefined);
  const shared = new Set(program.options.map(({ flags }) => flags));
  return page(
    "Command line",
    "```\nquoll [options] [prompt]\n```",
    argumentLines(program),
    "Options may be written in camelCase too (`--allowedTools`). Rules and names of tools may stand apart by commas or" +
      " spaces, or as several arguments. What the exit codes mean stands in [headless](../headless.md#exit-codes).",
    optionTable(program.options),
    ...program.commands.flatMap((command) => subcommand(command, shared)),
  );
}

function subcommand(command: Command, shared: ReadonlySet<string>): readonly string[] {
  const own = command.options.filter(({ flags }) => !shared.has(flags));
  const takesShared = own.length < command.options.length;
  const description = command.description();
  return [
    `## quoll ${command.name()}`,
    `${description.charAt(0).toUpperCase()}${description.slice(1)}.`,
    `\`\`\`\nquoll ${command.name()} ${command.usage()}\n\`\`\``,
    ...(command.registeredArguments.some(({ description }) => description !== "") ? [argumentLines(command)] : []),
    ...(own.length > 0 ? [optionTable(own)] : []),
    ...(takesShared ? ["Every option of a session, listed above, may be given here too."] : []),
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
    ["option", "what it does", "default"],
    options.map((option) => [`\`${option.flags}\``, describe(option), defaultOf(option)]),
  );
}

function describe({ description, argChoices }: Option): string {
  return argChoices ? `${description}: ${argChoices.map((choice) => `\`${choice}\``).join(", ")}` : description;
}

function defaultOf({ defaultValue }: Option): string {
  return typeof defaultValue === "string" || typeof defaultValue === "number" ? `\`${defaultValue}\`` : "";
}
