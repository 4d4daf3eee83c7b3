import { expect, setDefaultTimeout } from "bun:test";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { EMPTY_PROMPT, terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

const DOWN = "\u001b[B";
const CTRL_G = "\u0007";

deepTest(
  "/terminal-setup binds shift+enter after a yes, /editor takes effect at once, /sandbox off is saved after a yes",
  async () => {
    await using here = await quollPlace({
      settings: { model: "offline" },
      files: { "ed.sh": '#!/bin/sh\necho edited >> "$1"\n' },
    });
    const keys = here.home.path(".config/Code/User/keybindings.json");
    mkdirSync(join(keys, ".."), { recursive: true });
    await Bun.write(keys, '// mine\n[\n  { "key": "ctrl+k", "command": "x" }\n]\n');
    Bun.spawnSync(["chmod", "+x", here.project.path("ed.sh")]);
    await using terminal = terminalProcess([...QUOLL, "--trust"], {
      cwd: here.project.dir,
      env: { ...here.environmentOf({}), TERM_PROGRAM: "vscode", TERM_PROGRAM_VERSION: "1.99.0" },
    });
    await terminal.shows("? for keys");
    terminal.type("/terminal-setup\r");
    await terminal.shows(/VS Code[\s\S]*❯ No/);
    expect(readFileSync(keys, "utf8")).not.toContain("shift+enter");
    terminal.type(`${DOWN}\r`);
    await terminal.shows("Added shift+enter");
    expect(readFileSync(keys, "utf8")).toMatch(/^\/\/ mine\n[\s\S]*"ctrl\+k"[\s\S]*"shift\+enter"[\s\S]*sendSequence/);
    terminal.type("/terminal-setup bind\r");
    await terminal.shows(/nothing was\s+changed/);

    terminal.type(`/editor ${here.project.path("ed.sh")}\r`);
    await terminal.shows("terminal.editor");
    terminal.type(`draft${CTRL_G}`);
    await terminal.shows(/edited/);
    terminal.type("\u0003");
    await terminal.shows(EMPTY_PROMPT);
    terminal.type("/editor\r");
    await terminal.shows(/ed\.sh, by the setting/);
    terminal.type("\r");
    await terminal.shows(EMPTY_PROMPT);

    terminal.type("/sandbox off\r");
    await terminal.shows("❯ No");
    terminal.type(`${DOWN}\r`);
    await terminal.shows("sandbox.enabled");
    await terminal.shows("quoll --continue");
    terminal.type("/sandbox\r");
    await terminal.shows(/Sandbox\s+❯ Leave unchanged/);
  },
);

deepTest("/terminal-setup shows what the terminal answered itself", async () => {
  await using here = await quollPlace({ settings: { model: "offline" } });
  await using terminal = terminalProcess([...QUOLL, "--trust"], {
    cwd: here.project.dir,
    env: { ...here.environmentOf({}), TERM: "xterm-256color", TERM_PROGRAM: "" },
  });
  await terminal.shows("? for keys");
  terminal.type("/terminal-setup\r");
  await terminal.shows("mode 2026");
  expect(terminal.screen).not.toContain("41;390;0");
  terminal.type("\u001b[>41;390;0c");
  terminal.type("\u001b]11;rgb:ffff/ffff/ffff\u0007");
  terminal.type("/terminal-setup\r");
  await terminal.shows(/xterm's modified keys[\s\S]*background \(OSC 11\): light[\s\S]*41;390;0, as xterm does/);
  terminal.type("\u001b[?1u");
  terminal.type("/terminal-setup\r");
  await terminal.shows(/yes, it answered \(kitty's protocol\)[\s\S]*A new line:\s+shift\+enter\n/);
});
