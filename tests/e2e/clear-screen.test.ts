import { expect, test } from "bun:test";
import { reply, text } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";
import { tmuxProcess } from "../support/tmux-process.ts";

const IDLE = "? for keys";
const PAGE_UP = "\u001b[5~";
const COMMAND = [...QUOLL, "--trust"];
/** Any sequence that empties the whole screen or its history. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of a terminal.
const FULL_CLEAR = /\u001b\[[23]J|\u001bc|\u001b\[H\u001b\[J/;

const place = () => quollPlace({ scenario: () => reply([text("The answer.")]) });
const count = (all: string, part: string) => all.split(part).length - 1;
const OLD = ["› the first question", "● The answer."];

/** The rows of a screen that begins with `/clear` and its answer. */
const CLEAN = /^\s*› \/clear\n+.*The conversation was cleared\./;

test("/clear gives a clean screen: the rows are in the terminal's history, each once, and nothing is typed twice", async () => {
  await using here = await place();
  await using terminal = terminalProcess(COMMAND, { cwd: here.project.dir, env: here.environmentOf({}) });
  await terminal.shows(IDLE);
  terminal.type("the first question\r");
  await terminal.shows("● The answer.");
  await terminal.shows(IDLE);
  terminal.type("/clear\r");
  terminal.type("the second question");
  await terminal.shows(() => CLEAN.test(terminal.screen) && terminal.screen.includes("› the second question"));
  for (const row of OLD) {
    expect(terminal.screen).not.toContain(row);
    expect({ row, count: count(terminal.all, row) }).toEqual({ row, count: 1 });
  }
  expect(count(terminal.all, "The conversation was cleared.")).toBe(1);
  terminal.type("\r");
  await terminal.shows("● The answer.");
  expect(terminal.screen).toMatch(CLEAN);
  expect(count(terminal.all, "› the second question")).toBe(1);
  expect(terminal.output).not.toMatch(FULL_CLEAR);
});

deepTest("in tmux, /clear moves the rows into the history, each once", async () => {
  await using here = await place();
  await using terminal = await tmuxProcess(COMMAND, { cwd: here.project.dir, env: here.environmentOf({}) });
  await terminal.shows(IDLE);
  await terminal.type("the first question\r");
  await terminal.shows("● The answer.");
  await terminal.shows(IDLE);
  await terminal.type("/clear\r");
  await terminal.shows(CLEAN);
  await terminal.shows(IDLE);
  for (const row of [...OLD, "The conversation was cleared."])
    expect({ row, count: count(await terminal.all(), row) }).toEqual({ row, count: 1 });
});

deepTest("on a full screen, /clear begins an empty window, and scrolling back shows the rows", async () => {
  await using here = await quollPlace({
    scenario: () => reply([text("The answer.")]),
    settings: { terminal: { screen: "full" } },
  });
  await using terminal = terminalProcess(COMMAND, { cwd: here.project.dir, env: here.environmentOf({}) });
  await terminal.shows(IDLE);
  terminal.type("the first question\r");
  await terminal.shows("● The answer.");
  await terminal.shows(IDLE);
  terminal.type("/clear\r");
  await terminal.shows(() => CLEAN.test(terminal.screen));
  expect(terminal.screen).not.toContain("● The answer.");
  terminal.type(PAGE_UP);
  await terminal.shows("● The answer.");
});

deepTest("on a plain screen, /clear only says that the conversation was cleared", async () => {
  await using here = await place();
  const env = { ...here.environmentOf({}), TERM: "dumb" };
  await using terminal = terminalProcess(COMMAND, { cwd: here.project.dir, env });
  await terminal.shows(/^You:/m);
  terminal.type("the first question\n");
  await terminal.shows("The answer.");
  terminal.type("/clear\n");
  await terminal.shows("The conversation was cleared.");
  expect(terminal.screen).toContain("The answer.");
  expect(terminal.output).not.toContain("\u001b");
});
