import { NotKeepableError } from "./not-keepable.ts";

/** What one way back may take. */
export type KeepLimits = { readonly maxFiles: number; readonly maxBytes: number };

/** The limits that hold unless a caller sets others. */
export const KEEP_LIMITS: KeepLimits = { maxFiles: 10_000, maxBytes: 200 * 1024 * 1024 };

/** Counts what is to be kept and stops the counting as soon as it is too much. */
export class KeepBudget {
  readonly #limits: KeepLimits;
  #files = 0;
  #bytes = 0;

  constructor(limits: KeepLimits) {
    this.#limits = limits;
  }

  /** @throws {NotKeepableError} with this file it is too much. */
  add(bytes: number): void {
    this.#files += 1;
    this.#bytes += bytes;
    const { maxFiles, maxBytes } = this.#limits;
    if (this.#files > maxFiles) {
      throw new NotKeepableError(`more than ${maxFiles.toLocaleString("en-US")} files would have to be kept`);
    }
    if (this.#bytes > maxBytes) {
      const most = maxBytes < 1024 * 1024 ? `${maxBytes} bytes` : `${Math.floor(maxBytes / 1024 / 1024)} MB`;
      throw new NotKeepableError(`more than ${most} would have to be kept`);
    }
  }
}
