import { expect, test } from "bun:test";
import { builtDemo } from "../../../support/built.ts";
import { terminalProcess } from "../../../support/terminal-process.ts";

const DEMO = [await builtDemo()];

test("TERM=dumb gets plain lines: a turn, a question, a list, and no escape sequence", async () => {
  await using terminal = terminalProcess(DEMO, { env: { TERM: "dumb", DEMO_TRUST: "" } });
  await terminal.shows(/^You:$/m);
  // The line editor of the terminal sends the tab with the line.
  terminal.type("/re\t\n");
  await terminal.shows(/^Notice: 1 choice for \/re\n\/resume .*\nYou:$/m);
  terminal.type("fix it\n");
  await terminal.shows(/^Done: 1 file changed, 1 line added, 1 removed, .*\$0\.04\.\nYou:$/m);
  terminal.type("ask me\n");
  await terminal.shows("Question: Run this command?");
  await terminal.shows(
    /Warning: deletes files: dist\/\nWarning: publishes a package[\s\S]*Enter alone means 4\.[\s\S]*\nAnswer:$/,
  );
  terminal.type("use bun\n");
  // A question right behind another takes no line for a moment.
  await terminal.shows(/Answer: use bun[\s\S]*Question: .*\n[\s\S]*means 1\.[\s\S]*\nAnswer:$/);
  terminal.type("1\n");
  await terminal.shows("You said reject, once.");
  terminal.type("/resume\n");
  await terminal.shows(/^1: fix the flaky checkout test[\s\S]*\nChoose:$/m);
  terminal.type("/exit\n");
  expect(await terminal.child.exited).toBe(0);
  for (const absent of ["\u001b", "ctrl+o"]) expect(terminal.output).not.toContain(absent);
  expect(terminal.output).toContain("Step 2 of 3: Waiting for the cart");
  for (const once of ["Tool: search", "The test now waits", "Question: Run this command?"]) {
    expect({ once, count: terminal.all.split(once).length - 1 }).toEqual({ once, count: 1 });
  }
});

test("on a plain screen, the word exit says in a line that a turn would end, and the second leaves", async () => {
  await using terminal = terminalProcess(DEMO, { env: { TERM: "dumb", DEMO_TRUST: "" } });
  await terminal.shows(/^You:$/m);
  terminal.type("hang\n");
  // Lines that come together are one paste.
  await terminal.rests();
  terminal.type("exit\n");
  await terminal.shows("Notice: enter again ends the turn, and leaves");
  terminal.type("exit\n");
  expect(await terminal.child.exited).toBe(0);
  expect(terminal.all.split("enter again ends the turn").length).toBe(2);
});
