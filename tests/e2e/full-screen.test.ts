import { expect, setDefaultTimeout, test } from "bun:test";
import { reply, text } from "@quoll/model-twin/scenario";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

test("--fullscreen leaves the first screen as it was, with the last lines and the line that resumes the session", async () => {
  await using place = await quollPlace({ scenario: [reply([text("Blue.")])] });
  const options = { cwd: place.project.dir, env: place.environmentOf({}) };
  await using terminal = terminalProcess(["sh", "-c", `echo before; ${QUOLL[0]} --fullscreen --trust`], options);
  await terminal.shows("? for keys");
  expect(terminal.xterm.buffer.active.type).toBe("alternate");
  terminal.type("which colour?\r");
  await terminal.shows("● Blue.");
  await terminal.shows("? for keys");
  expect(await terminal.leaves()).toBe(0);
  // The first screen comes back with what the program wrote last; the second one showed the same line before.
  await terminal.shows("before");
  await terminal.shows("quoll --resume");
  const lines = terminal.all.split("\n").filter((line) => line !== "");
  expect(lines.slice(0, 3)).toEqual(["before", "› which colour?", "● Blue."]);
  expect(lines.at(-1)).toMatch(/To resume this session: quoll --resume \S+$/);
});
