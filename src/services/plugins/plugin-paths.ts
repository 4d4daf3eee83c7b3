import { basename, dirname, join, resolve } from "node:path";
import type { PluginPath } from "../../contracts/plugin.ts";
import { entryExists, isInside, realPathOrSelf } from "../../platform/paths.ts";

/** The folder of a plugin, and the problems found in it. */
export type Reading = {
  /** Absolute, links resolved. */
  readonly root: string;
  /** Receives one phrase for each part that can't be used. */
  problem(what: string): void;
};

/** The paths of a field: one text or a list of texts. Each path begins with `./` and stays inside the plugin. */
export function pathsOf(field: string, value: unknown, reading: Reading): readonly string[] {
  if (value === undefined) return [];
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  return texts.flatMap((text) => {
    if (typeof text !== "string") {
      reading.problem(`${field} must be a path or a list of paths`);
      return [];
    }
    const path = pathIn(text, reading.root);
    if (path === undefined) reading.problem(`${field}: ${JSON.stringify(text)} is not a path in the plugin`);
    else if (!entryExists(path)) reading.problem(`${field}: there is no ${JSON.stringify(text)}`);
    else return [path];
    return [];
  });
}

/** @returns undefined if the path leads outside the folder. */
export function pathIn(text: string, root: string): string | undefined {
  if (text.startsWith("/") || text.includes("\0")) return undefined;
  const path = resolve(root, text);
  return isInside(root, path) && isInside(root, realPathOrSelf(path)) ? path : undefined;
}

/** Folders of skills; a path to a folder with a SKILL.md is one skill. */
export function skillPaths(value: unknown, reading: Reading, isScanned: boolean): readonly PluginPath[] {
  const usual = join(reading.root, "skills");
  const own = isScanned && entryExists(usual) ? [usual] : [];
  const named = pathsOf("skills", value, reading);
  const alone = isScanned && own.length + named.length === 0 && isSkill(reading.root) ? [reading.root] : [];
  return [...new Set([...own, ...named, ...alone])].map((path) => (isSkill(path) ? entryOf(path) : { folder: path }));
}

/** Folders and single files; a field replaces the usual folder. */
export function filePaths(
  field: string,
  { value, usual }: { readonly value: unknown; readonly usual: string | undefined },
  reading: Reading,
): readonly PluginPath[] {
  if (value !== undefined)
    return pathsOf(field, value, reading).map((path) => (path.endsWith(".md") ? entryOf(path) : { folder: path }));
  const folder = usual === undefined ? undefined : join(reading.root, usual);
  return folder !== undefined && entryExists(folder) ? [{ folder }] : [];
}

function isSkill(folder: string): boolean {
  return entryExists(join(folder, "SKILL.md"));
}

function entryOf(path: string): PluginPath {
  return { folder: dirname(path), only: basename(path) };
}
