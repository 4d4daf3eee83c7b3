import { expect } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { reply, text } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { EMPTY_PROMPT, terminalProcess } from "../support/terminal-process.ts";

deepTest(
  "a command's arguments are offered while they are typed, and enter runs it with the one that begins so",
  async () => {
    await using place = await quollPlace({ scenario: () => reply([text("Done.")]) });
    await using terminal = terminalProcess([...QUOLL, "--trust"], {
      cwd: place.project.dir,
      env: place.environmentOf({}),
    });
    await terminal.shows("? for keys");
    const offers = async (typed: string, ...rows: readonly RegExp[]) => {
      terminal.type(`\u0015${typed}`);
      for (const row of rows) await terminal.shows(row);
    };
    await offers("/model son", /❯ sonnet +claude-sonnet/);
    await offers("/effort ", /❯ default/, / {2}high/);
    await offers("/output-style ", /❯ default/);
    await offers("/agents Expl", /❯ Explore/);
    await offers("/agents edit Expl", /❯ edit Explore/);
    await offers("/mcp reco", /❯ reconnect/);
    await offers("/config terminal.edi", /❯ terminal\.editorMode/);
    terminal.type("\t vi");
    await terminal.shows(/❯ terminal\.editorMode vim/);
    await offers("/theme li", /❯ light {2}/);
    terminal.type("\r");
    await terminal.shows("The theme is light now");
    expect(terminal.screen).toContain("› /theme light");
  },
);

deepTest("a value or an argument that no session can use is refused below its line, and nothing is saved", async () => {
  await using place = await quollPlace({ scenario: () => reply([text("Done.")]) });
  const file = place.home.path("own/config/settings.json");
  const settings = () => (existsSync(file) ? readFileSync(file, "utf8") : "");
  const before = settings();
  await using terminal = terminalProcess([...QUOLL, "--trust"], {
    cwd: place.project.dir,
    env: place.environmentOf({}),
  });
  await terminal.shows("? for keys");
  for (const [typed, answer] of [
    ["/config terminal.theme drak", /no theme "drak"[\s\S]*Did you mean\s+dark\?/],
    ["/config outputStyle lerning", /no output style "lerning"[\s\S]*Did you mean/],
    ["/editor no-such-editor", "no-such-editor was not found"],
    ["/usage x", "/usage takes no argument."],
    ["/keys nope", "There are no such keys"],
  ] as const) {
    terminal.type(`${typed}\r`);
    await terminal.shows(answer);
    expect(terminal.screen).toContain(`› ${typed}`);
    await terminal.shows(EMPTY_PROMPT);
  }
  expect(settings()).toBe(before);
  terminal.type("/config terminal.theme\r");
  await terminal.shows(/auto[\s\S]*light-high-contrast/);
});
