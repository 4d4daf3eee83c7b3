import { expect, test } from "bun:test";
import { deflateSync } from "node:zlib";
import type { ImageMediaType } from "../../../../src/contracts/message.ts";
import { terminalPicture } from "../../../../src/faces/repl/terminal/terminal-picture.ts";
import { shrinkImage } from "../../../../src/platform/shrink-image.ts";

/** A chunk of a PNG: its length, name, data and checksum. */
function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(Bun.hash.crc32(named), 4);
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)]);
}

/** A grey PNG whose header may pretend another size than its data has. */
function png(width: number, height: number, rows = height): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const data = deflateSync(Buffer.alloc((width + 1) * rows));
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))]);
}

const taken = (bytes: Buffer, protocol: "kitty" | "iterm2", mediaType: ImageMediaType = "image/png") =>
  terminalPicture({ type: "image", mediaType, data: bytes.toString("base64") }, { protocol, shrink: shrinkImage });

test("a small PNG is sent byte for byte, a large one smaller", async () => {
  const small = png(40, 30);
  expect(await taken(small, "kitty")).toEqual({ bytes: small, width: 40, height: 30 });
  const large = await taken(png(1_600, 1_200), "kitty");
  expect(large).toMatchObject({ width: 800, height: 600 });
  expect(large?.bytes.toString("latin1", 1, 4)).toBe("PNG");
});

test("a JPEG goes to iTerm2 as it is, and to kitty as PNG", async () => {
  const jpeg = await new Bun.Image(png(40, 30)).jpeg({ quality: 80 }).buffer();
  expect((await taken(jpeg, "iterm2", "image/jpeg"))?.bytes.equals(jpeg)).toBe(true);
  const converted = await taken(jpeg, "kitty", "image/jpeg");
  expect(converted).toMatchObject({ width: 40, height: 30 });
  expect(converted?.bytes.toString("latin1", 1, 4)).toBe("PNG");
});

test.each([
  ["more pixels than may be decoded", png(60_000, 60_000, 1)],
  ["no width", png(0, 10, 1)],
  ["a size without data", png(40, 30).subarray(0, 40)],
  ["a sequence in place of its end", Buffer.concat([png(40, 30).subarray(0, 30), Buffer.from("\u001b]0;x\u0007")])],
  ["no image in it", Buffer.from("\u001b]1337;File=inline=1:AAAA\u0007")],
])("an image with %s is not shown", async (_, bytes) => {
  expect(await taken(bytes, "kitty")).toBeUndefined();
  expect(await taken(bytes, "iterm2")).toBeUndefined();
});
