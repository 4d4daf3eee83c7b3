import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Scenario } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import { builtArtefacts } from "../../../tests/support/built.ts";
import { runCommand } from "../../../tests/support/run-command.ts";
import { tempProject } from "../../../tests/support/temp-project.ts";
import { terminalProcess } from "../../../tests/support/terminal-process.ts";
import { ROOT } from "../generated-files.ts";
import { type PictureName, RUNS, type RunName, TITLES } from "./names.ts";
import { Recording } from "./recording.ts";
import { writeSessions } from "./saved-sessions.ts";
import { PROMPT, RENAME, renameScenario, repairScenario, SHOP } from "./scenes.ts";
import { screenSvg, type WindowColors } from "./screen-svg.ts";

type Terminal = ReturnType<typeof terminalProcess>;
type Theme = "dark" | "light";
/** Writes the picture of the screen as it is now. */
type Draw = (name: PictureName) => Promise<void>;

const COLORS: Readonly<Record<Theme, WindowColors>> = {
  dark: { background: "#1c1c1c", text: "#e4e4e4", frame: "#4e4e4e" },
  light: { background: "#ffffff", text: "#1c1c1c", frame: "#bcbcbc" },
};
const IDLE = "? for keys";
const UP = "\u001b[A";
const SIZE = { columns: 100, rows: 30 } as const;
const SESSIONS = 10_000;
const OPEN_VIEWER = "\u000f";
const CLEAR_LINE = "\u0015";
const ESC = "\u001b";

/**
 * Starts the built program against the model twin, goes through its main screens, writes a picture of each, and records
 * some of the runs.
 * @param folder Where the pictures go; absolute. It is made.
 * @throws {Error} a screen never showed what its scene waits for; with the screen.
 */
export async function drawPictures(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(ROOT, RUNS), { recursive: true });
  await inShop(folder, { theme: "dark", isFirst: true }, async (terminal, draw) => {
    await terminal.shows(IDLE);
    await draw("first-start");
  });
  await inShop(folder, { theme: "dark" }, async (terminal, draw) => {
    await terminal.shows(IDLE);
    await turn(terminal, draw);
    terminal.type(OPEN_VIEWER);
    await terminal.shows("Transcript");
    for (const keys of ["/", "total"]) {
      terminal.type(keys);
      await terminal.rests();
    }
    await draw("viewer");
    for (const keys of [ESC, "q"]) {
      terminal.type(keys);
      await terminal.rests();
    }
    await terminal.shows(IDLE);
    terminal.type("/model\r");
    await terminal.shows("type to filter");
    await draw("models");
    terminal.type(ESC);
    await terminal.shows(() => !terminal.screen.includes("type to filter"));
    terminal.type("/help\r");
    await terminal.shows("type to filter");
    await draw("help");
  });
  await inShop(folder, { theme: "dark", asksForTrust: true }, async (terminal, draw) => {
    await terminal.shows("trust");
    await draw("trust");
    await trusts(terminal);
    await terminal.shows(IDLE);
    // A last answer to the question may have reached the prompt.
    terminal.type(`${CLEAR_LINE}${PROMPT}\r`);
    await terminal.asks();
    await terminal.answers("1");
    await terminal.shows("1 file");
    await terminal.shows(IDLE);
    terminal.type("/rewind 1 both\r");
    await terminal.shows("takes it back");
    await draw("undo");
  });
  await inShop(folder, { theme: "light" }, async (terminal, draw) => {
    await terminal.shows(IDLE);
    terminal.type(`${PROMPT}\r`);
    await terminal.asks();
    await draw("question-light");
  });
  const rename = {
    scenario: renameScenario(),
    args: ["--allowed-tools", "Bash", "Edit", "Write"],
    run: "rewind",
  } as const;
  await inShop(folder, { theme: "dark", ...rename }, rewindWithConflict);
  const many = { args: ["--resume"], run: "sessions" } as const;
  await inShop(folder, { theme: "dark", sessions: SESSIONS, ...many }, async (terminal, draw) => {
    await terminal.shows(`of ${SESSIONS + 1}`);
    terminal.type("checkout fix");
    await terminal.shows("› checkout fix");
    await draw("sessions");
    terminal.type(ESC);
    await terminal.shows(`of ${SESSIONS + 1}`);
  });
}

/** The question takes no key while it is new, so the key is given again until the question is gone. */
async function trusts(terminal: Terminal): Promise<void> {
  let next = 0;
  await terminal.shows(() => {
    const isGone = !terminal.screen.includes("Do you trust");
    if (!isGone && Date.now() >= next) {
      terminal.type("1");
      next = Date.now() + 500;
    }
    return isGone;
  });
}

