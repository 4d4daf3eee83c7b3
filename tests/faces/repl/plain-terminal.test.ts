import { expect, test } from "bun:test";
import { builtDemo } from "../../support/built.ts";
import { terminalProcess } from "../../support/terminal-process.ts";

const DEMO = [await builtDemo()];

test("TERM=dumb gets plain lines: a turn, a question, a list, and no escape sequence", async () => {
  await using terminal = terminalProcess(DEMO, { env: { TERM: "dumb", DEMO_TRUST: "" } });
  await terminal.shows(/^›$/m);
  terminal.type("fix it\n");
  await terminal.shows("1 file +1 −1");
  await terminal.shows(/tok · \$0\.04\n›/);
  terminal.type("ask me\n");
  await terminal.shows("Run this command?");
  await terminal.shows(/╯\n›$/);
  terminal.type("use bun\n");
  await terminal.shows("Make this change?");
  // A question right behind another takes no key for a moment.
  await terminal.shows(/╯\n› use bun[\s\S]*╯\n›$/);
  terminal.type("1\n");
  await terminal.shows("You said reject, once.");
  terminal.type("/resume\n");
  await terminal.shows("7c1e0000  fix the flaky checkout test");
  terminal.type("/exit\n");
  expect(await terminal.child.exited).toBe(0);
  expect(terminal.output).not.toContain("\u001b");
  for (const once of ["searched", "● The test now waits", "Run this command?", "Make this change?"]) {
    expect({ once, count: terminal.all.split(once).length - 1 }).toEqual({ once, count: 1 });
  }
});
