import { expect, test } from "bun:test";
import { takeConsole } from "../../../../src/faces/repl/terminal/console-rows.ts";

test("writes of code to the console are passed on as text until the console is given back", () => {
  const { log, warn } = console;
  const told: string[] = [];
  const giveBack = takeConsole((text) => told.push(text));
  console.log("a %s", "word", { and: 1 });
  console.warn(new Error("no language").message);
  giveBack();
  expect(told).toEqual(["a word { and: 1 }", "no language"]);
  expect([console.log, console.warn]).toEqual([log, warn]);
});
