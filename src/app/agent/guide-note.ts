import { basename, dirname, join } from "node:path";
import { artifactFolder } from "../../platform/artifact-folder.ts";
import { entryExists } from "../../platform/paths.ts";

/**
 * Writes the pages of the guide into the session's folder, which every agent of the session may read.
 * @param artifacts The session's folder; absolute.
 * @returns a text that tells a model where the pages are.
 */
export async function guideNote(artifacts: { readonly path: string }): Promise<string> {
  const { GUIDE_PAGES } = await import("../../services/agents/guide-pages.ts");
  const folder = join(artifacts.path, "guide");
  const names = Object.keys(GUIDE_PAGES);
  for (const [page, text] of Object.entries(GUIDE_PAGES)) {
    const path = join(folder, page);
    if (!entryExists(path)) await artifactFolder(dirname(path)).save(basename(path), text);
  }
  return `The documentation of Quoll is in ${folder}: ${names.join(", ")}.`;
}
