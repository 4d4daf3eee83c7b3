import { basename, join } from "node:path";
import { oneLine } from "@quoll/terminal-text/one-line";
import { isSameStyle, type OutputStyle } from "../../contracts/output-style.ts";
import type { Plugin, PluginPath } from "../../contracts/plugin.ts";
import { namesIn } from "../../platform/files/list-folder-sync.ts";
import { isInside, realPathOrSelf } from "../../platform/paths.ts";
import { readSmallText } from "../../platform/private-file.ts";
import { headerFields } from "./instructions/read-header.ts";
import concise from "./styles/concise.md" with { type: "text" };
import explanatory from "./styles/explanatory.md" with { type: "text" };
import learning from "./styles/learning.md" with { type: "text" };

const ENDING = ".md";
/** The usual name of this field; if absent, the value is false. */
const KEEPS_CODING = "keep-coding-instructions";
const MAX_STYLE_BYTES = 32 * 1024;
/** Of one folder. */
const MAX_STYLES = 100;
/** The maximum that the setting `outputStyle` allows. */
const MAX_NAME_COLUMNS = 100;
const MAX_WARNING_COLUMNS = 500;

export type StylePlaces = {
  /** `$HOME`. */
  readonly home: string;
  /** `CLAUDE_CONFIG_DIR`, if it is set: the folder instead of `~/.claude`. */
  readonly claude?: string | undefined;
  /** The project root; undefined if the project is not trusted, because a style becomes a part of the system prompt. */
  readonly projectRoot: string | undefined;
  /** The name that the project's own setting chose: the project's style of this name replaces the user's. */
  readonly chosenByProject?: string | undefined;
  /** Folders and files of plugins; the names of their styles have the plugin's name and a colon as a prefix. */
  readonly plugins?: readonly PluginStyles[];
};

type PluginStyles = Pick<Plugin, "name" | "root" | "styles">;

export type StyleAccess = {
  /** True for a path that a rule hides from the model, or that may hold secrets. */
  isHidden(path: string): boolean;
  /** The text of a file with each credential replaced by a placeholder. */
  redact(text: string): Promise<string>;
  /** Receives one printable line for each file that can't be used. */
  warn(line: string): void;
};

/**
 * The output styles of Quoll, of the user and of the project, by name. A file replaces a style of Quoll. Of two styles
 * with the same name, the user's is used, unless the project chose the style by its own setting; of two in the same
 * place, the style below `.quoll` is used.
 */
export async function listOutputStyles(
  { home, claude, projectRoot, chosenByProject, plugins = [] }: StylePlaces,
  access: StyleAccess,
): Promise<readonly OutputStyle[]> {
  const found = new Map<string, OutputStyle>();
  for (const style of await stylesOfPlugins(plugins, access)) found.set(style.name.toLowerCase(), style);
  const ofUser = [claude || join(home, ".claude"), join(home, ".quoll")];
  for (const style of await stylesBelow(ofUser, undefined, access)) found.set(style.name.toLowerCase(), style);
  const users = new Set(found.keys());
  for (const style of BUILTIN_STYLES) if (!users.has(style.name)) found.set(style.name, style);
  const shared =
    projectRoot === undefined
      ? []
      : await stylesBelow([join(projectRoot, ".claude"), join(projectRoot, ".quoll")], projectRoot, access);
  for (const style of shared) {
    const key = style.name.toLowerCase();
    const isChosen = chosenByProject !== undefined && isSameStyle(style.name, chosenByProject);
    if (isChosen || !users.has(key)) found.set(key, style);
  }
  return [...found.values()].toSorted((a, b) => a.name.localeCompare(b.name));
}

/** @param within The folder that the files must lie in, links resolved; undefined for the user's own files. */
async function stylesBelow(folders: readonly string[], within: string | undefined, access: StyleAccess) {
  const styles: OutputStyle[] = [];
  for (const folder of folders)
    styles.push(...(await stylesIn({ folder: join(folder, "output-styles") }, within, access)));
  return styles;
}

async function stylesOfPlugins(plugins: readonly PluginStyles[], access: StyleAccess): Promise<readonly OutputStyle[]> {
  const found: OutputStyle[] = [];
  for (const { name, root, styles } of plugins)
    for (const path of styles)
      for (const style of await stylesIn(path, root, access))
        found.push({ ...style, name: oneLine(`${name}:${style.name}`, MAX_NAME_COLUMNS) });
  return found;
}

async function stylesIn({ folder, only }: PluginPath, within: string | undefined, access: StyleAccess) {
  const styles: OutputStyle[] = [];
  const all = only === undefined ? (namesIn(folder) ?? []) : [only];
  const names = all.filter((name) => name.endsWith(ENDING)).toSorted();
  for (const file of names.slice(0, MAX_STYLES).map((name) => join(folder, name))) {
    try {
      styles.push(await readStyle(file, within, access));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      access.warn(oneLine(`${file} can't be used as an output style: ${why}.`, MAX_WARNING_COLUMNS));
    }
  }
  return styles;
}

/** @throws {Error} the file can't be used; the message is one phrase. */
async function readStyle(file: string, within: string | undefined, access: StyleAccess): Promise<OutputStyle> {
  const real = realPathOrSelf(file);
  if (within !== undefined && !isInside(realPathOrSelf(within), real))
    throw new Error("it leads out of the project or plugin");
  if ([file, real].some((path) => access.isHidden(path)))
    throw new Error("it may hold secrets, or a rule keeps it from the model");
  const content = await access.redact((await readSmallText(real, MAX_STYLE_BYTES)) ?? "");
  const { fields, body } = headerFields(content.replaceAll("\r\n", "\n"));
  const text = body.trim();
  if (text === "") throw new Error("it is empty");
  const name = oneLine(fields.get("name")?.[0] ?? "", MAX_NAME_COLUMNS) || oneLine(basename(file, ENDING));
  const keepsCoding = fields.get(KEEPS_CODING)?.[0]?.toLowerCase() === "true";
  return { name, description: oneLine(fields.get("description")?.[0] ?? ""), text, keepsCoding, file };
}

/** The styles that come with Quoll. A file with the same name overrides a built-in style. */
const BUILTIN_STYLES: readonly OutputStyle[] = [
  { name: "concise", description: "Leads with the result and says little else", text: concise.trim() },
  { name: "explanatory", description: "Explains the choices behind each change", text: explanatory.trim() },
  { name: "learning", description: "Leaves small parts of the work for you to write", text: learning.trim() },
].map((style) => ({ ...style, keepsCoding: true }));
