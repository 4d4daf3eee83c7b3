/** An index of version 2 (gitformat-index(5)): stat data, object, flags with the length of the name, name, padding. */
const SIGNATURE = "DIRC\0\0\0\x02";
const COUNT_AT = 8;
const HEADER_BYTES = 12;
const ENTRY_BYTES = 62;
const INODE_AT = 20;
const MODE_AT = 24;
const OID_AT = 40;
const OID_END = 60;
const FLAGS_AT = 60;
const LENGTH_BITS = 0xfff;
const STAGE_BITS = 0x3000;

/** `mode`: octal, as in a tree. `inode`: its lower 32 bits. */
export type IndexFileEntry = { readonly inode: number; readonly mode: string; readonly oid: string };

/**
 * The entries of some paths in an index file; undefined if it has another version. Both are sorted by the bytes of the
 * names, so one pass finds them.
 */
export function indexFileEntries(
  index: Buffer,
  paths: Iterable<string>,
): ReadonlyMap<string, IndexFileEntry> | undefined {
  if (index.toString("latin1", 0, SIGNATURE.length) !== SIGNATURE) return undefined;
  const found = new Map<string, IndexFileEntry>();
  const names = [...paths].map((path) => ({ path, bytes: Buffer.from(path) }));
  names.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  let wanted = 0;
  let at = HEADER_BYTES;
  for (let left = index.readUInt32BE(COUNT_AT); left > 0; left -= 1) {
    const nameAt = at + ENTRY_BYTES;
    const flags = index.readUInt16BE(at + FLAGS_AT);
    const length = flags & LENGTH_BITS;
    const end = length < LENGTH_BITS ? nameAt + length : index.indexOf(0, nameAt);
    let order = -1;
    for (let name = names[wanted]; name; name = names[wanted]) {
      order = index.compare(name.bytes, 0, name.bytes.length, nameAt, end);
      if (order <= 0) break;
      wanted += 1;
    }
    const name = names[wanted];
    if (!name) break;
    if (order === 0 && (flags & STAGE_BITS) === 0)
      found.set(name.path, {
        inode: index.readUInt32BE(at + INODE_AT),
        mode: index.readUInt32BE(at + MODE_AT).toString(8),
        oid: index.toString("hex", at + OID_AT, at + OID_END),
      });
    // The name ends with one to eight NULs.
    at += (ENTRY_BYTES + (end - nameAt) + 8) & ~7;
  }
  return found;
}
