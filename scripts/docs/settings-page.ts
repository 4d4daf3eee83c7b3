import { z } from "zod";
import { settingsSchema } from "../../src/contracts/settings.ts";
import { PROJECT_POLICY } from "../../src/services/config/project-policy.ts";
import { page, table } from "./markdown.ts";
import { type SchemaNode, typeWords } from "./schema-words.ts";

const LINE_CHARS = 120;

/** docs/guide/reference/settings.md, from the schema that reads the files. */
export function settingsPage(): string {
  return page(
    "Settings",
    "Settings files are JSON with comments. An unknown key is warned of, with the nearest known one; a value of the wrong" +
      " type ends the start with its file, line and column. For completion in an editor, name" +
      " [settings.schema.json](../settings.schema.json) as `$schema`.",
    table(["key", "type", "what it is", "in a project's own file"], rowsOf(jsonSchema(), "")),
    'The last column says when the key counts in `.quoll/settings.json`: "if trusted" is once you [trust](../trust.md) the' +
      " folder.",
    "## Where they stand",
    table(
      ["layer, lowest first", "file"],
      [
        ["user", "`$XDG_CONFIG_HOME/quoll/settings.json`"],
        [
          "project",
          "`.quoll/settings.json` in the project root: what tightens counts at once, the rest in a [trusted folder](../trust.md), some of it never",
        ],
        ["your own for this project", '`$XDG_CONFIG_HOME/quoll/projects/<project id>.json`; "always" answers go here'],
        ["command line", "`--settings <file|json>`, then the other flags"],
        [
          "managed",
          "`/etc/quoll/managed-settings.json`; on macOS `/Library/Application Support/Quoll/managed-settings.json`",
        ],
      ],
    ),
    "Of single values the highest layer wins, of caps (`spend`) the lowest; lists are joined. Paths may begin with `~/`; others are relative to the" +
      " project root, those of the command line to the working folder. Files are read once, at the start: a change counts" +
      " from the next start on. A file that can't be read or understood ends the start with exit code 2.",
    "Rules that deny or ask in `.claude/settings.json` and" +
      " `.claude/settings.local.json` of the project are read too, and so is what forbids the modes `auto` and" +
      " `bypassPermissions` there. `QUOLL_HOME` moves the user's files to" +
      " `$QUOLL_HOME/config/`.",
  );
}

/** docs/guide/settings.schema.json, formatted as the linter wants it. */
export function settingsSchemaText(): string {
  const text = JSON.stringify({ title: "Quoll settings", ...jsonSchema() }, null, 2);
  return `${text.replace(/^( *)(.*)\[\n([^[\]{}]*)\n *\](,?)$/gm, shortList)}\n`;
}

/** A list of plain values stands on one line where it fits. */
function shortList(whole: string, indent: string, before: string, items: string, comma: string): string {
  const line = `${indent}${before}[${items.replace(/\s*\n\s*/g, " ").trim()}]${comma}`;
  return line.length <= LINE_CHARS ? line : whole;
}

function jsonSchema(): SchemaNode {
  return z.toJSONSchema(settingsSchema) as SchemaNode;
}

function rowsOf({ properties = {} }: SchemaNode, prefix: string): readonly (readonly string[])[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    if (name === "$schema") return [];
    const key = `${prefix}${name}`;
    if (!schema.properties || Object.hasOwn(PROJECT_POLICY, key)) return [rowOf(key, key, schema, schema.description)];
    const anyName = schema.additionalProperties;
    const others = typeof anyName === "object" ? [rowOf(`${key}.*`, `${key}.<name>`, anyName, schema.description)] : [];
    return [...others, ...rowsOf(schema, `${key}.`)];
  });
}

/** @throws {Error} nobody has said what a project may do with the key. */
function rowOf(key: string, shown: string, schema: SchemaNode, description = ""): readonly string[] {
  const policy = PROJECT_POLICY[key] ?? PROJECT_POLICY[`${key}[]`];
  if (!policy) throw new Error(`${key} has no place in src/services/config/project-policy.ts.`);
  return [`\`${shown}\``, typeWords(schema), description, policy.words];
}
