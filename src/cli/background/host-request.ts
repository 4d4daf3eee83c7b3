import type { SessionOptions } from "../invocation.ts";

/** The word that makes this program the host of a background session; its id follows. */
export const HOST_WORD = "__background";

/** The request of the starting process to the host. */
export type HostRequest = {
  readonly prompt: string | undefined;
  readonly options: SessionOptions;
};

/** The host's one line on stdout: the session is open, or why not. */
export type HostReport =
  | { readonly isOpen: true; readonly warnings: readonly string[] }
  | { readonly isOpen: false; readonly message: string; readonly exitCode: 1 | 2 };
