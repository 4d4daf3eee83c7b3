import type { SessionOptions } from "../invocation.ts";

/** The word that makes this program the host of a background session; the session's id follows. */
export const HOST_WORD = "__background";

/** The request of the starting process to the host. */
export type HostRequest = {
  readonly prompt: string | undefined;
  readonly options: SessionOptions;
};

/** The host's single line on stdout: the session is open, or the reason why it is not. */
export type HostReport =
  | { readonly isOpen: true; readonly warnings: readonly string[] }
  | { readonly isOpen: false; readonly message: string; readonly exitCode: 1 | 2 };
