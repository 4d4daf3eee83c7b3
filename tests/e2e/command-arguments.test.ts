import { expect, test } from "bun:test";
import { reply, text } from "@quoll/model-twin/scenario";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

test("a command's arguments are offered while they are typed, and enter runs it with the one that begins so", async () => {
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
});
