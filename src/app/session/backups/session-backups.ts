import type { BackupRestore, Backups, RewindResult } from "../../../contracts/checkpoint.ts";
import { UserFacingError } from "../../../contracts/errors.ts";
import type { QueryEngine } from "../../../engine/query-engine.ts";
import type { OpenCheckpoints } from "../checkpoints/open-checkpoints.ts";
import { type BackupsPlace, projectBackups, stateNamed } from "./project-backups.ts";

/** How many changed files a note for the model names. */
const MAX_NAMED_FILES = 20;

export type SessionBackupsParts = Pick<OpenCheckpoints, "restoring"> & {
  readonly place: BackupsPlace;
  readonly engine: QueryEngine;
  shown(path: string): string;
};

/** Restores backups within a session: its records hold each restore, so `/redo` takes it back. */
export function sessionBackups({ place, engine, shown, restoring }: SessionBackupsParts): Backups {
  const backups = projectBackups(place);
  const list = async (signal: AbortSignal) => (await backups.list(signal)).filter(({ kind }) => kind === "backup");
  const named = async (id: string, signal: AbortSignal): Promise<BackupRestore> => {
    const state = stateNamed(id, await list(signal));
    if (state.kind !== "backup") throw new Error("A checkpoint is not in the list of backups.");
    return { record: state.record, reader: backups.reader };
  };
  const files = async () => {
    const found = await restoring();
    if (found) return found;
    throw new UserFacingError(
      "This session keeps no checkpoints: `quoll backups restore <id>` in a shell restores it.",
    );
  };
  return {
    shown,
    list,
    preview: async (id, signal) => (await files()).previewBackup(await named(id, signal), signal),
    async restore(id, choices = {}, signal) {
      if (engine.state.busy) throw new UserFacingError("A turn is running: wait for it or press Esc, then restore.");
      assertNoRewind(engine);
      const request = await named(id, signal);
      const done = await (await files()).restoreBackup({ ...request, choices }, signal);
      tellModel(done, { engine, shown });
      return done;
    },
  };
}

/** A redo takes back the newest of what follows each other; a rewind of the conversation must stay the newest. */
function assertNoRewind({ conversation }: QueryEngine): void {
  const last = conversation.history().findLast(({ kind }) => kind === "branch" || kind === "user");
  if (last?.kind === "branch" && last.by === "rewind")
    throw new UserFacingError("The conversation has just gone back: send a prompt or /redo, then restore the backup.");
}

/** The model still remembers the files as they were. */
function tellModel(
  { restored, deleted }: RewindResult,
  { engine, shown }: Pick<SessionBackupsParts, "engine" | "shown">,
): void {
  const changed = [...restored, ...deleted];
  if (changed.length === 0) return;
  const named = changed.slice(0, MAX_NAMED_FILES).map((path) => shown(path));
  const more = changed.length > named.length ? ` and ${changed.length - named.length} more` : "";
  engine.userMessages.addNote(
    `The user has restored these files from a backup: ${named.join(", ")}${more}. Read them again before you use or change them.`,
  );
}
