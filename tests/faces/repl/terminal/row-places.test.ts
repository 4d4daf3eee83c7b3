import { expect, test } from "bun:test";
import { placeOf, withRows } from "../../../../src/faces/repl/terminal/row-places.ts";

const row = (key: number, text: string) => ({ key, text, isEcho: false });

test("printed rows stand in Ink's output as they were drawn", () => {
  const rows = [row(0, "one\ntwo"), row(1, "\ufdd00\ufdd0")];
  const output = `\u001b[J${rows.map(placeOf).join("\n")}\nframe`;
  expect(withRows(output, (key) => rows[key]?.text ?? "")).toBe("\u001b[Jone\ntwo\n\ufdd00\ufdd0\nframe");
});
