import { expect, test } from "bun:test";
import { sendable } from "../../../../src/services/provider/history/media.ts";

const ALL = { images: true, documents: true };
const base64 = (...bytes: readonly (number | string)[]) =>
  Buffer.concat(
    bytes.map((byte) => (typeof byte === "string" ? Buffer.from(byte, "latin1") : Buffer.of(byte))),
  ).toString("base64");
const PNG = base64(0x89, "PNG\r\n", 0x1a, "\n", "rest");
const JPEG = base64(0xff, 0xd8, 0xff, 0xe0, "JFIF");
const GIF = base64("GIF89a", "rest");
const WEBP = base64("RIFF", 1, 2, 3, 4, "WEBPVP8 ");

test.each([
  ["image/png", PNG],
  ["image/jpeg", JPEG],
  ["image/gif", GIF],
  ["image/webp", WEBP],
] as const)("a picture that is %s is sent as that, whatever it was called", (mediaType, data) => {
  const right = { type: "image", mediaType, data } as const;
  expect(sendable(right, ALL)).toBe(right);
  const wrong = { type: "image", mediaType: mediaType === "image/png" ? "image/gif" : "image/png", data } as const;
  expect(sendable(wrong, ALL)).toEqual(right);
});

test.each([
  ["nothing", ""],
  ["a text", base64("hello, world")],
  ["another RIFF file", base64("RIFF", 1, 2, 3, 4, "WAVEfmt ")],
  ["no base64", "!!!!"],
])("%s is no picture", (_name, data) => {
  expect(sendable({ type: "image", mediaType: "image/png", data }, ALL).type).toBe("text");
});

test("a PDF is recognised by its first bytes", () => {
  const pdf = (data: string) =>
    sendable({ type: "document", mediaType: "application/pdf", data }, ALL).type === "document";
  expect([pdf(base64("%PDF-1.7\n")), pdf(base64("%PDX-1.7")), pdf(""), pdf(PNG)]).toEqual([true, false, false, false]);
});
