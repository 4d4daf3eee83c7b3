import { COMMAND_SPECS, TOOL_SPECS } from "../../src/cli/surface.ts";
import type { ToolSpec } from "../../src/contracts/tool.ts";
import { page, table } from "./markdown.ts";
import { type SchemaNode, typeWords } from "./schema-words.ts";

/** docs/guide/reference/commands.md: what a person may type after a slash. */
export function commandsPage(): string {
  const rows = COMMAND_SPECS.map(({ name, argumentHint, summary }) => [
    `\`/${name}${argumentHint === undefined ? "" : ` ${argumentHint}`}\``,
    summary,
  ]);
  return page("Slash commands", table(["command", "what it does"], rows));
}

/** docs/guide/reference/tools.md: what the model may call, in the order in which it sees them. */
export function toolsPage(): string {
  return page(
    "Tools",
    "What the model may call. The *level* is the highest that a call of the tool may have: `none` touches this session" +
      " only and is never asked for; `read`, `write` and `execute` are judged by the" +
      " [permission rules](../permissions.md). The words that the model reads about a tool stand in a `.md` file beside" +
      " its code; `quoll show tool <name>` prints them.",
    table(
      ["tool", "level", "what it does"],
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
  return [`## ${name}`, `${summary}. Level: ${level}.`, table(["field", "type", "required", "what it is"], rows)];
}
