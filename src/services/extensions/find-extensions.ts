import { join, relative } from "node:path";
import type { ExtensionFile } from "../../contracts/extension.ts";
import { namesIn } from "../../platform/files/list-folder.ts";
import { pathState } from "../../platform/files/path-state.ts";
import { entryExists, isInside, realPathOrSelf } from "../../platform/paths.ts";

/** The maximum number of extensions in one folder. */
const MAX_EXTENSIONS = 100;
const MODULE = /^(?!.*\.d\.ts$)(.+)\.(?:ts|js|mjs)$/;
const ENTRIES = ["index.ts", "index.js", "index.mjs"];

export type FoundExtensions = {
  readonly files: readonly ExtensionFile[];
  /** One line for each entry that can't be used. */
  readonly problems: readonly string[];
};

/**
 * The extensions of a folder, by name: its modules, and its folders that have an `index`. Runs nothing.
 * @param folder Absolute; it may be missing.
 * @param within Files outside this folder are ignored, links included.
 */
export function findExtensions(folder: string, within = folder): FoundExtensions {
  const names = [...(namesIn(folder) ?? [])].filter((name) => !name.startsWith(".")).sort();
  const all = names.flatMap((name) => entryOf(folder, name) ?? []);
  const named = [...Map.groupBy(all, ({ name }) => name).entries()];
  const found = named.flatMap(([, ofName]) => (ofName.length === 1 ? ofName : []));
  const clashes = named.filter(([, ofName]) => ofName.length > 1);
  const root = realPathOrSelf(within);
  const [inside, outside] = [true, false].map((wanted) => found.filter(({ file }) => isInside(root, file) === wanted));
  const more = (inside?.length ?? 0) - MAX_EXTENSIONS;
  return {
    files: inside?.slice(0, MAX_EXTENSIONS) ?? [],
    problems: [
      ...clashes.map(([, ofName]) => clashLine(ofName.map(({ file }) => relative(realPathOrSelf(folder), file)))),
      ...(outside ?? []).map(({ name }) => `the extension ${name} is left out: it is a link to a file outside ${root}`),
      ...(more > 0 ? [`${more} extensions are left out: ${folder} may have ${MAX_EXTENSIONS}`] : []),
    ],
  };
}

function clashLine(files: readonly string[]): string {
  return `the extensions ${files.join(" and ")} are left out, because they have one name: rename or delete one`;
}

function entryOf(folder: string, name: string): ExtensionFile | undefined {
  const [, stem] = MODULE.exec(name) ?? [];
  const path = join(folder, name);
  if (stem !== undefined) return { name: stem, file: realPathOrSelf(path) };
  const index = ENTRIES.find((entry) => entryExists(join(path, entry)));
  return index === undefined
    ? undefined
    : { name, file: realPathOrSelf(join(path, index)), folder: realPathOrSelf(path) };
}

/** A text that differs between two states of an extension: of its file, or of the files directly in its folder. */
export function extensionState({ file, folder }: ExtensionFile): string {
  if (folder === undefined) return pathState(file);
  const names = [...(namesIn(folder) ?? [])].sort();
  return names.map((name) => `${name} ${pathState(join(folder, name))}`).join("\n");
}
