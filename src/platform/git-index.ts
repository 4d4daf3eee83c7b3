import { readSmallBytes } from "./read-small-file.ts";

/** A work tree of some hundred thousand files. */
const MAX_INDEX_BYTES = 64 * 1024 * 1024;
const HEADER_BYTES = 12;
const TRAILER_BYTES = 20;
/** Times, device, inode, mode, owner and size stand before the name of the object. */
const STAT_BYTES = 40;
const MODE_OFFSET = 24;
const EXTENDED_FLAG = 0x4000;
const NAME_LENGTH_MASK = 0x0fff;

/** Of an entry: its mode (0o100644, 0o120000 a link, 0o160000 another repository) and where its name stands. */
export type IndexedFile = { readonly mode: number; readonly name: string };

/** Another repository, as the mode of an entry. */
export const GITLINK = 0o160000;

/**
 * The names and modes in a git index file (gitformat-index(5), versions 2 to 4, SHA-1), read without starting git.
 * @param wants Entries of other modes are passed over without reading their names; all when left out.
 * @returns none when there is no index; undefined when it is split over two files, too large, or no such file.
 */
export function readIndex(path: string, wants?: number): readonly IndexedFile[] | undefined {
  const bytes = readSmallBytes(path, MAX_INDEX_BYTES);
  if (bytes === "missing") return [];
  if (bytes === undefined) return undefined;
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < HEADER_BYTES + TRAILER_BYTES || bytes.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = data.getUint32(4);
  if (version < 2 || version > 4) return undefined;
  const reader = { bytes, data, version, at: HEADER_BYTES, end: bytes.byteLength - TRAILER_BYTES, name: "" };
  const found: IndexedFile[] = [];
  for (let left = data.getUint32(8); left > 0; left -= 1) {
    const entry = readEntry(reader, wants);
    if (entry === undefined) return undefined;
    if (wants === undefined || entry.mode === wants) found.push(entry);
  }
  return isSplit(reader) ? undefined : found;
}

type IndexReader = {
  readonly bytes: Buffer;
  readonly data: DataView;
  readonly version: number;
  readonly end: number;
  at: number;
  /** Of the entry before, from which version 4 takes the beginning. */
  name: string;
};

function readEntry(reader: IndexReader, wants: number | undefined): IndexedFile | undefined {
  const { data, version, at, end } = reader;
  const flagsAt = at + STAT_BYTES + TRAILER_BYTES;
  if (flagsAt + 2 > end) return undefined;
  const mode = data.getUint32(at + MODE_OFFSET);
  const flags = data.getUint16(flagsAt);
  const nameAt = flagsAt + ((flags & EXTENDED_FLAG) === 0 ? 2 : 4);
  if (version === 4) return readPacked(reader, nameAt, mode);
  const stated = flags & NAME_LENGTH_MASK;
  const nameEnd = stated < NAME_LENGTH_MASK ? nameAt + stated : reader.bytes.indexOf(0, nameAt);
  if (nameEnd < 0 || nameEnd >= end) return undefined;
  // One to eight NULs, up to a multiple of eight bytes from the entry's start.
  reader.at = at + ((nameEnd - at + 8) & ~7);
  const isWanted = wants === undefined || mode === wants;
  return { mode, name: isWanted ? reader.bytes.toString("utf8", nameAt, nameEnd) : "" };
}

/** Version 4: how many bytes of the name before to drop, and what follows instead. */
function readPacked(reader: IndexReader, from: number, mode: number): IndexedFile | undefined {
  const { bytes, end } = reader;
  let at = from;
  let byte = bytes[at] ?? 0;
  let dropped = byte & 0x7f;
  while ((byte & 0x80) !== 0 && at < end) {
    at += 1;
    byte = bytes[at] ?? 0;
    dropped = (dropped + 1) * 128 + (byte & 0x7f);
  }
  const nameEnd = bytes.indexOf(0, at + 1);
  if (nameEnd < 0 || nameEnd >= end) return undefined;
  const before = Buffer.from(reader.name, "latin1");
  if (dropped > before.length) return undefined;
  const name = Buffer.concat([before.subarray(0, before.length - dropped), bytes.subarray(at + 1, nameEnd)]);
  reader.name = name.toString("latin1");
  reader.at = nameEnd + 1;
  return { mode, name: name.toString("utf8") };
}

/** Whether the extension `link` says that most entries stand in another file. */
function isSplit({ bytes, data, at, end }: IndexReader): boolean {
  let next = at;
  while (next + 8 <= end) {
    if (bytes.toString("latin1", next, next + 4) === "link") return true;
    next += 8 + data.getUint32(next + 4);
  }
  return false;
}
