import { setDefaultTimeout, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { deepTest, testOrDeep } from "../support/deep.ts";
import { terminalProcess } from "../support/terminal-process.ts";
import { tmuxProcess } from "../support/tmux-process.ts";
import { type Place, playWholeSession, type ShellScreen, sessionPlace } from "../support/whole-session.ts";

setDefaultTimeout(60_000);

/** A shell that is not interactive, as the one that starts it, forgets PS1. */
const SHELL = ["env", "PS1=sh> ", "bash", "--norc", "--noprofile", "-i"];

type Size = { readonly columns: number; readonly rows: number };
const SIZES: readonly Size[] = [
  { columns: 80, rows: 24 },
  { columns: 40, rows: 15 },
  { columns: 120, rows: 40 },
];
const optionsFor = (place: Place, size: Size) => ({
  ...size,
  cwd: place.project.dir,
  env: place.environmentOf({}),
});

for (const size of SIZES) {
  const isQuick = size.columns === 80;
  testOrDeep(isQuick)(`a whole session at ${size.columns}x${size.rows} in xterm's emulator`, async () => {
    await using place = await sessionPlace();
    await using terminal = terminalProcess(SHELL, optionsFor(place, size));
    const screen: ShellScreen = {
      type: async (keys) => terminal.type(keys),
      paste: async (text) => terminal.type(`\u001b[200~${text.replaceAll("\n", "\r")}\u001b[201~`),
      shows: (wanted) => terminal.shows(wanted),
      screen: async () => terminal.screen,
      all: async () => terminal.all,
      output: async () => terminal.output,
      shellPid: async () => terminal.child.pid,
      close: async () => terminal.child.terminal?.close(),
    };
    await playWholeSession({ screen, place, columns: size.columns });
  });
}

const inTmux = Bun.which("tmux") ? deepTest : (name: string) => test.skip(`${name}: tmux is not installed`, () => {});

for (const size of SIZES) {
  inTmux(`a whole session at ${size.columns}x${size.rows} in tmux`, async () => {
    await using place = await sessionPlace();
    await using terminal = await tmuxProcess(SHELL, optionsFor(place, size));
    const record = place.home.path("output");
    await terminal.recordTo(record);
    const screen: ShellScreen = {
      type: terminal.type,
      paste: terminal.paste,
      shows: (wanted) => terminal.shows(wanted),
      screen: terminal.screen,
      all: terminal.all,
      output: () => readFile(record, "utf8"),
      shellPid: terminal.pid,
      close: terminal.close,
    };
    await playWholeSession({ screen, place, columns: size.columns });
  });
}
