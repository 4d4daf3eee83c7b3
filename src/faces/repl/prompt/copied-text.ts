import { errorMessage } from "../../../contracts/errors.ts";
import type { ReplProps } from "../repl-props.ts";
import type { ReplState } from "../repl-state.ts";

type Parts = { readonly state: ReplState; readonly copyText: ReplProps["copyText"]; readonly ended: AbortSignal };

/** Copies a command's text to the clipboard and says which way was used. */
export async function copyAndTell(text: string, what: string, { state, copyText, ended }: Parts): Promise<void> {
  const copied = copyText ? copyText(text, ended) : Promise.reject(new Error("not copied: there is no clipboard"));
  await copied.then(
    (where) => state.tell("info", `${what}: ${where}.`),
    (error: unknown) => state.tell("error", `${what}: ${errorMessage(error)}.`),
  );
}
