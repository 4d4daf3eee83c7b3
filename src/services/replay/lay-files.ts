import type { StartFile } from "./recording.ts";

/** What is to be done with a file of the recording before a replay, and what the reader should know of it. */
export type Laid =
  | { readonly what: "leave" }
  | { readonly what: "place"; readonly text: string | null }
  | { readonly what: "leave"; readonly note: string };

/**
 * A file that the session changed is made what it was before. One that it only read is put in place where it is missing; where it
 * stands, it stays as it is, so that what was changed since shows.
 * @param present Its text now, with the same redaction; undefined when there is none.
 */
export function layFile({ path, text, isChanged }: StartFile, present: string | undefined): Laid {
  const isThere = present !== undefined;
  if (text === (present ?? null)) return { what: "leave" };
  if (isChanged || !isThere) return { what: "place", text };
  return { what: "leave", note: `${path} is not what it was in the recording; it is replayed as it stands` };
}
