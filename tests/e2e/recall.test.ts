import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { appendFileSync, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { type ReplyBlock, reply, toolUse } from "@quoll/model-twin/scenario";
import { deepTest } from "../support/deep.ts";
import { eventually } from "../support/eventually.ts";
import { QUOLL, quollPlace, type SentBlock, type SentBody } from "../support/quoll-process.ts";
import { tempProject } from "../support/temp-project.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

const MODEL = "claude-sonnet-5";
const SMALL_WINDOW = {
  sandbox: { enabled: false },
  models: { [MODEL]: { contextWindow: 20_000, maxOutputTokens: 1_000 } },
};
const FILES = Object.fromEntries(["a", "b", "c", "d", "e", "f"].map((name) => [`${name}.txt`, contentOf(name)]));

function contentOf(name: string): string {
  return Array.from({ length: 300 }, (_, at) => `${name} has the number ${at * 7}`).join("\n");
}

const reads = (...names: readonly string[]) =>
  reply(names.map((name): ReplyBlock => toolUse("Read", { file_path: `${name}.txt` }, `toolu_${name}`)));
const resultsIn = (body: SentBody | undefined) =>
  (body?.messages ?? []).flatMap(({ content }) => content.filter(({ type }) => type === "tool_result"));
const textIn = ({ content }: SentBlock) => JSON.stringify(content);
const clearedIn = (body: SentBody | undefined) => resultsIn(body).filter((one) => textIn(one).includes("[Cleared"));

deepTest(
  "a cleared result, one of two in parallel, comes back by one call with the id that stands in its place, also after a resume",
  async () => {
    const recall = (id: string) => reply([toolUse("Recall", { query: id })]);
    await using place = await quollPlace({
      files: FILES,
      settings: SMALL_WINDOW,
      scenario: [
        ...[reads("a", "b"), reads("c", "d"), reads("e", "f"), recall("toolu_b"), reply("First.")],
        ...[recall("toolu_a"), reply("Second.")],
      ],
    });
    const first = await place.run(["-p", "look at all", "--model", MODEL]);
    expect([first.code, first.out.trim()]).toEqual([0, "First."]);
    const stub = clearedIn(place.sent()[3]).find(({ tool_use_id }) => tool_use_id === "toolu_b");
    expect(stub && textIn(stub)).toMatch(/id toolu_b\b.*Recall/);
    expect(textIn(resultsIn(place.sent()[4]).at(-1) as SentBlock)).toContain("b has the number 700");
    const second = await place.run(["-p", "and again", "--model", MODEL, "--continue"]);
    expect([second.code, second.out.trim()]).toEqual([0, "Second."]);
    expect(textIn(resultsIn(place.sent().at(-1)).at(-1) as SentBlock)).toContain("a has the number 700");
    expect(place.refused()).toEqual([]);
  },
);

deepTest("without the tool no stub names it", async () => {
  await using place = await quollPlace({
    files: FILES,
    settings: SMALL_WINDOW,
    scenario: [reads("a", "b"), reads("c", "d"), reads("e", "f"), reply("Done.")],
  });
  await place.run(["-p", "look at all", "--model", MODEL, "--bare"]);
  expect(clearedIn(place.sent().at(-1)).length).toBeGreaterThan(0);
  expect(JSON.stringify(place.sent().at(-1))).not.toContain("Recall");
});

deepTest("a session that is not saved is recalled from memory", async () => {
  await using place = await quollPlace({
    files: FILES,
    settings: SMALL_WINDOW,
    scenario: [
      ...[reads("a", "b"), reads("c", "d"), reads("e", "f")],
      ...[reply([toolUse("Recall", { query: "toolu_a" })]), reply("Done.")],
    ],
  });
  await place.run(["-p", "look at all", "--model", MODEL, "--no-session-persistence"]);
  expect(textIn(resultsIn(place.sent().at(-1)).at(-1) as SentBlock)).toContain("a has the number 700");
  expect(place.ownFiles().filter(([path]) => path.includes("search"))).toEqual([]);
});

test("other sessions of the project are searched only where a setting says so, other projects never", async () => {
  const asked = [reply([toolUse("Recall", { query: "walrus" })]), reply("Done.")];
  await using place = await quollPlace({ scenario: [reply("Noted."), ...asked, ...asked] });
  await place.run(["-p", "the walrus lives at 10.9.8.7"]);
  for (const otherSessions of [false, true]) {
    const settings = { sandbox: { enabled: false }, ...(otherSessions && { recall: { otherSessions } }) };
    await place.home.write("own/config/settings.json", JSON.stringify(settings));
    await place.run(["-p", "where does it live?"]);
    const text = textIn(resultsIn(place.sent().at(-1)).at(-1) as SentBlock);
    expect(text.includes("10.9.8.7")).toBe(otherSessions);
  }
});

deepTest("a session is found by its name in the shell, before what was said, and matches show the name", async () => {
  await using place = await quollPlace({ scenario: [reply("The walrus sleeps.")] });
  await place.run(["-p", "hello", "--name", "Walrus diary"]);
  const { out } = await place.run(["sessions", "search", "walrus"]);
  expect(out.indexOf("session: Walrus diary")).toBeGreaterThan(0);
  expect(out.indexOf("session: Walrus diary")).toBeLessThan(out.indexOf("answer: The walrus sleeps."));
  expect(out.match(/^\d.* Walrus diary$/m)).not.toBeNull();
  const json = JSON.parse((await place.run(["sessions", "search", "diary", "--json"])).out);
  expect(json).toMatchObject({ sessions: [{ title: "Walrus diary", folder: place.project.dir }], matches: [] });
});

deepTest(
  "a person finds what was said in any session of any project, with credentials hidden, in the shell and by /search",
  async () => {
    const KEY = `ghp_${"xY7qLm2VbN9tRk4WzPs8"}${"dHf3GjC6aUeQ1oTi"}`;
    await using place = await quollPlace({ scenario: [reply("Noted."), reply("Noted, too.")] });
    await using other = await quollPlace();
    await place.run(["-p", `the walrus lives at 10.9.8.7, key ${KEY}`]);
    await place.run(["-p", "\u001b[31mwalrus number two"], { cwd: other.project.dir });
    const { out, code } = await place.run(["sessions", "search", "walrus", "10.9.8.7"]);
    expect(code).toBe(0);
    expect(out).toContain("the walrus lives at 10.9.8.7");
    expect(out).not.toContain(KEY);
    const json = JSON.parse((await place.run(["sessions", "search", "walrus", "--json"])).out) as {
      matches: { cwd: string; kind: string; sessionId: string; projectId: string; entryId: string }[];
    };
    const prompts = json.matches.filter(({ kind }) => kind === "user");
    expect(prompts.map(({ cwd }) => cwd).toSorted()).toEqual([place.project.dir, other.project.dir].toSorted());
    const listed = await place.run(["-p", "/search walrus"]);
    expect(listed.out).toContain("walrus number two");
    expect(listed.out).not.toContain("\u001b");
    const [first] = prompts.filter(({ cwd }) => cwd === place.project.dir);
    const shown = await place.run(["-p", `/search --show ${first?.projectId}/${first?.sessionId}/${first?.entryId}`]);
    expect(shown.out).toContain("the walrus lives at 10.9.8.7");
    expect(shown.out).toContain(`/resume ${first?.sessionId}`);
    expect(shown.out).not.toContain(KEY);
  },
);

deepTest("a credential that the end of an excerpt cuts is hidden from the model and from the person", async () => {
  const [first, second] = ["xY7qLm2VbN9tRk4WzPs8dHf3GjC6aUeQ1oTi", "Qm8sT3vKx9RzB5nYc2LhW7jDf4GpA6uE1oVi"];
  await using place = await quollPlace({
    scenario: [reply("Noted."), reply([toolUse("Recall", { query: "walrus" })]), reply("Done.")],
  });
  const start = `walrus ${"x ".repeat(65)}ghp_${first} `;
  await place.run(["-p", `${start.padEnd(676, "y ")} ghp_${second} ${"z ".repeat(200)}`]);
  await place.run(["-p", "and now?", "--continue"]);
  const shown = textIn(resultsIn(place.sent().at(-1)).at(-1) as SentBlock);
  const listed = (await place.run(["sessions", "search", "walrus"])).out;
  for (const text of [shown, listed]) {
    expect(text).toContain("walrus x x");
    expect(text).not.toContain(first.slice(0, 8));
    expect(text).not.toContain(second.slice(0, 8));
  }
});

deepTest("a search without words is refused, and one without a match prints nothing", async () => {
  await using place = await quollPlace({ scenario: [reply("Noted.")] });
  await place.run(["-p", "hello"]);
  expect((await place.run(["sessions", "search", "?!"])).code).toBe(2);
  expect((await place.run(["sessions", "search"])).code).toBe(2);
  const none = await place.run(["sessions", "search", "walrus"]);
  expect([none.code, none.out]).toEqual([0, ""]);
});

deepTest("/search in the terminal lists matches, and Enter shows one in full with the way to resume it", async () => {
  await using place = await quollPlace({ scenario: [reply("Noted."), reply("Fine.")] });
  await place.run(["-p", `the walrus lives at 10.9.8.7${"\nmore".repeat(3)}\nand the last line`]);
  await using terminal = terminalProcess([...QUOLL, "--trust"], {
    columns: 100,
    rows: 30,
    cwd: place.project.dir,
    env: place.environmentOf({}),
  });
  await terminal.shows("? for keys");
  terminal.type("/search walrus 10.9\r");
  await terminal.shows("prompt: the walrus lives at 10.9.8.7");
  terminal.type("\r");
  await terminal.shows("and the last line");
  await terminal.shows(/\/resume \S+ resumes this session/);
});

deepTest("/search names the folder of a session of another project", async () => {
  await using place = await quollPlace({ scenario: [reply("Noted.")] });
  await place.run(["-p", "the walrus lives here"]);
  await using other = await tempProject();
  const { out } = await place.run(["-p", "/search walrus"], { cwd: other.dir });
  expect(out).toContain("walrus");
  const [log = ""] = [...new Bun.Glob("own/data/sessions/*/*.jsonl").scanSync({ cwd: place.home.dir })];
  const [project, file] = log.split("/").slice(-2);
  const entry = place.sessionEntries().find(({ kind }) => kind === "user") as { id: string };
  const show = `/search --show ${project}/${file?.replace(".jsonl", "")}/${entry.id}`;
  expect((await place.run(["-p", show], { cwd: other.dir })).out).toContain(`in ${place.project.dir}.`);
});

deepTest("/search finds what was said before /clear", async () => {
  await using place = await quollPlace({ scenario: [reply("Noted.")] });
  await place.run(["-p", "the walrus lives here"]);
  expect((await place.run(["-p", "/clear", "--continue"])).out).toContain("/search");
  expect((await place.run(["-p", "/search walrus", "--continue"])).out).toContain("the walrus lives here");
});

deepTest(
  "searches of several processes at once, one of them killed, leave an index that is whole and complete",
  async () => {
    await using place = await quollPlace({ scenario: [reply("Noted.")] });
    await place.run(["-p", "hello"]);
    const [log = ""] = [
      ...new Bun.Glob("own/data/sessions/*/*.jsonl").scanSync({ cwd: place.home.dir, absolute: true }),
    ];
    const entry = place.sessionEntries().find(({ kind }) => kind === "user") as { message: object };
    const lines = Array.from({ length: 6_000 }, (_, at) => {
      const prompt = `marmot${at} ${"some more words ".repeat(60)}`;
      const message = { ...entry.message, id: `m${at}`, content: [{ type: "text", text: prompt }] };
      return JSON.stringify({ ...entry, id: `e${at}`, prompt, message });
    });
    appendFileSync(log, `${lines.join("\n")}\n`);
    const killed = place.start(["sessions", "search", "marmot17"]);
    const others = Array.from({ length: 3 }, (_, at) => place.run(["sessions", "search", `marmot${5_000 + at}`]));
    const index = join(place.home.dir, "own/data/search/sessions-3.sqlite");
    await eventually("the index grows", () => existsSync(index) && statSync(index).size > 50_000);
    killed.child.kill("SIGKILL");
    for (const [at, { out, code, err }] of (await Promise.all(others)).entries())
      expect([code, err, out.includes(`prompt: marmot${5_000 + at} `)]).toEqual([0, "", true]);
    expect((await place.run(["sessions", "search", "marmot4999"])).out).toContain("prompt: marmot4999 ");
    using database = new Database(index);
    expect(database.query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
    const texts = database
      .query("SELECT count(*) AS count, count(DISTINCT at || ' ' || part) AS different FROM texts")
      .get();
    expect(texts).toMatchObject({ count: (texts as { different: number }).different });
  },
);
