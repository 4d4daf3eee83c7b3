import type { ObjectSetting, Setting } from "../../src/contracts/setting.ts";
import { SETTINGS } from "../../src/contracts/settings-table.ts";
import { settingsJsonSchema } from "../../src/services/config/settings-schema-text.ts";
import { page, table } from "./markdown.ts";
import { type SchemaNode, typeWords } from "./schema-words.ts";

/** docs/guide/reference/settings.md, generated from the table of settings. */
export function settingsPage(): string {
  return page(
    "Settings",
    "Settings files are JSON with comments. For an unknown key, Quoll prints a warning with the most similar known key. For a" +
      " value of the wrong type, Quoll does not start and prints its file, line and column. For completion in an editor, set" +
      " `$schema` to [settings.schema.json](../settings.schema.json).",
    table(["key", "type", "meaning", "in a project's own file"], settingRows(SETTINGS)),
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

/** One row for each key of a table of settings. */
export function settingRows(table: ObjectSetting, prefix = ""): readonly (readonly string[])[] {
  return Object.entries(table.keys).flatMap(([name, setting]) => {
    if (name === "$schema") return [];
    const key = `${prefix}${name}`;
    const isWhole = setting.project !== undefined || setting.layer !== undefined;
    if (isWhole || setting.type !== "object") return [rowOf(key, setting, setting.about)];
    const others = setting.others ? [rowOf(`${key}.<name>`, setting.others, setting.about)] : [];
    return [...others, ...settingRows(setting, `${key}.`)];
  });
}

function rowOf(key: string, setting: Setting, about = ""): readonly string[] {
  return [`\`${key}\``, typeWords(settingsJsonSchema(setting) as SchemaNode), about, policyWords(setting)];
}

/** A policy in words, for the reference page. */
function policyWords({ project, merge }: Setting): string {
  if (project === undefined) return "never";
  if (project === "now") return merge === "lowest" ? "at once; the lowest cap applies" : "at once";
  if ("approved" in project) return project.approved;
  if ("only" in project) return `at once, but only \`${JSON.stringify(project.only)}\``;
  if (project.never) return `if trusted, but neither ${project.never.map((value) => `\`${value}\``).join(" nor ")}`;
  return project.neverNames === undefined ? "if trusted" : `if trusted, except ${project.neverNames}`;
}
