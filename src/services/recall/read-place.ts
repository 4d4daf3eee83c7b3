import type { Entry } from "../../contracts/session.ts";
import { type EntryText, textsOf } from "./entry-texts.ts";
import { entryAt, type SessionFile, SpilledFiles } from "./io/session-files.ts";
import type { TextPlace } from "./io/write-index.ts";

/** Reads the text of a place in a log; undefined if the log was deleted or has changed since. */
export function readPlace(
  file: Pick<SessionFile, "path">,
  { at, part, spilled }: TextPlace,
  parse: (line: string) => Entry | undefined,
): { readonly entry: Entry; readonly found: EntryText } | undefined {
  const entry = entryAt(file.path, at, parse);
  const found = entry && textsOf(entry)[part];
  if (!found || spilled === "") return found && { entry, found };
  const text = new SpilledFiles(file).textOf(spilled);
  return text === undefined ? undefined : { entry, found: { ...found, kind: "spilled", text } };
}
