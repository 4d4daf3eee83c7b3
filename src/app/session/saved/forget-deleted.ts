import { join } from "node:path";
import type { Directories } from "../../../platform/directories.ts";
import { entryExists } from "../../../platform/paths.ts";

/**
 * Removes deleted sessions from the indexes: the texts of the list, and the words of the search. If an index
 * can't be used, nothing happens: the next list or search does it.
 * @param folders The folders of the projects' sessions; absolute.
 */
export async function forgetDeleted({ data }: Pick<Directories, "data">, folders: readonly string[]): Promise<void> {
  if (folders.length === 0) return;
  const { listSessions } = await import("../../../services/session/session-catalogue.ts");
  for (const folder of new Set(folders)) await listSessions(folder);
  const { indexFile } = await import("../../../services/recall/io/index-file.ts");
  const indexPath = indexFile(data);
  if (!entryExists(indexPath)) return;
  const { forgetDeletedSessions } = await import("../../../services/recall/forget-deleted-sessions.ts");
  await forgetDeletedSessions({ root: join(data, "sessions"), indexPath });
}
