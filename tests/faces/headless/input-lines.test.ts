import { describe, expect, test } from "bun:test";
import { type InputLine, inputLines } from "../../../src/faces/headless/input-lines.ts";

async function* pieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Uint8Array | string, { size = 1_000, max = 1_000 } = {}): Promise<readonly InputLine[]> {
  const lines: InputLine[] = [];
  for await (const line of inputLines(pieces(Buffer.from(bytes), size), max)) lines.push(line);
  return lines;
}

const line = (text: string, isReplaced = false): InputLine => ({ kind: "line", text, isReplaced });

describe("lines of stdin", () => {
  test.each([1, 2, 3, 7, 1_000])("are whole however the bytes are cut (%d at a time)", async (size) => {
    expect(await read('{"a":"ü"}\n{"b":"🦊"}\n', { size })).toEqual([line('{"a":"ü"}'), line('{"b":"🦊"}')]);
  });

  test("leave out what is blank, and take a last line without its end", async () => {
    expect(await read("\n  \r\na\r\n\nb")).toEqual([line("a\r"), line("b")]);
    expect(await read("")).toEqual([]);
  });

  test.each([1, 5, 1_000])(
    "that are too long are passed over, and the next one is read (%d at a time)",
    async (size) => {
      const lines = await read(`${"x".repeat(50)}\nok\n${"y".repeat(20)}`, { size, max: 10 });
      expect(lines).toEqual([{ kind: "too_long", bytes: 50 }, line("ok"), { kind: "too_long", bytes: 20 }]);
      expect(await read("0123456789\n", { size, max: 10 })).toEqual([line("0123456789")]);
    },
  );

  test("say when bytes were no UTF-8", async () => {
    const bytes = Buffer.concat([Buffer.from("a"), Buffer.from([0xff, 0xc3]), Buffer.from("b\nok\n")]);
    expect(await read(bytes)).toEqual([line("a\ufffd\ufffdb", true), line("ok")]);
  });
});
