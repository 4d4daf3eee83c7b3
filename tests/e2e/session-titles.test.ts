import { expect, setDefaultTimeout, test } from "bun:test";
import { failing, fault, reply } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { eventually } from "../support/eventually.ts";
import { QUOLL, quollPlace, type SentBody } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

type Place = Awaited<ReturnType<typeof quollPlace>>;

const isTitleQuestion = (body: unknown) =>
  JSON.stringify((body as SentBody).system).includes("title of a conversation");

async function place(settings: object, title: ReturnType<typeof reply>) {
  return quollPlace({
    settings: { sandbox: { enabled: false }, ...settings },
    scenario: ({ body }) => (isTitleQuestion(body) ? title : reply("They like fish.")),
  });
}

function repl(at: Place) {
  return terminalProcess([...QUOLL, "--trust"], {
    ...{ columns: 80, rows: 24, cwd: at.project.dir, env: at.environmentOf({}) },
  });
}

async function titleOf(at: Place): Promise<string> {
  const { out } = await at.run(["sessions", "list", "--json"]);
  const [session] = JSON.parse(out) as readonly { readonly title: string; readonly isNamed: boolean }[];
  return `${session?.title} (${session?.isNamed ? "name" : "no name"})`;
}

test("a chosen model titles a new session after its first turn, once, and a search finds the title", async () => {
  await using at = await place({ sessions: { titleModel: "claude-haiku-4-5" } }, reply("Feeding a walrus\n"));
  await using terminal = repl(at);
  await terminal.shows("? for keys");
  terminal.type("what do they eat?\r");
  await terminal.shows("They like fish.");
  await eventually("the title is there", async () => (await titleOf(at)) === "Feeding a walrus (no name)");
  terminal.type("and more?\r");
  await eventually("the second answer is there", () => at.sent().filter((body) => !isTitleQuestion(body)).length === 2);
  const asked = at.sent().filter(isTitleQuestion);
  expect(asked.map(({ model, tools }) => [model, (tools ?? []).length])).toEqual([["claude-haiku-4-5", 0]]);
  expect(JSON.stringify(asked[0]?.messages)).toContain("what do they eat?");
  const found = await at.run(["sessions", "search", "walrus"]);
  expect(found.out).toContain("session: Feeding a walrus");
  terminal.type("/rename Zoo\r");
  await eventually("the name is there", async () => (await titleOf(at)) === "Zoo (name)");
});

deepTest("a title that can't be written is told in one line, and the first prompt stays the title", async () => {
  await using at = await place(
    { sessions: { titleModel: "claude-haiku-4-5" } },
    failing(fault.badRequest("no such model")),
  );
  await using terminal = repl(at);
  await terminal.shows("? for keys");
  terminal.type("what do they eat?\r");
  await terminal.shows("The session got no title");
  expect(await titleOf(at)).toBe("what do they eat? (no name)");
});

deepTest("without the setting, and in runs without a person, no model writes a title", async () => {
  await using at = await place({}, reply("Never asked"));
  await using terminal = repl(at);
  await terminal.shows("? for keys");
  terminal.type("what do they eat?\r");
  await terminal.shows("They like fish.");
  terminal.type("and more?\r");
  await eventually("the second answer is there", () => at.sent().length === 2);
  expect(at.sent().filter(isTitleQuestion)).toEqual([]);
  await using headless = await place({ sessions: { titleModel: "claude-haiku-4-5" } }, reply("Never asked"));
  await headless.run(["-p", "what do they eat?"]);
  expect(headless.sent().filter(isTitleQuestion)).toEqual([]);
});
