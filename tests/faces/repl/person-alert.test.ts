import { expect, test } from "bun:test";
import { type AlertSettings, PersonAlert } from "../../../src/faces/repl/person-alert.ts";

const BEL = "\u0007";
const title = (text: string) => `\u001b]0;${text}${BEL}`;
const ring = (text: string) => `\u001b]9;quoll (shop) ${text}${BEL}${BEL}`;

function attention(settings: Partial<AlertSettings> = {}) {
  const written: string[] = [];
  const stdout = { write: (text: string) => written.push(text) > 0 };
  return { written, told: new PersonAlert(stdout, "shop", { notifications: true, title: true, ...settings }) };
}

test("the title says what Quoll does, is written when that changes, and is put back", () => {
  const { written, told } = attention({ notifications: false });
  for (const doing of ["idle", "working", "working", "asking", "idle"] as const) told.show(doing);
  told.end();
  told.end();
  expect(written).toEqual([
    `\u001b[22;0t${title("quoll · shop")}`,
    title("quoll · shop · working"),
    title("quoll · shop · asks you"),
    title("quoll · shop"),
    "\u001b[23;0t",
  ]);
});

test("a question rings once, one that is expected never, and so does a turn of 20 s", () => {
  const { written, told } = attention({ title: false });
  told.asked({ id: "a", title: "Run this command?\u0007\u001b]0;x", isExpected: false });
  told.asked({ id: "a", title: "Run this command?", isExpected: false });
  told.asked({ id: "b", title: "Change this file?", isExpected: true });
  told.asked({ id: "b", title: "Change this file?", isExpected: false });
  told.finished(19_999);
  told.finished(42_000);
  expect(written).toHaveLength(2);
  expect(written[0]).toStartWith("\u001b]9;quoll (shop) asks: Run this command?");
  expect(written[0]?.split(BEL)).toHaveLength(3);
  expect(written[1]).toBe(ring("is done after 42s"));
});

test("nothing is written where both are off", () => {
  const { written, told } = attention({ notifications: false, title: false });
  told.show("asking");
  told.asked({ id: "a", title: "x", isExpected: false });
  told.finished(60_000);
  told.end();
  expect(written).toEqual([]);
});
