import { unzipSync, zipSync } from "fflate";
import { DocumentProblem } from "../document-order.ts";

/** A document with more entries is none. */
export const MAX_ENTRIES = 20_000;
/** All that is unpacked of one document, together. */
export const MAX_UNPACKED_BYTES = 150 * 1024 * 1024;

/** A ZIP file of which single entries are unpacked when they are needed. */
export type Archive = {
  readonly names: readonly string[];
  has(name: string): boolean;
  /**
   * The bytes of an entry; undefined if there is none.
   * @throws {DocumentProblem} more is unpacked than a document may hold.
   */
  bytes(name: string): Uint8Array | undefined;
  /** The same as text, in UTF-8 or UTF-16. */
  text(name: string): string | undefined;
  /**
   * A ZIP file of some entries, without compression, for a library that takes no entries.
   * @param changed The bytes to put in place of an entry's own.
   */
  only(
    isKept: (name: string) => boolean,
    changed?: (name: string, bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>,
  ): Uint8Array;
};

/** @throws {DocumentProblem} it is damaged, or has too many entries. */
export function openArchive(bytes: Uint8Array): Archive {
  const sizes = listed(bytes);
  let unpacked = 0;
  const take = (names: ReadonlySet<string>) => {
    for (const name of names) unpacked += sizes.get(name) ?? 0;
    if (unpacked > MAX_UNPACKED_BYTES)
      throw new DocumentProblem(
        `unpacks to more than ${MAX_UNPACKED_BYTES / 1024 / 1024} MB, which is the most that is read.`,
      );
    return unzipped(bytes, ({ name }) => names.has(name));
  };
  const bytesOf = (name: string) => (sizes.has(name) ? take(new Set([name]))[name] : undefined);
  return {
    names: [...sizes.keys()],
    has: (name) => sizes.has(name),
    bytes: bytesOf,
    text: (name) => decoded(bytesOf(name)),
    only: (isKept, changed = (_, entry) => entry) => {
      const entries = take(new Set([...sizes.keys()].filter(isKept)));
      for (const [name, entry] of Object.entries(entries)) entries[name] = changed(name, entry);
      return zipSync(entries, { level: 0 });
    },
  };
}

/** The names of all entries with the sizes that the archive gives for them; more is never unpacked. */
function listed(bytes: Uint8Array): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  let entries = 0;
  unzipped(bytes, ({ name, originalSize }) => {
    entries += 1;
    if (entries > MAX_ENTRIES)
      throw new DocumentProblem(`holds more than ${MAX_ENTRIES} files, which no document does.`);
    if (!name.endsWith("/")) sizes.set(name, originalSize);
    return false;
  });
  if (sizes.size === 0)
    throw new DocumentProblem("is damaged: its list of files is missing, as in a download that was cut off.");
  return sizes;
}

function unzipped(bytes: Uint8Array, filter: (file: { name: string; originalSize: number }) => boolean) {
  try {
    return unzipSync(bytes, { filter });
  } catch (error) {
    if (error instanceof DocumentProblem) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new DocumentProblem(`is damaged: it can't be unpacked (${reason}).`);
  }
}

function decoded(bytes: Uint8Array | undefined): string | undefined {
  if (!bytes) return undefined;
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return new TextDecoder().decode(bytes);
}
