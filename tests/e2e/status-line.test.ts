import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { reply, text } from "@quoll/model-twin/scenario";
import { isRunning } from "../support/eventually.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

const OFF = { sandbox: { enabled: false } };
/** A file that the command names is a part of what is approved, if it lies in the project. */
const command = (folder: string) =>
  [
    `echo "$$" > ${folder}/pid`,
    'read -r facts; printf "\\033[32mown\\033[0m %s\\n" "$' + '{#facts}"',
    `echo second; if [ -e ${folder}/stay ]; then echo "$$" > ${folder}/held; sleep 600; fi`,
  ].join("; ");

test("a command of the project is asked about first; its lines stand below the prompt and go with the screen", async () => {
  await using place = await quollPlace({
    settings: { ...OFF, statusLine: { template: "mine {mode}" } },
    scenario: () => reply([text("Done.")]),
  });
  const pid = place.home.path("pid");
  const statusLine = { type: "command", command: command(place.home.dir) };
  await place.project.write(".quoll/settings.json", JSON.stringify({ statusLine }));
  await using terminal = terminalProcess([...QUOLL], { cwd: place.project.dir, env: place.environmentOf({}) });
  await terminal.shows("as the status line");
  expect(existsSync(pid)).toBe(false);
  let next = 0;
  await terminal.shows(() => {
    if (!terminal.screen.includes("Do you trust")) return true;
    // A question takes no key that may be meant for something else, so the answer is given again.
    if (Date.now() >= next) terminal.type("2");
    if (Date.now() >= next) next = Date.now() + 1_000;
    return false;
  });
  await terminal.shows(/\n {2}own [1-9]\d+\n {2}second\n {2}default(?: · no sandbox)? +\? for keys/);
  expect(terminal.output).toContain("\u001b[32mown");
  expect(terminal.screen).not.toContain("mine");
  await place.home.write("stay", "");
  terminal.type("\u0015hello\r");
  await terminal.shows("● Done.");
  const held = place.home.path("held");
  await terminal.shows(() => existsSync(held) && readFileSync(held, "utf8").endsWith("\n"));
  const running = Number(readFileSync(held, "utf8"));
  expect(isRunning(running)).toBe(true);
  terminal.type("\u0003\u0003");
  expect(await terminal.child.exited).toBe(0);
  expect(isRunning(running)).toBe(false);
}, 60_000);
