import { basename, join } from "node:path";
import { oneLine } from "@quoll/terminal-text/one-line";
import type { ContentFolder } from "../../contracts/content-folder.ts";
import { isSameStyle, type OutputStyle } from "../../contracts/output-style.ts";
import { namesIn } from "../../platform/files/list-folder.ts";
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

export type StyleAccess = {
  /** True for a path that a rule hides from the model, or that may hold secrets. */
  isHidden(path: string): boolean;
  /** The text of a file with each credential replaced by a placeholder. */
  redact(text: string): Promise<string>;
  /** Receives one printable line for each file that can't be used. */
  notify(line: string): void;
};

/**
 * The output styles of Quoll, of the user, of the project and of plugins, by name. A file replaces a style of Quoll. Of
 * two styles with the same name, the user's is used, unless the project chose the style by its own setting; of two in
 * the same place, the style of the first folder is used.
 * @param folders Highest precedence first.
 * @param chosenByProject The name that the project's own setting chose.
 */
export async function listOutputStyles(
  folders: readonly ContentFolder<"style">[],
  chosenByProject: string | undefined,
  access: StyleAccess,
): Promise<readonly OutputStyle[]> {
  const found = new Map<string, OutputStyle>();
  const add = (style: OutputStyle) => found.set(style.name.toLowerCase(), style);
  const read: { readonly style: OutputStyle; readonly isOfProject: boolean }[] = [];
  for (const folder of folders.toReversed())
    for (const style of await stylesIn(folder, access)) read.push({ style, isOfProject: folder.origin === "project" });
  for (const { style, isOfProject } of read) if (!isOfProject) add(style);
  const ofOthers = new Set(found.keys());
  for (const style of BUILTIN_STYLES) if (!ofOthers.has(style.name)) add(style);
  for (const { style, isOfProject } of read) {
    const isChosen = chosenByProject !== undefined && isSameStyle(style.name, chosenByProject);
    if (isOfProject && (isChosen || !ofOthers.has(style.name.toLowerCase()))) add(style);
  }
  return [...found.values()].toSorted((a, b) => a.name.localeCompare(b.name));
}

async function stylesIn({ folder, only, within, plugin }: ContentFolder<"style">, access: StyleAccess) {
  const styles: OutputStyle[] = [];
  const all = only === undefined ? (namesIn(folder) ?? []) : [only];
  const names = all.filter((name) => name.endsWith(ENDING)).toSorted();
  for (const file of names.slice(0, MAX_STYLES).map((name) => join(folder, name))) {
    try {
      const style = await readStyle(file, within, access);
      const name = plugin === undefined ? style.name : oneLine(`${plugin}:${style.name}`, MAX_NAME_COLUMNS);
      styles.push({ ...style, name });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      access.notify(oneLine(`${file} can't be used as an output style: ${why}.`, MAX_WARNING_COLUMNS));
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
