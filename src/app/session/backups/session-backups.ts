import type { BackupRestore, Backups } from "../../../contracts/checkpoint.ts";
import type { BackupRestores } from "../checkpoints/session-rewinds.ts";
import { type BackupsEnvironment, projectBackups, stateNamed } from "./project-backups.ts";

export type SessionBackupsParts = {
  readonly environment: BackupsEnvironment;
  readonly restores: BackupRestores;
  shown(path: string): string;
};

/** Restores backups within a session: its records hold each restore, so `/redo` takes it back. */
export function sessionBackups({ environment, restores, shown }: SessionBackupsParts): Backups {
  const backups = projectBackups(environment);
  const list = async (signal: AbortSignal) => (await backups.list(signal)).filter(({ kind }) => kind === "backup");
  const named = async (id: string, signal: AbortSignal): Promise<BackupRestore> => {
    const state = stateNamed(id, await list(signal));
    if (state.kind !== "backup") throw new Error("A checkpoint is not in the list of backups.");
    return { record: state.record, reader: backups.reader };
  };
  return {
    shown,
    list,
    preview: async (id, signal) => restores.previewBackup(await named(id, signal), signal),
    restore: async (id, choices = {}, signal) =>
      restores.restoreBackup({ ...(await named(id, signal)), choices }, signal),
  };
}
