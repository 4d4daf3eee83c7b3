import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";

type Change = string | Uint8Array<ArrayBuffer> | ((text: string) => string);

/** A copy of a ZIP file with some entries changed or added. */
export function changedArchive(bytes: Uint8Array, changes: Readonly<Record<string, Change>>): Buffer {
  const entries = unzipSync(bytes);
  for (const [name, change] of Object.entries(changes)) {
    const text = typeof change === "function" ? change(strFromU8(entries[name] ?? new Uint8Array())) : change;
    entries[name] = typeof text === "string" ? strToU8(text) : text;
  }
  return Buffer.from(zipSync(entries, { level: 1 }));
}

/** The same archive with another size of an entry in its central directory (APPNOTE 4.3.12). */
export function withSaidSize(archive: Uint8Array, entry: string, bytes: number): Buffer {
  const changed = Buffer.from(archive);
  // The name comes 46 bytes after the begin of its record, the size 24.
  const at = changed.lastIndexOf(entry) - 46;
  if (changed.readUInt32LE(at) !== 0x02014b50) throw new Error(`${entry} is not in the archive.`);
  changed.writeUInt32LE(bytes, at + 24);
  return changed;
}
