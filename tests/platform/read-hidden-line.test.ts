import { expect, test } from "bun:test";
import { PassThrough } from "node:stream";
import { type KeyInput, readHiddenLine } from "../../src/platform/read-hidden-line.ts";

/** A terminal's input for which a test types the keys, with a record of its mode. */
function typed() {
  const modes: boolean[] = [];
  const stream = new PassThrough();
  const input = Object.assign(stream, {
    setRawMode(mode: boolean) {
      modes.push(mode);
      return stream;
    },
  }) as unknown as KeyInput & PassThrough;
  const output = new PassThrough();
  let shown = "";
  output.on("data", (chunk: Buffer) => {
    shown += chunk.toString();
  });
  return { input, output, modes, shown: () => shown };
}
const never = new AbortController().signal;

test.each([
  ["key\r", "key"],
  ["key\nrest of a paste\n", "key"],
  ["kex\u007fy\r", "key"],
  ["wrong\u0015key\u0004", "key"],
  ["\u007f\u007fk\u001b[De\u001b[200~y\u001b[201~\u0007\u0001\t\r", "key"],
  ["ü€😀\u007f\r", "ü€"],
  ["\r", ""],
])("%j is read as %j, and nothing of it is shown", async (keys, text) => {
  const terminal = typed();
  const line = readHiddenLine("Key: ", terminal, never);
  terminal.input.write(keys);
  expect(await line).toEqual({ kind: "line", text });
  await new Promise((resolve) => setImmediate(resolve));
  expect([terminal.shown(), terminal.modes]).toEqual(["Key: \n", [true, false]]);
});

test("a character that comes in two pieces is one", async () => {
  const terminal = typed();
  const line = readHiddenLine("", terminal, never);
  const bytes = Buffer.from("é\r");
  for (const byte of bytes) terminal.input.write(Buffer.from([byte]));
  expect(await line).toEqual({ kind: "line", text: "é" });
});

test.each([
  ["Ctrl-C", "ab\u0003"],
  ["Ctrl-D on an empty line", "\u0004"],
])("%s cancels", async (_, keys) => {
  const terminal = typed();
  const line = readHiddenLine("", terminal, never);
  terminal.input.write(keys);
  expect([await line, terminal.modes]).toEqual([{ kind: "cancelled" }, [true, false]]);
});

test("the end of the input and an abort cancel; no listener is left and the mode is as it was", async () => {
  const ended = typed();
  const line = readHiddenLine("", ended, never);
  ended.input.end();
  expect(await line).toEqual({ kind: "cancelled" });
  const abort = new AbortController();
  const aborted = typed();
  const other = readHiddenLine("", aborted, abort.signal);
  abort.abort();
  expect([await other, aborted.modes, aborted.input.listenerCount("data")]).toEqual([
    { kind: "cancelled" },
    [true, false],
    0,
  ]);
  expect([await readHiddenLine("", aborted, abort.signal), aborted.modes.length]).toEqual([{ kind: "cancelled" }, 2]);
});
