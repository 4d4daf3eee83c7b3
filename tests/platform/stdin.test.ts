import { expect, test } from "bun:test";
import { PassThrough, Readable } from "node:stream";
import { readStdin } from "../../src/platform/stdin.ts";

test("stdin is read to its end, and characters split across chunks stay whole", async () => {
  const bytes = Buffer.from("eins\nzwei ü 👍");
  const pieces = Array.from(bytes, (byte) => Buffer.from([byte]));
  expect(await readStdin(Readable.from(pieces))).toEqual({
    kind: "text",
    text: "eins\nzwei ü 👍",
    replacedInvalid: false,
  });
  expect(await readStdin(Readable.from([]))).toEqual({ kind: "text", text: "", replacedInvalid: false });
});

test("invalid UTF-8 is replaced and reported, a sent replacement character is not", async () => {
  expect(await readStdin(Readable.from([Buffer.from([0x61, 0xc3])]))).toEqual({
    kind: "text",
    text: "a\ufffd",
    replacedInvalid: true,
  });
  expect(await readStdin(Readable.from([Buffer.from("\ufffd")]))).toMatchObject({ replacedInvalid: false });
});

test("a silent pipe is ignored after the time limit, and late input stays unread", async () => {
  const stream = new PassThrough();
  expect(await readStdin(stream, { firstByteMs: 5 })).toEqual({ kind: "silent" });
  expect(["data", "end", "error"].map((event) => stream.listenerCount(event))).toEqual([0, 0, 0]);
  expect(stream.isPaused()).toBe(true);
  stream.destroy();
});

test("a pipe that has begun to send is read to its end, however slow", async () => {
  const stream = new PassThrough();
  const reading = readStdin(stream, { firstByteMs: 5 });
  stream.write("slow");
  await Bun.sleep(20);
  stream.end(" but sure");
  expect(await reading).toEqual({ kind: "text", text: "slow but sure", replacedInvalid: false });
});

test("exactly the limit is taken, one byte more is not", async () => {
  const read = (size: number) => readStdin(Readable.from([Buffer.alloc(size, 97)]), { maxBytes: 10 });
  expect([(await read(10)).kind, (await read(11)).kind]).toEqual(["text", "too-large"]);
});

test("an endless stream is refused at the limit, not when it ends", async () => {
  const endless = Readable.from(
    (async function* () {
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve));
        yield Buffer.alloc(1_000, 97);
      }
    })(),
  );
  expect(await readStdin(endless, { maxBytes: 5_000 })).toEqual({ kind: "too-large" });
  endless.destroy();
});

test("an error of the stream is thrown", async () => {
  const stream = new PassThrough();
  const reading = readStdin(stream);
  stream.destroy(new Error("EIO"));
  await expect(reading).rejects.toThrow("EIO");
});