/** The person changes a file that a command of the model changed too, goes back, and takes that back. */
async function rewindWithConflict(terminal: Terminal, draw: Draw, cwd: string): Promise<void> {
  await terminal.shows(IDLE);
  terminal.type(`${RENAME}\r`);
  await terminal.shows("Renamed.");
  // The list waits until the state after the turn is stored.
  terminal.type("/rewind\r");
  await terminal.shows("3 files");
  writeFileSync(join(cwd, "src/cart.js"), `${SHOP["src/cart.js"]}// my own line\n`);
  terminal.type("\r");
  await terminal.shows("Decide about each conflict");
  await draw("rewind");
  for (const keys of [UP, UP, UP, "\r"]) {
    terminal.type(keys);
    await terminal.rests();
  }
  await terminal.shows("k keeps your file");
  for (const keys of ["r", "\r"]) {
    terminal.type(keys);
    await terminal.rests();
  }
  await terminal.shows("/redo takes it back");
  terminal.type(`${CLEAR_LINE}/redo\r`);
  await terminal.shows("Rewind taken back");
  await draw("redo");
}

async function turn(terminal: Terminal, draw: Draw): Promise<void> {
  terminal.type(`${PROMPT}\r`);
  await terminal.asks();
  await draw("question");
  await terminal.answers("1");
  await terminal.shows("1 file");
  await terminal.shows(IDLE);
  await draw("turn");
}

type Shop = {
  readonly theme: Theme;
  readonly isFirst?: boolean;
  readonly scenario?: Scenario;
  /** The folder is not trusted yet; without this, the run has `--trust`. */
  readonly asksForTrust?: boolean;
  readonly args?: readonly string[];
  /** The number of saved sessions, besides one of its own. */
  readonly sessions?: number;
  /** The name under which the run is recorded. */
  readonly run?: RunName;
};

async function inShop(
  folder: string,
  { theme, isFirst = false, asksForTrust = false, scenario = repairScenario(), args = [], sessions = 0, run }: Shop,
  play: (terminal: Terminal, draw: Draw, cwd: string) => Promise<void>,
): Promise<void> {
  const { executable } = await builtArtefacts();
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
  const settings = { sandbox: { enabled: false }, terminal: { theme } };
  const shop = Object.fromEntries(Object.entries(SHOP).map(([path, content]) => [`shop/${path}`, content]));
  await using home = await tempProject({
    ...shop,
    ...(!isFirst && { "own/config/settings.json": JSON.stringify(settings) }),
  });
  await using twin = await startTwin({ scenario });
  const cwd = home.path("shop");
  await runCommand(["git", "init", "-q", "-b", "main"], { cwd });
  const command = [
    "/usr/bin/env",
    "-i",
    ...environment(home.dir, twin.url),
    executable,
    ...(asksForTrust ? [] : ["--trust"]),
  ];
  if (sessions > 0) {
    await runCommand([...command, "-p", PROMPT], { cwd });
    writeSessions(join(home.dir, "own/data"), cwd, sessions);
  }
  const recording = new Recording(SIZE);
  await using terminal = terminalProcess([...command, ...args], {
    ...{ ...SIZE, cwd, onOutput: (text) => recording.add(text) },
  });
  const draw: Draw = async (name) => {
    await terminal.rests();
    writeFileSync(
      join(folder, `${name}.svg`),
      screenSvg(terminal.xterm, { colors: COLORS[theme], title: TITLES[name] }, steadyText(version, cwd)),
    );
  };
  await play(terminal, draw, cwd);
  if (run) writeFileSync(join(ROOT, RUNS, `${run}.cast`), recording.cast(`quoll: ${run}`));
}

/** Nothing of the machine but its programs. */
function environment(home: string, modelUrl: string): readonly string[] {
  return [
    `PATH=${process.env["PATH"] ?? ""}`,
    `HOME=${home}`,
    `QUOLL_HOME=${join(home, "own")}`,
    "TERM=xterm-256color",
    "COLORTERM=truecolor",
    "LC_ALL=C.UTF-8",
    "TZ=UTC",
    `ANTHROPIC_BASE_URL=${modelUrl}`,
    "ANTHROPIC_API_KEY=twin",
  ];
}

/** Hides what differs from run to run: the version, the folder, how long things took, and how far a sign has turned. */
function steadyText(version: string, folder: string): (text: string) => string {
  return (text) =>
    text
      .replace(version, "")
      .replace(folder, "/home/sam/shop".padEnd(folder.length))
      .replace(/^\s*\d+\.\ds\s*$/, "")
      .replace(/^(.*\blines?) · \d+\.\ds$/, (whole, lines: string) => lines.padStart(whole.length))
      .replace(/\b\d+\.\d(?=s\b)/g, "1.0")
      .replace(/ · \d+s(?= · |$)/, " · 0s")
      .replace(/[◑◒◓]/g, "◐");
}
