import { relative } from "node:path";
import { plural } from "@quoll/terminal-text/plural";
import type { Approvable } from "../../contracts/approval.ts";
import type { ExtensionFile } from "../../contracts/extension.ts";
import { folderContent } from "./approved-content.ts";
import { shownEffects } from "./shown-effects.ts";

/**
 * The extensions of a project as one item to approve: all files of their folder, because a module can load any of them
 * under names that are made while it runs.
 * @param root The project root: absolute, symlinks resolved.
 */
export function extensionsApprovable(folder: string, files: readonly ExtensionFile[], root: string): Approvable {
  const name = relative(root, folder);
  const content = folderContent(folder);
  const lines = [
    `loads extensions (${name}, ${plural(content?.length ?? 0, "file")}): their code runs inside Quoll with all your rights`,
    ...files.map((file) => `runs the extension ${file.name} (${relative(root, file.file)})`),
    `does not compare code that an extension loads from outside ${name}, such as node_modules or src: it may change unnoticed`,
  ];
  const item = { kind: "extension", name, content: content?.join("\n") ?? "" } as const;
  if (content) return { ...item, ...shownEffects(lines) };
  const obstacle = "it has too many or too large files to check for changes, or one that can't be read";
  return { ...item, ...shownEffects([...lines, `can't be approved, and stays off: ${obstacle}`]), obstacle };
}
