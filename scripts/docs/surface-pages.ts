import { TOOL_SPECS } from "../../src/cli/surface.ts";
import { BUILTIN_COMMANDS } from "../../src/commands/builtin-commands.ts";
import type { ToolSpec } from "../../src/contracts/tool.ts";
import { page, table } from "./markdown.ts";
import { type SchemaNode, typeWords } from "./schema-words.ts";

/** docs/guide/reference/commands.md: the slash commands. */
export function commandsPage(): string {
  const rows = BUILTIN_COMMANDS.map(({ name, argumentHint, summary }) => [
    `\`/${name}${argumentHint === undefined ? "" : ` ${argumentHint}`}\``,
    summary,
  ]);
  return page("Slash commands", table(["command", "effect"], rows));
}

/** docs/guide/reference/tools.md: the tools in the order in which the model sees them. */
export function toolsPage(): string {
  return page(
    "Tools",
    "The tools that the model can call. The *level* is the highest level of any call of the tool: `none` affects only this" +
      " session and never asks; for `read`, `write` and `execute`, the [permission rules](../permissions.md) decide. The" +
      " description that the model reads is in a `.md` file next to the tool's code; `quoll show tool <name>` prints it.",
    table(
      ["tool", "level", "effect"],
      TOOL_SPECS.map(({ name, level, summary }) => [`[${name}](#${name.toLowerCase()})`, level, summary]),
    ),
    ...TOOL_SPECS.flatMap(toolSection),
  );
}

function toolSection({ name, level, summary, inputSchema }: ToolSpec): readonly string[] {
  const { properties = {}, required = [] } = inputSchema as SchemaNode;
  const rows = Object.entries(properties).map(([field, schema]) => [
    `\`${field}\``,
    typeWords(schema),
    required.includes(field) ? "yes" : "",
    schema.description ?? "",
  ]);
  return [`## ${name}`, `${summary}. Level: ${level}.`, table(["field", "type", "required", "meaning"], rows)];
}
