import type { StartFile } from "./recording.ts";

/** The preparation of a recorded file before a replay, with an optional note for the reader. */
export type FilePreparation =
  | { readonly what: "leave" }
  | { readonly what: "place"; readonly text: string | null }
  | { readonly what: "leave"; readonly note: string };

/**
 * A file that the session changed gets its original content. A file that the session only read is created if it is
 * missing; an existing file stays unchanged, so that later changes show.
 * @param present The current text, with the same redaction; undefined if there is no file.
 */
export function prepareFile({ path, text, isChanged }: StartFile, present: string | undefined): FilePreparation {
  const isThere = present !== undefined;
  if (text === (present ?? null)) return { what: "leave" };
  if (isChanged || !isThere) return { what: "place", text };
  return { what: "leave", note: `${path} has changed since the recording; the replay uses the current file` };
}
