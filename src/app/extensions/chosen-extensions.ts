import { oneLine } from "@quoll/terminal-text/one-line";
import type { Approvals } from "../../contracts/approval.ts";
import type { ContentFolder } from "../../contracts/content-folder.ts";
import type { ExtensionFile } from "../../contracts/extension.ts";
import type { Plugin } from "../../contracts/plugin.ts";
import { type Directories, shortPath } from "../../platform/directories.ts";
import { type ContentSources, EXTENSION_FOLDERS, projectFolders } from "../content-folders.ts";
import { isInstalled } from "../plugins/plugin-folders.ts";

const MAX_COLUMNS = 300;

/** The extensions of a project, to be approved. If a project has no extensions, no file is read. */
export async function projectExtensionItems(root: string) {
  const [top] = projectFolders({ cwd: root, root }, EXTENSION_FOLDERS);
  if (!top) return [];
  const { findExtensions, extensionsApprovable } = await extensionCode();
  const { files } = findExtensions(top.folder, root);
  return files.length === 0 ? [] : [extensionsApprovable(top.folder, files, root)];
}

async function extensionCode() {
  const [{ findExtensions }, { extensionsApprovable }] = await Promise.all([
    import("../../services/extensions/find-extensions.ts"),
    import("../../services/trust/extension-approvable.ts"),
  ]);
  return { findExtensions, extensionsApprovable };
}

export type ExtensionEnvironment = ContentSources & {
  readonly own: Directories;
  /** True if settings disable all hooks except those of the administrator. */
  readonly hasManagedHooksOnly: boolean;
  readonly approvals: Approvals;
};

/** An extension that takes effect in a session. */
export type ChosenExtension = ExtensionFile & {
  readonly origin: ContentFolder["origin"];
  /** The plugin's name. */
  readonly plugin?: string;
  /** The path in short form, safe to print. */
  readonly shown: string;
};

/** The prefix of an extension's locations in stack frames. */
export function framePrefix({ file, folder }: ExtensionFile): string {
  return folder === undefined ? `${file}:` : `${folder}/`;
}

/**
 * The extensions of these folders; extensions of a project or an installed plugin only if the person approved their
 * current files.
 */
export async function chosenExtensions(
  folders: readonly ContentFolder<"extension">[],
  environment: ExtensionEnvironment,
) {
  const { findExtensions, extensionsApprovable } = await extensionCode();
  const { own, project, approvals } = environment;
  const chosen: ChosenExtension[] = [];
  const unapproved: ChosenExtension[] = [];
  const problems: string[] = [];
  for (const { folder, origin, within, plugin } of folders) {
    const owner = environment.plugins.find(({ name }) => name === plugin);
    if (plugin !== undefined && !owner) continue;
    const changed = owner && (await changedLine(owner, own));
    if (changed !== undefined) {
      problems.push(oneLine(changed, MAX_COLUMNS));
      continue;
    }
    const found = findExtensions(folder, within);
    problems.push(...found.problems.map((line) => oneLine(line, MAX_COLUMNS)));
    const { files } = found;
    const isLeftOut =
      origin === "project" && approvals.state(extensionsApprovable(folder, files, project.root)) !== "approved";
    for (const file of files) {
      const path = shortPath(file.file, own.home, project.root);
      (isLeftOut ? unapproved : chosen).push({
        ...file,
        origin,
        ...(plugin !== undefined && { plugin }),
        shown: oneLine(path, MAX_COLUMNS),
      });
    }
  }
  return { chosen, unapproved, problems };
}

/** @returns undefined for unchanged files, and for a folder of `--plugin-dir`, which is always accepted. */
async function changedLine(plugin: Plugin, own: Directories): Promise<string | undefined> {
  if (!isInstalled(plugin, own)) return undefined;
  const { changedPluginLine } = await import("../plugins/install-plugin.ts");
  return changedPluginLine(plugin, own);
}
