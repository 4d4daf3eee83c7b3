import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { reply, text } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

const IDLE = "? for keys";
const CTRL_Z = "\u001a";
const CTRL_D = "\u0004";
const SLOW = { ...reply([text("word ".repeat(60))]), deltaChars: 5, paceMs: 20 };

type Place = Awaited<ReturnType<typeof quollPlace>>;

/** Quoll as a job of a shell. */
async function inShell(place: Place, columns = 100, rows = 30) {
  const shell = terminalProcess(["bash", "--norc", "--noprofile", "-i"], {
    columns,
    rows,
    cwd: place.project.dir,
    env: { ...place.environmentOf({}), PS1: "sh> " },
  });
  await shell.shows("sh>");
  shell.type(`clear; ${QUOLL.join(" ")} --trust\r`);
  await shell.shows(IDLE);
  return shell;
}

describe("ctrl+z", () => {
  test("gives the terminal to the shell, and fg goes on with what was typed", async () => {
    await using place = await quollPlace({ scenario: () => SLOW });
    await using shell = await inShell(place);
    shell.type("half a thought");
    await shell.shows("› half a thought");
    shell.type(CTRL_Z);
    await shell.shows("Stopped");
    await shell.shows(/sh> *$/);
    // The last word on each mode is that it is off: pasted text is plain again, keys come as they always did.
    expect(shell.output.lastIndexOf("\u001b[<u")).toBeGreaterThan(shell.output.lastIndexOf("\u001b[>1u"));
    shell.type("stty -a | grep -o ' -\\?icanon'; echo at $((40 + 2))\r");
    await shell.shows("at 42");
    expect(shell.screen).toMatch(/^ icanon$/m);
    shell.type("fg\r");
    await shell.shows("› half a thought");
    await shell.shows(IDLE);
    shell.type(" and its end\r");
    await shell.shows(/● word word/);
    await shell.shows(IDLE);
    expect(place.sent().at(-1)?.messages.at(-1)?.content.at(-1)?.text).toBe("half a thought and its end");
  });

  deepTest("in the middle of an answer loses nothing of it", async () => {
    await using place = await quollPlace({ scenario: () => SLOW });
    await using shell = await inShell(place);
    shell.type("go\r");
    await shell.shows("◐ writing");
    shell.type(CTRL_Z);
    await shell.shows("Stopped");
    shell.type("fg\r");
    await shell.shows(IDLE);
    expect(shell.all.match(/word/g)?.length).toBe(60);
    expect([place.sent().length, place.refused()]).toEqual([1, []]);
  });
});

deepTest("a server of tools that can't be started is named on the screen, and the others work", async () => {
  const config = JSON.stringify({ mcpServers: { broken: { command: "/nowhere/at-all" } } });
  await using place = await quollPlace({ scenario: () => reply([text("Hello.")]) });
  await using terminal = terminalProcess([...QUOLL, "--trust", "--mcp-config", config], {
    cwd: place.project.dir,
    env: place.environmentOf({}),
  });
  await terminal.shows('▲ The MCP server "broken" is not available: /nowhere/at-all could not be started');
  await terminal.shows(IDLE);
  terminal.type("hi\r");
  await terminal.shows("● Hello.");
});

describe("a server that is slow to start holds up nobody", () => {
  const config = JSON.stringify({ mcpServers: { slow: { command: "sleep", args: ["60"] } } });
  const start = (place: Place, env: Record<string, string> = {}) =>
    terminalProcess([...QUOLL, "--trust", "--mcp-config", config], {
      cwd: place.project.dir,
      env: place.environmentOf({ env }),
    });

  deepTest("words wait for it for a second and then go without its tools, which the screen says", async () => {
    await using place = await quollPlace({ scenario: () => reply([text("Hello.")]) });
    await using terminal = start(place);
    await terminal.shows("◐ starting slow");
    terminal.type("hi\r");
    await terminal.shows("↳ waits: hi");
    await terminal.shows("enter sends now");
    expect(place.sent()).toEqual([]);
    await terminal.shows("Sent without the tools of slow, still starting; they can join later.");
    await terminal.shows("● Hello.");
  });

  deepTest("words that wait go when the person wants, and when it has failed", async () => {
    await using place = await quollPlace({ scenario: () => reply([text("Hello.")]) });
    await using terminal = start(place, { MCP_TIMEOUT: "800" });
    await terminal.shows("◐ starting slow");
    terminal.type("early\r");
    await terminal.shows("↳ waits: early");
    terminal.type("\r");
    await terminal.shows("● Hello.");
    await terminal.shows('▲ The MCP server "slow" is not available');
    expect(place.sent().length).toBe(1);
  });

  deepTest("leaving doesn't wait for it", async () => {
    await using place = await quollPlace({ scenario: () => reply([text("Hello.")]) });
    await using terminal = start(place);
    await terminal.shows("◐ starting slow");
    terminal.type("\u0004\u0004");
    expect(await terminal.child.exited).toBe(0);
  });
});

deepTest("a command of one's own shows its output, not only its end", async () => {
  await using place = await quollPlace();
  await using terminal = terminalProcess([...QUOLL, "--trust"], {
    rows: 40,
    cwd: place.project.dir,
    env: place.environmentOf({}),
  });
  await terminal.shows(IDLE);
  terminal.type("!seq 101 120\r");
  await terminal.shows(/^ +120$/m);
  await terminal.shows(IDLE);
  const shown = terminal.screen.split("\n").filter((line) => /^ +1\d\d$/.test(line));
  expect(shown.map((line) => Number(line))).toEqual(Array.from({ length: 20 }, (_, at) => 101 + at));
});

test("ctrl+d while a command of one's own runs names it, and the second one ends it and leaves", async () => {
  await using place = await quollPlace();
  await using terminal = terminalProcess([...QUOLL, "--trust"], {
    cwd: place.project.dir,
    env: place.environmentOf({}),
  });
  await terminal.shows(IDLE);
  terminal.type("!echo $$ > pid; exec sleep 600\r");
  await terminal.shows("running echo");
  await terminal.shows(() => existsSync(place.project.path("pid")));
  terminal.type(CTRL_D);
  await terminal.shows("ctrl+d again ends your command, and leaves");
  terminal.type(CTRL_D);
  await terminal.shows("Left in the middle of a command.");
  expect(await terminal.child.exited).toBe(0);
  const pid = Number(readFileSync(place.project.path("pid"), "utf8"));
  expect(() => process.kill(pid, 0)).toThrow();
});

test("with terminal.respondToShell the model answers the output of a command typed with ! at once", async () => {
  await using place = await quollPlace({ scenario: () => reply([text("It says 42.")]) });
  writeFileSync(place.home.path("own/config/settings.json"), '{ "terminal": { "respondToShell": true } }');
  await using terminal = terminalProcess([...QUOLL, "--trust"], {
    cwd: place.project.dir,
    env: place.environmentOf({}),
  });
  await terminal.shows(IDLE);
  terminal.type("!echo $((40 + 2))\r");
  await terminal.shows("● It says 42.");
  expect(terminal.screen).toMatch(/› !echo \$\(\(40 \+ 2\)\)[\s\S]*\n +42\n[\s\S]*● It says 42\./);
  expect(JSON.stringify(place.sent().at(-1)?.messages)).toContain("The user ran this command themselves");
  expect(place.refused()).toEqual([]);
});
