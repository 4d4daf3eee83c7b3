import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { reply, type Scenario, text, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const SETTINGS = { sandbox: { enabled: false }, terminal: { screen: "plain" } };

type Place = Awaited<ReturnType<typeof quollPlace>>;

function plain(place: Place, args: readonly string[], env: Record<string, string> = {}) {
  const options = { columns: 100, rows: 30, cwd: place.project.dir, env: place.environmentOf({ env }) };
  return terminalProcess([...QUOLL, ...args], options);
}

test("a plain session says in words what happens, takes typed answers, and moves no cursor", async () => {
  const scenario: Scenario = [
    reply([toolUse("Bash", { command: "echo one > a.txt; false", description: "Write a file" })]),
    reply([toolUse("Bash", { command: "rm a.txt", description: "Remove it" })]),
    reply([text("All **done**.")]),
  ];
  await using place = await quollPlace({ scenario });
  await using terminal = plain(place, ["--plain"]);
  await terminal.shows("Quoll needs you: Do you trust this folder?");
  // A line that comes with the question does not answer it.
  let next = 0;
  await terminal.shows(() => {
    if (Date.now() >= next) {
      terminal.type("1\n");
      next = Date.now() + 600;
    }
    return terminal.screen.includes("plain screen.");
  });
  await terminal.shows(/plain screen\.[\s\S]*\n>$/);
  terminal.type("write it\n");
  await terminal.shows(/Quoll needs you: Run this command\?[\s\S]*echo one[\s\S]*\n1 once[\s\S]*\n>$/);
  terminal.type("1\n");
  await terminal.shows("Failed: exit 1");
  await terminal.shows(/Quoll needs you: Run this command\?\n.*rm a\.txt[\s\S]*\n>$/);
  terminal.type("keep the file\n");
  await terminal.shows("you said no: keep the file");
  await terminal.shows(/^All done\.$/m);
  await terminal.shows(/^Done: .*tok.*\.\n>$/m);
  terminal.type(CTRL_D);
  await terminal.shows("quoll --resume");
  expect(await terminal.child.exited).toBe(0);
  expect(place.refused()).toEqual([]);
  for (const sign of ["\u001b", "╭", "│", "❯", "◐", "●", "✗"])
    expect({ sign, is: terminal.output.includes(sign) }).toEqual({ sign, is: false });
});

deepTest("ctrl+c stops the turn and keeps the session; a second one at rest leaves", async () => {
  const scenario: Scenario = [reply([toolUse("Bash", { command: "touch begun; sleep 600", description: "Wait" })])];
  const settings = { ...SETTINGS, permissions: { allow: ["Bash"] } };
  await using place = await quollPlace({ scenario, settings });
  await using terminal = plain(place, ["--trust"]);
  await terminal.shows(/plain screen\.[\s\S]*\n>$/);
  terminal.type("wait for it\n");
  await terminal.shows(() => existsSync(place.project.path("begun")));
  terminal.type(CTRL_C);
  await terminal.shows(/^Stopped.*\n>$/m);
  terminal.type("/cost\n");
  await terminal.shows(/By source[\s\S]*\n>$/);
  terminal.type(CTRL_C);
  expect(await terminal.child.exited).toBe(130);
  expect(terminal.output).not.toContain("\u001b");
});

deepTest("a resumed plain session prints the earlier prompts too", async () => {
  await using place = await quollPlace({ scenario: [reply([text("Blue.")])], settings: SETTINGS });
  const { out } = await place.run(["-p", "which colour?"]);
  expect(out.trim()).toBe("Blue.");
  await using terminal = plain(place, ["--trust", "--continue"]);
  await terminal.shows(/^You: which colour\?\n+Blue\./m);
});
