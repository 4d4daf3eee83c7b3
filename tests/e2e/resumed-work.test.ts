import { expect, setDefaultTimeout } from "bun:test";
import { reply } from "@quoll/model-twin/scenario";
import manifest from "../../package.json" with { type: "json" };
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

type Place = Awaited<ReturnType<typeof quollPlace>>;

const answers = (_: unknown, at: number) => reply(`Answer ${at + 1}.`);
const lastSent = (place: Place) => JSON.stringify(place.sent().at(-1)?.messages);

async function onScreen(place: Place, ...options: readonly string[]) {
  const terminal = terminalProcess([...QUOLL, "--trust", ...options], {
    columns: 80,
    rows: 24,
    cwd: place.project.dir,
    env: place.environmentOf({}),
  });
  await terminal.shows("? for keys");
  return terminal;
}

deepTest("the last command that the person ran reaches the model after the session is resumed, once", async () => {
  await using place = await quollPlace({ scenario: answers });
  {
    await using terminal = await onScreen(place);
    terminal.type("hello\r");
    await terminal.shows("● Answer 1.");
    await terminal.rests();
    terminal.type("!echo NUM-$((40+2))\r");
    await terminal.shows("NUM-42");
    await terminal.rests();
    terminal.type("/exit\r");
    await terminal.child.exited;
  }
  await using terminal = await onScreen(place, "-c");
  await terminal.shows("NUM-42");
  terminal.type("what was it\r");
  await terminal.shows("● Answer 2.");
  await terminal.rests();
  expect(lastSent(place)).toContain("NUM-42");
  terminal.type("and now\r");
  await terminal.shows("● Answer 3.");
  expect(lastSent(place).split("NUM-42")).toHaveLength(2);
});

deepTest("/clear names an id that opens the old conversation, in the session and in a shell", async () => {
  await using place = await quollPlace({ scenario: answers });
  let id = "";
  {
    await using terminal = await onScreen(place);
    terminal.type("old question\r");
    await terminal.shows("● Answer 1.");
    await terminal.rests();
    terminal.type("/clear\r");
    await terminal.shows("was cleared");
    id = /\/resume (\w{8})/.exec(terminal.screen)?.[1] ?? "";
    terminal.type("new question\r");
    await terminal.shows("● Answer 2.");
    await terminal.rests();
    expect(lastSent(place)).not.toContain("old question");
    terminal.type(`/resume ${id}\r`);
    await terminal.shows(() => terminal.all.split(`quoll ${manifest.version}`).length === 3);
    await terminal.shows("? for keys");
    terminal.type("third\r");
    await terminal.shows("● Answer 3.");
    expect(lastSent(place)).toContain("old question");
    expect(lastSent(place)).not.toContain("new question");
    terminal.type("/exit\r");
    await terminal.child.exited;
  }
  const { code } = await place.run(["-p", "--resume", id, "fourth"]);
  expect(code).toBe(0);
  expect(lastSent(place)).toContain("old question");
  expect(lastSent(place)).not.toContain("third");
});
