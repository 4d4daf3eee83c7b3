import { expect, setDefaultTimeout } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { EMPTY_PROMPT, terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

const ESC = "\u001b";
const CTRL_R = "\u0012";

deepTest(
  "/config finds a setting, keeps a wrong value in its line, writes a right one, resets it, and takes it into the session",
  async () => {
    await using here = await quollPlace({ settings: { model: "offline" }, scenario: [] });
    await using terminal = terminalProcess([...QUOLL, "--trust"], {
      cwd: here.project.dir,
      env: here.environmentOf({}),
    });
    const file = join(here.home.dir, "own/config/settings.json");
    const written = () => JSON.parse(readFileSync(file, "utf8")) as unknown;
    await terminal.shows("? for keys");
    terminal.type("/config\r");
    await terminal.shows(/❯ Model at the start +offline · ~\/\S*settings\.json:\d/);
    expect(terminal.screen).toMatch(/Theme +auto\n/);
    terminal.type("at once");
    await terminal.shows(/❯ Answer !commands at once +off\n/);
    terminal.type("\r");
    await terminal.shows(/❯ Answer !commands at once +on · ~\/\S*settings\.json:\d/);
    expect(written()).toMatchObject({ terminal: { respondToShell: true } });
    terminal.type("\r");
    await terminal.shows(/❯ Answer !commands at once +off · ~/);
    terminal.type(ESC);
    await terminal.shows(() => !terminal.screen.includes("› at once"));
    terminal.type("bashTimeout");
    await terminal.shows(/❯ tools\.bashTimeoutMs +default\n/);
    expect(terminal.screen).toContain("Default timeout of a command");
    terminal.type("\r");
    await terminal.shows("tools.bashTimeoutMs: a number");
    terminal.type("soon\r");
    await terminal.shows(/› soon\s+\S tools\.bashTimeoutMs must be/);
    terminal.type("\u00155000\r");
    await terminal.shows(/› bashTimeout\s+❯ tools\.bashTimeoutMs +5000 · ~/);
    expect(written()).toMatchObject({ tools: { bashTimeoutMs: 5_000 } });
    expect(terminal.screen).not.toContain("next start");
    terminal.type(CTRL_R);
    await terminal.shows(/❯ tools\.bashTimeoutMs +default\n/);
    expect(written()).not.toHaveProperty("tools.bashTimeoutMs");
    // The filter goes first, then the list; the prompt is as it was.
    terminal.type(ESC);
    await terminal.shows(/Settings\s.*of/);
    // A theme acts at once, and the list stays open.
    terminal.type("colours");
    await terminal.shows(/❯ Theme +auto\n/);
    terminal.type("\r");
    await terminal.shows("Theme (terminal.theme)");
    terminal.type("light-high\r");
    await terminal.shows(/› colours\s+❯ Theme +light-high-contrast/);
    expect(written()).toMatchObject({ terminal: { theme: "light-high-contrast" } });
    terminal.type(ESC);
    await terminal.shows(/Settings\s.*of/);
    terminal.type(ESC);
    await terminal.shows(EMPTY_PROMPT);
  },
);

deepTest("/permissions adds a rule that is in force at once, and removes it after a yes", async () => {
  await using here = await quollPlace({ settings: { model: "offline" }, scenario: [] });
  await using terminal = terminalProcess([...QUOLL, "--trust"], {
    cwd: here.project.dir,
    env: here.environmentOf({}),
  });
  const file = join(here.home.dir, "own/config/settings.json");
  const denied = () =>
    (JSON.parse(readFileSync(file, "utf8")) as { permissions?: { deny?: unknown } }).permissions?.deny;
  await terminal.shows("? for keys");
  terminal.type("/permissions\r");
  await terminal.shows("❯ add a rule …");
  terminal.type("\r");
  await terminal.shows(/Add a rule\s+❯ deny/);
  terminal.type("\r");
  await terminal.shows("Deny: a rule");
  terminal.type("Read(./key\r");
  await terminal.shows(/› Read\(\.\/key\s+\S [\s\S]*invalid: the closing bracket/);
  terminal.type(")\r");
  await terminal.shows(/deny +Read\(\.\/key\) +\S*settings\.json:\d/);
  expect(denied()).toEqual(["Read(./key)"]);
  terminal.type("Read(\r");
  await terminal.shows(/Remove the deny rule Read\(\.\/key\)[\s\S]*❯ No/);
  terminal.type(`${ESC}[B\r`);
  await terminal.shows(/Permissions\s+› Read\(\s+no match/);
  expect(denied()).toEqual([]);
});
