const KINDS: readonly {
  readonly kind: string;
  readonly magic: string;
  readonly at?: number;
  readonly hint?: string;
}[] = [
  { kind: "a ZIP archive (or a jar or wheel)", magic: "PK\x03\x04", hint: "List it with `unzip -l FILE`." },
  { kind: "gzip data", magic: "\x1f\x8b", hint: "See it with `zcat FILE | head`." },
  { kind: "zstd data", magic: "\x28\xb5\x2f\xfd", hint: "See it with `zstdcat FILE | head`." },
  { kind: "xz data", magic: "\xfd7zXZ\0", hint: "See it with `xzcat FILE | head`." },
  { kind: "bzip2 data", magic: "BZh", hint: "See it with `bzcat FILE | head`." },
  { kind: "an SQLite database", magic: "SQLite format 3\0", hint: "Ask it with `sqlite3 FILE .schema`." },
  { kind: "an ELF program or library", magic: "\x7fELF" },
  { kind: "a Mach-O program or library", magic: "\xcf\xfa\xed\xfe" },
  { kind: "a Java class or universal Mach-O file", magic: "\xca\xfe\xba\xbe" },
  { kind: "a Windows program", magic: "MZ" },
  { kind: "a WebAssembly module", magic: "\0asm" },
  { kind: "a tar archive", magic: "ustar", at: 257, hint: "List it with `tar tf FILE`." },
  { kind: "a font", magic: "wOF" },
  { kind: "an icon", magic: "\0\0\x01\0" },
  { kind: "a BMP image", magic: "BM", hint: "Only PNG, JPEG, GIF and WebP can be shown." },
  { kind: "an MP4 or QuickTime video", magic: "ftyp", at: 4 },
  { kind: "an Ogg sound", magic: "OggS" },
];

/** Describes a binary file by its first bytes. @returns the kind and, if there is one, a way to view it. */
export function binaryKind(head: Buffer): { readonly kind: string; readonly hint: string } {
  const found = KINDS.find(({ magic, at = 0 }) => head.toString("latin1", at, at + magic.length) === magic);
  return {
    kind: found?.kind ?? "binary data",
    hint: found?.hint ?? "`file FILE` or `xxd FILE | head` in Bash say more.",
  };
}
