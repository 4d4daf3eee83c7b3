import { basename, join } from "node:path";
import type { OutputStyle } from "../../contracts/output-style.ts";
import { namesIn } from "../../platform/files/list-folder-sync.ts";
import { readSmallText } from "../../platform/private-file.ts";
import { headerFields } from "./instructions/read-header.ts";

const ENDING = ".md";
const MAX_STYLE_BYTES = 32 * 1024;
/** Of one folder. */
const MAX_STYLES = 100;

export type StylePlaces = {
  /** `$HOME`. */
  readonly home: string;
  /** Undefined where the project is not trusted: a style becomes a part of the system prompt. */
  readonly projectRoot: string | undefined;
};

/**
 * The output styles of the user and of the project, by name. A style of the project replaces one of the user with the same name, and
 * one below `.quoll` replaces one below `.claude`.
 * @param warn Receives one line for each file that can't be used.
 */
export async function listOutputStyles(
  { home, projectRoot }: StylePlaces,
  warn: (line: string) => void,
): Promise<readonly OutputStyle[]> {
  const found = new Map<string, OutputStyle>();
  for (const top of [home, ...(projectRoot === undefined ? [] : [projectRoot])]) {
    for (const own of [".claude", ".quoll"])
      for (const style of await stylesIn(join(top, own, "output-styles"), warn)) found.set(style.name, style);
  }
  return [...found.values()].toSorted((a, b) => a.name.localeCompare(b.name));
}

async function stylesIn(folder: string, warn: (line: string) => void): Promise<readonly OutputStyle[]> {
  const names = (namesIn(folder) ?? []).filter((name) => name.endsWith(ENDING)).toSorted();
  const styles: OutputStyle[] = [];
  for (const file of names.slice(0, MAX_STYLES).map((name) => join(folder, name))) {
    try {
      const style = styleOf(file, (await readSmallText(file, MAX_STYLE_BYTES)) ?? "");
      if (style.text === "") warn(`${file} is no output style: it is empty.`);
      else styles.push(style);
    } catch (error) {
      warn(`${file} can't be read as an output style: ${error instanceof Error ? error.message : String(error)}.`);
    }
  }
  return styles;
}

function styleOf(file: string, content: string): OutputStyle {
  const { fields, body } = headerFields(content.replaceAll("\r\n", "\n"));
  const name = fields.get("name")?.[0]?.trim() || basename(file, ENDING);
  return { name, description: fields.get("description")?.[0]?.trim() ?? "", text: body.trim(), file };
}
