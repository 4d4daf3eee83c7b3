import { expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { reply, text } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

const CTRL_C = "\u0003";
const CTRL_O = "\u000f";
const [CTRL_R, DELETE] = ["\u0012", "\u001b[3~"];
const F5 = "\u001b[15~";
const fileOf = (bindings: object) => JSON.stringify({ bindings: [{ context: "prompt", bindings }] }, null, 1);

deepTest(
  "the first key already has its own meaning; a changed file applies at once, and errors are reported with their line",
  async () => {
    await using place = await quollPlace({ scenario: () => reply([text("Done.")]) });
    const file = place.home.path("own/config/keybindings.json");
    writeFileSync(file, fileOf({ "ctrl+o": "prompt.newLine", "ctrl+y": "prompt.nothing" }));
    const env = place.environmentOf({});
    await using terminal = terminalProcess([...QUOLL, "--trust"], { cwd: place.project.dir, env });
    terminal.type(`one${CTRL_O}two`);
    await terminal.shows("› one\n  two");
    await terminal.shows("keybindings.json:7: ");
    expect(terminal.screen).toContain("prompt.nothing");

    writeFileSync(file, fileOf({ f5: "prompt.newLine", f1: "help.toggle" }));
    await terminal.shows("has changed: 2 keys of your own");
    terminal.type(F5);
    terminal.type("three");
    await terminal.shows("› one\n  two\n  three");
    terminal.type(CTRL_O);
    await terminal.shows("Transcript · end");
    terminal.type(CTRL_C);
    await terminal.shows(() => !terminal.screen.includes("Transcript · end"));
    // The hint names the key that the file gives.
    terminal.type(CTRL_C);
    await terminal.shows("f1 for keys");
  },
);

deepTest(
  "/keys lists every key by its words, takes new ones by a press, and the file and the screen follow",
  async () => {
    await using place = await quollPlace({ scenario: () => reply([text("Done.")]) });
    const file = place.home.path("own/config/keybindings.json");
    writeFileSync(file, '{\n  // mine\n  "bindings": []\n}\n');
    await using terminal = terminalProcess([...QUOLL, "--trust"], {
      cwd: place.project.dir,
      env: place.environmentOf({}),
    });
    await terminal.shows("? for keys");
    terminal.type("/keys\r");
    await terminal.shows("Keys");
    terminal.type("new line");
    await terminal.shows(/❯ shift\+enter · ctrl\+j .*starts a new line/);
    terminal.type("\r");
    await terminal.shows("press the keys");
    terminal.type(CTRL_O);
    await terminal.shows(/ctrl\+o\n.*now: opens the whole transcript/);
    terminal.type("\r");
    await terminal.shows("❯ ctrl+o *");
    terminal.type("\u001b");
    await terminal.shows(/1–\d+ of \d+/);
    terminal.type("\u001b");
    await terminal.shows(() => !terminal.screen.includes("type to filter"));
    terminal.type(`one${CTRL_O}two`);
    await terminal.shows("› one\n  two");
    expect(readFileSync(file, "utf8")).toContain("// mine");
    expect(readFileSync(file, "utf8")).toContain('"ctrl+o": "prompt.newLine"');
  },
);

deepTest("/keys removes one chord of an action and keeps its other keys, and brings it back", async () => {
  await using place = await quollPlace({ scenario: () => reply([text("Done.")]) });
  const file = place.home.path("own/config/keybindings.json");
  await using terminal = terminalProcess([...QUOLL, "--trust"], {
    cwd: place.project.dir,
    env: place.environmentOf({}),
  });
  await terminal.shows("? for keys");
  terminal.type("/keys\r");
  await terminal.shows("delete removes");
  terminal.type("opens the draft");
  await terminal.shows("❯ ctrl+g · ctrl+x ctrl+e");
  terminal.type(DELETE);
  await terminal.shows("Remove keys: opens the draft in your editor");
  terminal.type("ctrl+x\r");
  await terminal.shows(/❯ ctrl\+g \* {2}/);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    bindings: [{ context: "prompt", bindings: { "ctrl+x ctrl+e": null } }],
  });
  terminal.type(CTRL_R);
  await terminal.shows("❯ ctrl+g · ctrl+x ctrl+e");
});

deepTest("/help searches commands with their arguments, keys and tools", async () => {
  await using place = await quollPlace({ scenario: () => reply([text("Done.")]) });
  await using terminal = terminalProcess([...QUOLL, "--trust"], {
    cwd: place.project.dir,
    env: place.environmentOf({}),
  });
  await terminal.shows("? for keys");
  terminal.type("?");
  await terminal.shows("again: search");
  terminal.type("?");
  await terminal.shows("❯ /help");
  terminal.type("model");
  await terminal.shows("/model [name] [--default]");
  terminal.type("s list");
  await terminal.shows(/❯ alt\+p .*opens the list of models/);
  terminal.type("\u007f".repeat("models list".length));
  terminal.type("grep");
  await terminal.shows("❯ Grep");
  terminal.type("\u007f".repeat(4));
  terminal.type("undo");
  await terminal.shows("❯ /rewind");
  terminal.type("\r");
  await terminal.shows(/» \/rewind\s/);
  expect(terminal.screen).not.toContain("type to filter");
});
