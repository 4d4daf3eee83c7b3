import { z } from "zod";
import { settingsSchema } from "../../src/contracts/settings-schema.ts";
import { PROJECT_POLICY } from "../../src/services/config/project-policy.ts";
import { page, table } from "./markdown.ts";
import { type SchemaNode, typeWords } from "./schema-words.ts";

/** docs/guide/reference/settings.md, generated from the schema of settings files. */
export function settingsPage(): string {
  return page(
    "Settings",
    "Settings files are JSON with comments. For an unknown key, Quoll prints a warning with the most similar known key. For a" +
      " value of the wrong type, Quoll does not start and prints its file, line and column. For completion in an editor, set" +
      " `$schema` to [settings.schema.json](../settings.schema.json).",
    table(["key", "type", "meaning", "in a project's own file"], rowsOf(jsonSchema(), "")),
    'The last column says when the key takes effect in `.quoll/settings.json`: "if trusted" means after you [trust](../trust.md) the' +
      " folder.",
    "## Files and precedence",
    table(
      ["layer, lowest first", "file"],
      [
        ["user", "`$XDG_CONFIG_HOME/quoll/settings.json`"],
        [
          "project",
          "`.quoll/settings.json` in the project root: restrictions take effect at once, most other keys in a [trusted folder](../trust.md), some keys never",
        ],
        [
          "your own for this project",
          '`$XDG_CONFIG_HOME/quoll/projects/<project id>.json`, which also holds your "always" answers',
        ],
        ["command line", "`--settings <file|json>`, then the other flags"],
        [
          "managed",
          "`/etc/quoll/managed-settings.json`; on macOS `/Library/Application Support/Quoll/managed-settings.json`",
        ],
      ],
    ),
    "For single values, the highest layer applies; for caps (`spend`), the lowest cap; lists are joined. Paths may begin with `~/`. Other paths are" +
      " relative to the project root, or to the working folder for paths on the command line. If a file cannot be read or parsed" +
      " at the start, Quoll exits with code 2. A running session takes [some changes](../trust.md#when-settings-change) at once.",
    "Quoll also reads deny and ask rules from the project's `.claude/settings.json` and" +
      " `.claude/settings.local.json`, and their bans of the modes `auto` and" +
      " `bypassPermissions`. `.quoll/settings.local.json` is not read, and a line says so." +
      " `QUOLL_HOME` moves the user's files to" +
      " `$QUOLL_HOME/config/`.",
  );
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

/** @throws {Error} the key has no entry in project-policy.ts. */
function rowOf(key: string, shown: string, schema: SchemaNode, description = ""): readonly string[] {
  const policy = PROJECT_POLICY[key] ?? PROJECT_POLICY[`${key}[]`];
  if (!policy) throw new Error(`${key} has no entry in src/services/config/project-policy.ts.`);
  return [`\`${shown}\``, typeWords(schema), description, policy.words];
}
