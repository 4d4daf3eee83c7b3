import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startTwin } from "@quoll/model-twin/server";
import { builtArtefacts } from "../../../tests/support/built.ts";
import { runCommand } from "../../../tests/support/run-command.ts";
import { tempProject } from "../../../tests/support/temp-project.ts";
import { terminalProcess } from "../../../tests/support/terminal-process.ts";
import { ROOT } from "../generated-files.ts";
import { type PictureName, TITLES } from "./names.ts";
import { PROMPT, repairScenario, SHOP } from "./scenes.ts";
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
const OPEN_VIEWER = "\u000f";
const ESC = "\u001b";

/**
 * Starts the built program against the model twin, goes through its main screens, and writes a picture of each.
 * @param folder Where the pictures go; absolute. It is made.
 * @throws {Error} a screen never showed what its scene waits for; with the screen.
 */
export async function drawPictures(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
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
    await terminal.shows("type filters");
    await draw("models");
    terminal.type(ESC);
    await terminal.shows(() => !terminal.screen.includes("type filters"));
    terminal.type("/help\r");
    await terminal.shows("type to filter");
    await draw("help");
  });
  await inShop(folder, { theme: "light" }, async (terminal, draw) => {
    await terminal.shows(IDLE);
    terminal.type(`${PROMPT}\r`);
    await terminal.asks();
    await draw("question-light");
  });
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

async function inShop(
  folder: string,
  { theme, isFirst = false }: { readonly theme: Theme; readonly isFirst?: boolean },
  play: (terminal: Terminal, draw: Draw) => Promise<void>,
): Promise<void> {
  const { executable } = await builtArtefacts();
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
  const settings = { sandbox: { enabled: false }, terminal: { theme } };
  const shop = Object.fromEntries(Object.entries(SHOP).map(([path, content]) => [`shop/${path}`, content]));
  await using home = await tempProject({
    ...shop,
    ...(!isFirst && { "own/config/settings.json": JSON.stringify(settings) }),
  });
  await using twin = await startTwin({ scenario: repairScenario() });
  const cwd = home.path("shop");
  await runCommand(["git", "init", "-q", "-b", "main"], { cwd });
  await using terminal = terminalProcess(
    ["/usr/bin/env", "-i", ...environment(home.dir, twin.url), executable, "--trust"],
    {
      columns: 100,
      rows: 30,
      cwd,
    },
  );
  await play(terminal, async (name) => {
    await terminal.rests();
    writeFileSync(
      join(folder, `${name}.svg`),
      screenSvg(terminal.xterm, { colors: COLORS[theme], title: TITLES[name] }, steadyText(version)),
    );
  });
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

/** Hides what differs from run to run: the version, how long things took, and how far a sign has turned. */
function steadyText(version: string): (text: string) => string {
  return (text) =>
    text
      .replace(`${version} · `, "")
      .replace(/^\s*\d+\.\ds\s*$/, "")
      .replace(/\b\d+\.\d(?=s\b)/g, "1.0")
      .replace(/ · \d+s · /, " · 0s · ")
      .replace(/[◑◒◓]/g, "◐");
}
