import { describe, expect, test } from "bun:test";
import type { Encoding } from "../../../src/contracts/files.ts";
import { decode, detectEncoding, encode, SAMPLE_BYTES } from "../../../src/platform/files/encoding.ts";
import { seeded } from "../../services/tools/call-tool.ts";

const utf16be = (text: string) => Buffer.from(text, "utf16le").swap16();

test.each<[string, Buffer, Encoding | "binary"]>([
  ["nothing", Buffer.alloc(0), { name: "utf-8", bom: false }],
  ["ASCII", Buffer.from("hello\n"), { name: "utf-8", bom: false }],
  ["UTF-8", Buffer.from("größe 😀\n"), { name: "utf-8", bom: false }],
  ["UTF-8 with a mark", Buffer.from("\ufeffhello"), { name: "utf-8", bom: true }],
  ["UTF-16 LE with a mark", Buffer.from("\ufeffhello", "utf16le"), { name: "utf-16le", bom: true }],
  ["UTF-16 BE with a mark", utf16be("\ufeffhello"), { name: "utf-16be", bom: true }],
  ["UTF-16 LE", Buffer.from("hello\nthere", "utf16le"), { name: "utf-16le", bom: false }],
  ["UTF-16 BE", utf16be("hello\nthere"), { name: "utf-16be", bom: false }],
  ["a word in an old encoding", Buffer.from("größe", "latin1"), { name: "unknown", bom: false }],
  [
    "UTF-8 with one stray byte",
    Buffer.concat([Buffer.from("größe"), Buffer.from([0xff])]),
    { name: "utf-8", bom: false },
  ],
  ["terminal colours", Buffer.from("\x1b[31mred\x1b[0m\n"), { name: "utf-8", bom: false }],
  ["a NUL", Buffer.from("a\0b"), "binary"],
  ["control characters", Buffer.from([1, 2, 3, 4, 5, 6]), "binary"],
  ["UTF-32 LE", Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]), "binary"],
  ["a list of words that end in NUL", Buffer.from("abc\0def\0"), "binary"],
  ["a list of letters that end in NUL", Buffer.from("a\0b\0c\0d\0"), "binary"],
  ["a damaged PNG", Buffer.from("\x89PNG\r\n\x1a\nnothing of an image\n", "latin1"), "binary"],
  ["a damaged JPEG", Buffer.from("\xff\xd8\xff nothing of an image\n", "latin1"), "binary"],
  ["little numbers", Buffer.from([1, 0, 2, 0, 3, 0, 4, 0]), "binary"],
])("%s is told", (_, bytes, expected) => {
  expect(detectEncoding(bytes)).toEqual(expected);
});

test("a sequence that the sample cuts in two is no stray byte", () => {
  const bytes = Buffer.from(`${"a".repeat(SAMPLE_BYTES - 1)}é`);
  expect(detectEncoding(bytes.subarray(0, SAMPLE_BYTES))).toEqual({ name: "utf-8", bom: false });
});

describe("decoded text is encoded back byte for byte", () => {
  const random = seeded(5);
  test("random bytes as UTF-8 and as an unknown encoding", () => {
    for (let round = 0; round < 2_000; round += 1) {
      const bytes = Buffer.from(
        Array.from({ length: random.below(40) }, () =>
          random.pick([
            0x61,
            0x0a,
            0xc3,
            0xa9,
            0xed,
            0xa0,
            0x80,
            0xb2,
            0xf0,
            0x9f,
            0x98,
            0x80,
            0xff,
            random.below(256),
          ]),
        ),
      );
      for (const name of ["utf-8", "unknown"] as const) {
        expect(encode(decode(bytes, { name, bom: false }), { name, bom: false })).toEqual(bytes);
      }
    }
  });

  test("random units as UTF-16, lone surrogates too", () => {
    for (let round = 0; round < 500; round += 1) {
      const bytes = Buffer.from(
        Array.from({ length: random.below(20) * 2 }, () => random.pick([0xd8, 0xdc, 0x00, random.below(256)])),
      );
      for (const name of ["utf-16le", "utf-16be"] as const) {
        expect(encode(decode(bytes, { name, bom: false }), { name, bom: false })).toEqual(bytes);
      }
    }
  });

  test("a mark is kept and is never part of the text", () => {
    for (const name of ["utf-8", "utf-16le", "utf-16be"] as const) {
      const bytes = encode("é\n", { name, bom: true });
      const encoding = detectEncoding(bytes);
      expect(encoding).toEqual({ name, bom: true });
      expect(decode(bytes, encoding as Encoding)).toBe("é\n");
    }
  });
});

test("UTF-16 of odd length and a letter for an unknown encoding are refused", () => {
  expect(() => decode(Buffer.from([0x61, 0, 0x62]), { name: "utf-16le", bom: false })).toThrow("odd number of bytes");
  expect(() => encode("€", { name: "unknown", bom: false })).toThrow("encoding of the file is unknown");
});
