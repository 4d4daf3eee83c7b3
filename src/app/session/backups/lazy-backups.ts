import type { Backups } from "../../../contracts/checkpoint.ts";
import type { SessionBackupsParts } from "./session-backups.ts";

/** The backups of a session; their code is loaded at the first use. */
export function lazyBackups(parts: SessionBackupsParts): Backups {
  let made: Promise<Backups> | undefined;
  const backups = () => {
    made ??= import("./session-backups.ts").then(({ sessionBackups }) => sessionBackups(parts));
    return made;
  };
  return {
    shown: (path) => parts.shown(path),
    list: async (signal) => (await backups()).list(signal),
    preview: async (id, signal) => (await backups()).preview(id, signal),
    restore: async (id, choices, signal) => (await backups()).restore(id, choices, signal),
  };
}
