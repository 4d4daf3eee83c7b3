import { join } from "node:path";
import { readSmallBytes } from "../read-small-file.ts";

/** One file in git's index. */
export type IndexName = {
  /** Relative to the top of the work tree, `/` between its parts. */
  readonly path: string;
  /** The mode as git writes it: 0o100644, 0o100755, 0o120000 (a link), 0o160000 (another repository). */
  readonly mode: number;
  /** The file's object, in hexadecimal digits. */
  readonly object: string;
  /** The file's state as git saw it: its size (cut to 32 bits) and its modification time, in nanoseconds. */
  readonly size: number;
  readonly modifiedNs: bigint;
  /** True during a merge conflict about the file, or if only its name is to be added. */
  readonly isUnsettled: boolean;
  /** True if a sparse checkout leaves the file out of the work tree. */
  readonly isSkipped: boolean;
};

/** An index of 100,000 files has about 10 MB. */
const MAX_INDEX_BYTES = 48 * 1024 * 1024;
const MAX_NAMES = 300_000;
const HEADER_BYTES = 12;
/** Times, device, inode, mode, owner, group and size precede an entry's object. */
const STAT_BYTES = 40;
const SHA1_BYTES = 20;
const EXTENDED = 0x4000;
const STAGES = 0x3000;
const INTENT_TO_ADD = 0x2000;
const SKIP_WORKTREE = 0x4000;
/** The mode of another repository. */
export const GITLINK = 0o160000;
const KNOWN_MODES: ReadonlySet<number> = new Set([0o100644, 0o100755, 0o120000, GITLINK]);
/** Extensions that change the meaning of the entries: a part is in another file, or a folder represents its files. */
const MANDATORY = /^(?:link|sdir)$/;

/**
 * The files in git's index, read from `<gitDir>/index` (gitformat-index(5), versions 2 to 4, SHA-1) without starting
 * git.
 * @param only Entries with other modes are left out, which is much faster in a large work tree; absent for all.
 * @returns undefined if the index can't be read this way: too large, split, sparse, of another version or hash, or
 * damaged.
 */
export function indexNames(gitDir: string, only?: number): readonly IndexName[] | undefined {
  const bytes = readSmallBytes(join(gitDir, "index"), MAX_INDEX_BYTES);
  // A repository without any file has no index yet.
  return bytes === "missing" ? [] : bytes && parseIndex(bytes, only);
}

/** Like `indexNames`, for the content of an index. */
export function parseIndex(bytes: Buffer, only?: number): readonly IndexName[] | undefined {
  if (bytes.length < HEADER_BYTES + SHA1_BYTES || bytes.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = bytes.readUInt32BE(4);
  const count = bytes.readUInt32BE(8);
  if (version < 2 || version > 4 || count > MAX_NAMES) return undefined;
  const end = bytes.length - SHA1_BYTES;
  const entries = bytes.subarray(0, end);
  const names: IndexName[] = [];
  let at = HEADER_BYTES;
  let before: Buffer = Buffer.alloc(0);
  for (let index = 0; index < count; index += 1) {
    const entry = readEntry(entries, at, version, before);
    if (entry === undefined) return undefined;
    if (only === undefined || entry.mode === only) {
      const name = nameOf(entries, at, entry);
      if (LEADS_AWAY.test(name.path)) return undefined;
      names.push(name);
    }
    at = entry.next;
    before = entry.name;
  }
  return extensionsAreOrdinary(bytes, at, end) ? names : undefined;
}

/** Git refuses such a name: it leads out of the work tree, or into git's own folder. */
const LEADS_AWAY = /^\/|(?:^|\/)(?:\.{1,2}|\.git)(?:\/|$)/i;

type Entry = {
  readonly mode: number;
  /** The bytes of the name in the index, unless the name was put together from two entries. */
  readonly name: Buffer;
  readonly isUnsettled: boolean;
  readonly isSkipped: boolean;
  readonly next: number;
};

function readEntry(bytes: Buffer, start: number, version: number, before: Buffer): Entry | undefined {
  let at = start + STAT_BYTES + SHA1_BYTES;
  if (at + 2 > bytes.length) return undefined;
  const mode = bytes.readUInt32BE(start + 24);
  if (!KNOWN_MODES.has(mode)) return undefined;
  const flags = bytes.readUInt16BE(at);
  at += 2;
  let more = 0;
  if ((flags & EXTENDED) !== 0) {
    if (version < 3 || at + 2 > bytes.length) return undefined;
    more = bytes.readUInt16BE(at);
    at += 2;
  }
  const prefix = version === 4 ? readPrefix(bytes, at, before) : { kept: undefined, next: at };
  if (prefix === undefined) return undefined;
  const nul = bytes.indexOf(0, prefix.next);
  if (nul < 0) return undefined;
  const rest = bytes.subarray(prefix.next, nul);
  const name = prefix.kept === undefined ? rest : Buffer.concat([prefix.kept, rest]);
  if (name.length === 0) return undefined;
  // Up to version 3, NULs pad the entry to a multiple of eight.
  const next = version === 4 ? nul + 1 : start + (Math.floor((nul - start) / 8) + 1) * 8;
  const isUnsettled = (flags & STAGES) !== 0 || (more & INTENT_TO_ADD) !== 0;
  return { mode, name, isUnsettled, isSkipped: (more & SKIP_WORKTREE) !== 0, next };
}

function nameOf(bytes: Buffer, start: number, { mode, name, isUnsettled, isSkipped }: Entry): IndexName {
  const seconds = BigInt(bytes.readUInt32BE(start + 8));
  return {
    path: name.toString("utf8"),
    mode,
    object: bytes.toString("hex", start + STAT_BYTES, start + STAT_BYTES + SHA1_BYTES),
    size: bytes.readUInt32BE(start + 36),
    modifiedNs: seconds * 1_000_000_000n + BigInt(bytes.readUInt32BE(start + 12)),
    isUnsettled,
    isSkipped,
  };
}

/** Version 4: how much of the previous name is dropped, as an offset varint, then the rest of this name. */
function readPrefix(bytes: Buffer, start: number, before: Buffer): { kept: Buffer; next: number } | undefined {
  let at = start;
  let byte = bytes[at];
  if (byte === undefined) return undefined;
  let dropped = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    at += 1;
    byte = bytes[at];
    if (byte === undefined || at - start > 4) return undefined;
    dropped = (dropped + 1) * 128 + (byte & 0x7f);
  }
  if (dropped > before.length) return undefined;
  return { kept: before.subarray(0, before.length - dropped), next: at + 1 };
}

/** The extensions after the entries: blocks with a name of four letters and a length, up to the checksum. */
function extensionsAreOrdinary(bytes: Buffer, start: number, end: number): boolean {
  let at = start;
  while (at < end) {
    if (at + 8 > end || MANDATORY.test(bytes.toString("latin1", at, at + 4))) return false;
    at += 8 + bytes.readUInt32BE(at + 4);
  }
  return at === end;
}
