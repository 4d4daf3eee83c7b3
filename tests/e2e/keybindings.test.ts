import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { reply, text } from "@quoll/model-twin/scenario";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

const CTRL_O = "\u000f";
const F5 = "\u001b[15~";
const fileOf = (bindings: object) => JSON.stringify({ bindings: [{ context: "prompt", bindings }] }, null, 1);

test("the first key already has its own meaning; a changed file counts at once, and faults are told with their line", async () => {
  await using place = await quollPlace({ scenario: () => reply([text("Done.")]) });
  const file = place.home.path("own/config/keybindings.json");
  writeFileSync(file, fileOf({ "ctrl+o": "prompt.newLine", "ctrl+y": "prompt.nothing" }));
  const env = place.environmentOf({});
  await using terminal = terminalProcess([...QUOLL, "--trust"], { cwd: place.project.dir, env });
  terminal.type(`one${CTRL_O}two`);
  await terminal.shows("› one\n  two");
  await terminal.shows("keybindings.json:7: ");
  expect(terminal.screen).toContain("prompt.nothing");

  writeFileSync(file, fileOf({ f5: "prompt.newLine" }));
  await terminal.shows("has changed: 1 key of your own");
  terminal.type(F5);
  terminal.type("three");
  await terminal.shows("› one\n  two\n  three");
  terminal.type(CTRL_O);
  await terminal.shows("Transcript · end");
});
