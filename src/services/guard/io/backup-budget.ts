import { CannotBackUpError } from "./cannot-back-up.ts";

/** The limits of one backup. */
export type BackupLimits = { readonly maxFiles: number; readonly maxBytes: number };

/** The default limits. */
export const BACKUP_LIMITS: BackupLimits = { maxFiles: 10_000, maxBytes: 200 * 1024 * 1024 };

/** Counts the files to back up and throws as soon as a limit is exceeded. */
export class BackupBudget {
  readonly #limits: BackupLimits;
  #files = 0;
  #bytes = 0;

  constructor(limits: BackupLimits) {
    this.#limits = limits;
  }

  /** @throws {CannotBackUpError} this file passes a limit. */
  add(bytes: number): void {
    this.#files += 1;
    this.#bytes += bytes;
    const { maxFiles, maxBytes } = this.#limits;
    if (this.#files > maxFiles) {
      throw new CannotBackUpError(`the backup would need more than ${maxFiles.toLocaleString("en-US")} files`);
    }
    if (this.#bytes > maxBytes) {
      const most = maxBytes < 1024 * 1024 ? `${maxBytes} bytes` : `${Math.floor(maxBytes / 1024 / 1024)} MB`;
      throw new CannotBackUpError(`the backup would be larger than ${most}`);
    }
  }
}
