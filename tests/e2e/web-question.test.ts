import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { reply, toolUse } from "@quoll/model-twin/scenario";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

test("the question about a page shows the whole address, readable, and always keeps the exact host", async () => {
  const url = "https://docs.site.example/find?q=%61ll%20of%20it%1b%5b2J";
  let turn = 0;
  await using here = await quollPlace({
    scenario: () => {
      turn += 1;
      return turn === 1 ? reply([toolUse("WebFetch", { url, prompt: "Which port?" })]) : reply("Done.");
    },
  });
  await using terminal = terminalProcess([...QUOLL, "--trust"], {
    columns: 100,
    rows: 30,
    cwd: here.project.dir,
    env: here.environmentOf({}),
  });
  await terminal.shows("? for keys");
  terminal.type("look it up\r");
  await terminal.shows("Connect to docs.site.example?");
  const screen = terminal.screen.replace(/[\s│]+/g, " ");
  expect(screen).toContain(url);
  expect(screen).toContain("reads: https://docs.site.example/find?q=all of it␛[2J");
  expect(screen).toContain("Which port?");
  expect(screen).toContain("pages of docs.site.example");
  await terminal.asks();
  const always = /(\d) Yes, always/.exec(terminal.screen)?.[1] ?? "";
  await terminal.answers(always);
  await terminal.shows("● Done.");
  const folder = here.home.path("own/config/projects");
  const [file = ""] = existsSync(folder) ? readdirSync(folder) : [];
  expect(readFileSync(join(folder, file), "utf8")).toContain('"WebFetch(domain:docs.site.example)"');
});
