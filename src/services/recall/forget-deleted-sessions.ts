import { openIndex } from "./io/index-file.ts";
import { sessionFiles } from "./io/session-files.ts";
import { forgetDeleted } from "./io/write-index.ts";

/**
 * Removes the sessions whose logs no longer exist from the index. Never rejects: a search does the same.
 * @param root The folder of all sessions; absolute.
 * @param indexPath As `indexFile` names it.
 */
export async function forgetDeletedSessions({
  root,
  indexPath,
}: {
  readonly root: string;
  readonly indexPath: string;
}): Promise<void> {
  const opened = await openIndex(indexPath);
  if ("problem" in opened) return;
  try {
    forgetDeleted(opened.database, sessionFiles(root));
  } catch {
    // Another process writes to the index, or it is damaged.
  } finally {
    opened.database.close();
  }
}
