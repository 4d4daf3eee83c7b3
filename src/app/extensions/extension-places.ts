import { join, relative } from "node:path";
import { oneLine } from "@quoll/terminal-text/one-line";
import type { Approvable, Approvals } from "../../contracts/approval.ts";
import type { ExtensionFile, ExtensionOrigin } from "../../contracts/extension.ts";
import type { Plugin } from "../../contracts/plugin.ts";
import type { ProjectConfig } from "../../contracts/session-config.ts";
import { type Directories, shortPath } from "../../platform/directories.ts";
import { entryExists, isInside } from "../../platform/paths.ts";

export const FOLDER = "extensions";
const MAX_COLUMNS = 300;

export function projectExtensionsFolder(root: string): string {
  return join(root, ".quoll", FOLDER);
}

/** The extensions of a project, to be approved. If a project has no extensions, no file is read. */
export async function projectExtensionItems(root: string) {
  const folder = projectExtensionsFolder(root);
  if (!entryExists(folder)) return { items: [], problems: [] };
  const [{ findExtensions }, { extensionsApprovable }] = await Promise.all([
    import("../../services/extensions/find-extensions.ts"),
    import("../../services/trust/extension-approvable.ts"),
  ]);
  const { files, problems } = findExtensions(folder, root);
  const items: readonly Approvable[] = files.length === 0 ? [] : [extensionsApprovable(folder, files, root)];
  return { items, problems: problems.map((line) => oneLine(line, MAX_COLUMNS)) };
}

export type ExtensionPlace = {
  readonly own: Directories;
  readonly project: { readonly root: string };
  readonly plugins: readonly Plugin[];
  readonly isTrusted: boolean;
  /** True if settings disable all hooks except those of the administrator. */
  readonly hasManagedHooksOnly: boolean;
  readonly approvals: Approvals;
};

/** An extension that takes effect in a session. */
export type ChosenExtension = ExtensionFile & {
  readonly origin: ExtensionOrigin;
  /** The path in short form, safe to print. */
  readonly shown: string;
};

/** The prefix of an extension's locations in stack frames. */
export function placeOf({ file, folder }: ExtensionFile): string {
  return folder === undefined ? `${file}:` : `${folder}/`;
}

type Folder = {
  readonly folder: string;
  readonly origin: ExtensionOrigin;
  readonly within?: string;
  readonly plugin?: Plugin;
};

/**
 * The existing folders whose extensions are used, the person's own first: of two tools with the same name, the first is
 * used.
 */
export function extensionFolders(
  { isBare, settingSources }: Pick<ProjectConfig, "isBare" | "settingSources">,
  { own, project: { root }, plugins, isTrusted }: ExtensionPlace,
): readonly Folder[] {
  if (isBare) return [];
  const counts = (source: "user" | "project") => settingSources?.includes(source) ?? true;
  const folders: readonly Folder[] = [
    ...(counts("user") ? [{ folder: join(own.config, FOLDER), origin: { kind: "user" } } as const] : []),
    ...(counts("project") && isTrusted
      ? [{ folder: projectExtensionsFolder(root), origin: { kind: "project" }, within: root } as const]
      : []),
    ...plugins.map((plugin) => {
      const { root, name } = plugin;
      return { folder: join(root, FOLDER), origin: { kind: "plugin", plugin: name }, within: root, plugin } as const;
    }),
  ];
  return folders.filter(({ folder }) => entryExists(folder));
}

/**
 * The extensions of these folders; extensions of a project or an installed plugin only if the person approved their
 * current files.
 */
export async function chosenExtensions(folders: readonly Folder[], place: ExtensionPlace) {
  const [{ findExtensions }, { extensionsApprovable }] = await Promise.all([
    import("../../services/extensions/find-extensions.ts"),
    import("../../services/trust/extension-approvable.ts"),
  ]);
  const { own, project, approvals } = place;
  const chosen: ChosenExtension[] = [];
  const unapproved: ChosenExtension[] = [];
  const problems: string[] = [];
  for (const { folder, origin, within, plugin } of folders) {
    const changed = plugin && (await (await import("./changed-plugin.ts")).changedPluginLine(plugin, own));
    if (changed !== undefined) {
      problems.push(oneLine(changed, MAX_COLUMNS));
      continue;
    }
    const found = findExtensions(folder, within ?? folder);
    problems.push(...found.problems.map((line) => oneLine(line, MAX_COLUMNS)));
    const { files } = found;
    const isLeftOut =
      origin.kind === "project" && approvals.state(extensionsApprovable(folder, files, project.root)) !== "approved";
    for (const file of files) {
      const path = isInside(project.root, file.file)
        ? relative(project.root, file.file)
        : shortPath(file.file, own.home);
      (isLeftOut ? unapproved : chosen).push({ ...file, origin, shown: oneLine(path, MAX_COLUMNS) });
    }
  }
  return { chosen, unapproved, problems };
}
