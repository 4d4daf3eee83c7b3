import { expect, setDefaultTimeout, test } from "bun:test";
import { type JsonObject, reply, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

const SUMMARY = "<summary>\n## Goal\nRead the files.\n## Next step\nRead the next one.\n</summary>";
const STREAM = ["-p", "--output-format", "stream-json", "--verbose", "--input-format", "stream-json"];
const RULE = "Never rename a public function.";
const said = (content: string) => `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`;

deepTest(
  "after /compact the instruction file and the user's words are there word for word, and a cleared file is read again",
  async () => {
    const files = { "AGENTS.md": `${RULE}\n`, "a.txt": "the content of a\n".repeat(200) };
    const read = reply([toolUse("Read", { file_path: "a.txt" })]);
    const scenario = [read, reply("One."), reply(SUMMARY), read, reply("Two.")];
    await using here = await quollPlace({ files, scenario });
    const stdin = said("read a.txt, ticket ABC-7") + said("/compact keep the ticket") + said("once more");
    const { out, code } = await here.run(STREAM, { stdin });
    expect(code).toBe(0);
    const lines = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as JsonObject);
    const boundary = lines.find(({ subtype }) => subtype === "compact_boundary");
    expect(boundary).toMatchObject({ compact_metadata: { trigger: "manual", pre_tokens: expect.any(Number) } });
    const asked = here.twin.requests.map(({ body }) => body as JsonObject & { messages: unknown[] });
    expect(JSON.stringify(asked[2])).toContain("keep the ticket");
    const after = JSON.stringify(asked[3]?.messages);
    for (const text of [RULE, "read a.txt, ticket ABC-7", "Read the next one."])
      expect(after.split(text)).toHaveLength(2);
    expect(after).not.toContain("the content of a");
    expect(JSON.stringify(asked[4]?.messages)).toContain("the content of a");
    expect(here.twin.requests.flatMap(({ rejected }) => rejected)).toEqual([]);
    await here.run(["-p", "--continue", "--max-turns", "1", "and now"]);
    expect(here.twin.requests.at(-1)?.bodyText).toContain("and now");
    expect(here.twin.requests.at(-1)?.bodyText).toContain("Read the next one.");
  },
);

deepTest("an input typed on the screen during /compact waits, and runs when the summary is there", async () => {
  const gate = Promise.withResolvers<void>();
  await using here = await quollPlace({
    scenario: async ({ body }) => {
      if (JSON.stringify(body).includes("third thing")) return reply("Third answer.");
      if (!JSON.stringify(body).includes("<summary>")) return reply(`Yes. ${"word ".repeat(200)}`);
      await gate.promise;
      return reply(SUMMARY);
    },
  });
  const env = here.environmentOf({});
  await using terminal = terminalProcess([...QUOLL, "--trust"], { columns: 100, rows: 30, cwd: here.project.dir, env });
  const IDLE = "? for keys";
  await terminal.shows(IDLE);
  for (const prompt of ["first thing", "second thing"]) {
    terminal.type(`${prompt}\r`);
    await terminal.shows(new RegExp(`› ${prompt}[^]*● Yes\\.`));
    await terminal.shows(IDLE);
  }
  terminal.type("/compact\r");
  await terminal.shows("Compacting");
  await here.twin.request(2);
  terminal.type("third thing\r");
  await terminal.shows("↳ next: third thing");
  terminal.type("!echo shell-$((40 + 2))\r");
  await terminal.shows("↳ then: !echo shell-");
  await terminal.shows("Compacting");
  gate.resolve();
  await terminal.shows("Third answer.");
  await terminal.shows("shell-42");
  await terminal.shows(IDLE);
  expect(terminal.screen).not.toContain("↳");
  expect(terminal.all).not.toContain("already running");
});

test("-p /compact tells that it compacts only if there is something to compact", async () => {
  await using place = await quollPlace({ scenario: () => reply("Hi.") });
  expect(await place.run(["-p", "/compact"])).toEqual({
    code: 0,
    out: expect.stringContaining("nothing to compact"),
    err: "",
  });
  expect(place.sent()).toEqual([]);
});
