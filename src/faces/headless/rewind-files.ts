import type { RewindFile, Rewinds } from "../../contracts/checkpoint.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import type { WireLine } from "./wire-format.ts";

/**
 * Sets the files back to the moment before a prompt, and leaves the conversation. Files that another hand changed too
 * stay as they are, since nobody decides about them.
 * @returns the reply: `canRewind` false with the reason, or what changed. Paths are absolute.
 */
export async function rewindFiles(
  rewinds: Rewinds | undefined,
  { messageId, isDryRun }: { readonly messageId: string; readonly isDryRun: boolean },
): Promise<WireLine> {
  if (!rewinds) return { canRewind: false, error: "This session keeps no checkpoints." };
  const { signal } = new AbortController();
  try {
    const preview = await rewinds.preview({ messageId, scope: "files" }, signal);
    const { restores, deletes, conflicts, notUndone, stops } = preview;
    const files = [...restores, ...deletes];
    if (isDryRun) return reply(files, { kept: conflicts, notUndone, stopped: stops });
    const done = await rewinds.rewind({ messageId, scope: "files" }, signal);
    const changed = new Set([...done.restored, ...done.deleted]);
    return reply(
      files.filter(({ path }) => changed.has(path)),
      done,
    );
  } catch (error) {
    if (!(error instanceof UserFacingError)) throw error;
    return { canRewind: false, error: error.message };
  }
}

type Rest = {
  readonly kept: readonly { readonly path: string; readonly reason: string }[];
  readonly notUndone: readonly string[];
  readonly stopped?: readonly string[] | undefined;
};

function reply(files: readonly RewindFile[], { kept, notUndone, stopped = [] }: Rest): WireLine {
  const sum = (side: "added" | "removed") => files.reduce((total, file) => total + (file[side] ?? 0), 0);
  return {
    canRewind: true,
    filesChanged: files.map(({ path }) => path),
    insertions: sum("added"),
    deletions: sum("removed"),
    conflicts: kept.map(({ path, reason }) => ({ path, reason })),
    not_undone: notUndone,
    stopped_tasks: stopped,
  };
}
