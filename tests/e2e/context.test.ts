import { expect, setDefaultTimeout } from "bun:test";
import { fault, reply, text, toolUse } from "@quoll/model-twin/scenario";
import type { ContextReport } from "../../src/contracts/context-report.ts";
import { deepTest } from "../support/deep.ts";
import { linesOf } from "../support/lines-of.ts";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";
import { terminalProcess } from "../support/terminal-process.ts";

setDefaultTimeout(60_000);

type Place = Awaited<ReturnType<typeof quollPlace>>;

const STREAM = ["-p", "--output-format", "stream-json", "--verbose", "--input-format", "stream-json"];
const jsonLines = (out: string) => linesOf(out).map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

async function contextOf(place: Place, args: readonly string[] = []): Promise<ContextReport> {
  const words = { type: "user", message: { role: "user", content: "/context --json" } };
  const { code, out, err } = await place.run([...STREAM, ...args], { stdin: `${JSON.stringify(words)}\n` });
  expect([code, err]).toEqual([0, ""]);
  const result = jsonLines(out).find(({ type }) => type === "result");
  return JSON.parse(String(result?.["result"])) as ContextReport;
}

const sum = (rows: readonly { readonly tokens: number }[]) => rows.reduce((all, { tokens }) => all + tokens, 0);

deepTest("/context --json accounts for every token, before the first prompt and after an answer", async () => {
  await using place = await quollPlace({
    files: { "a.txt": "one\n".repeat(200), "AGENTS.md": "Be brief.\n" },
    scenario: [
      reply([text("I look."), toolUse("Read", { file_path: "a.txt" })]),
      reply("Done.", { usage: { inputTokens: 9_000, outputTokens: 10 } }),
    ],
  });
  const before = await contextOf(place);
  expect(before.countedBy).toBe("estimate");
  expect(before.rows.find(({ source }) => source === "instructions")?.label).toBe("AGENTS.md");
  expect(sum(before.rows) + sum(before.turns)).toBe(before.usedTokens);
  expect(place.sent()).toEqual([]);

  await place.run(["-p", "look at a.txt"]);
  const after = await contextOf(place, ["--continue"]);
  expect(after).toMatchObject({ countedBy: "usage", usedTokens: 9_010, byTool: [{ name: "Read" }] });
  expect(sum(after.rows) + sum(after.turns)).toBe(9_010);
  expect(after.turns.map(({ label, results }) => [label, results.map((result) => result.label)])).toEqual([
    ["look at a.txt", ["Read a.txt"]],
  ]);
  expect(place.refused()).toEqual([]);
});

deepTest(
  "a part is dropped after its price was told, a pinned one survives, and both come back by resuming and undoing",
  async () => {
    const usage = { usage: { inputTokens: 9_000, outputTokens: 10 } };
    await using place = await quollPlace({
      files: { "a.txt": "one\n".repeat(300), "b.txt": "two\n".repeat(300) },
      scenario: [
        reply([toolUse("Read", { file_path: "a.txt" }, "toolu_a")]),
        reply([toolUse("Read", { file_path: "b.txt" }, "toolu_b")]),
        reply("Done.", usage),
        reply("Again.", usage),
        reply("Undone.", usage),
      ],
    });
    const type = async (words: string) => (await place.run(["-p", "--continue", words])).out;
    await place.run(["-p", "look at both"]);
    expect(await type("/context")).toContain("Read a.txt");
    const price = await type("/context drop toolu_a");
    expect(price).toMatch(/frees about [\d.]+k tokens.*tokens are sent without the cache/);
    expect(price).toContain("/context drop toolu_a --yes");
    expect(await type("/context pin toolu_b")).toContain("1 result");
    expect((await contextOf(place, ["--continue"])).turns[0]?.results.map(({ isPinned }) => isPinned)).toEqual([
      undefined,
      true,
    ]);
    expect(await type("/context drop toolu_a --yes")).toContain("Freed about");
    await type("and now?");
    const sees = (word: string) => JSON.stringify(place.sent().at(-1)).split(word).length > 300;
    expect([sees("one"), sees("two")]).toEqual([false, true]);
    await type("/compact undo");
    await type("and then?");
    expect([sees("one"), sees("two")]).toEqual([true, true]);
    const wrong = await place.run(["-p", "--continue", "/context drop 17"]);
    expect(wrong.code).not.toBe(0);
    expect(wrong.err).toContain("no turn and no result 17");
    expect(place.refused()).toEqual([]);
  },
);

deepTest("on the screen a result is marked, its price shown, and it is dropped only after a yes", async () => {
  await using place = await quollPlace({
    files: { "a.txt": "one\n".repeat(300) },
    scenario: [reply([toolUse("Read", { file_path: "a.txt" }, "toolu_a")]), reply("Done."), reply("Again.")],
  });
  const [where, env] = [{ columns: 80, rows: 24 }, place.environmentOf({})];
  await using terminal = terminalProcess([...QUOLL, "--trust"], { ...where, cwd: place.project.dir, env });
  await terminal.shows("? for keys");
  terminal.type("look\r");
  await terminal.shows("Done.");
  terminal.type("/context\r");
  await terminal.shows("d drop · c collapse · p pin");
  terminal.type("\u001b[B\u001b[B");
  await terminal.shows(/❯ {3}Read a\.txt/);
  terminal.type("d");
  await terminal.shows(/❯ d Read a\.txt[\s\S]*1 mark/);
  terminal.type("\r");
  const asked = /Drop 1 result\? This frees about [\d.]+k? tokens\.[\s\S]*Yes, drop .*without the cache/;
  await terminal.shows(asked);
  terminal.type("\u001b");
  await terminal.shows(/❯ d Read a\.txt[\s\S]*1 mark/);
  terminal.type("\r");
  await terminal.shows(asked);
  terminal.type("\u001b[B\r");
  await terminal.shows(() => !/Yes, drop|d drop/.test(terminal.screen));
  expect(place.sessionEntries().filter(({ kind }) => kind === "compacted")).toEqual([]);
  terminal.type("/context drop toolu_a\r");
  await terminal.shows(asked);
  terminal.type("\r");
  await terminal.shows("Freed about");
  terminal.type("and now?\r");
  await terminal.shows("Again.");
  expect(JSON.stringify(place.sent().at(-1))).toContain("Cleared by the user, id toolu_a");
  expect(place.refused()).toEqual([]);
});

deepTest("a change of the context is refused before its price is asked while a turn runs", async () => {
  await using place = await quollPlace({ scenario: [reply("Done."), reply("Still here", { fault: fault.stall(1) })] });
  const [where, env] = [{ columns: 80, rows: 24 }, place.environmentOf({})];
  await using terminal = terminalProcess([...QUOLL, "--trust"], { ...where, cwd: place.project.dir, env });
  await terminal.shows("? for keys");
  terminal.type("look\r");
  await terminal.shows("Done.");
  terminal.type("again\r");
  await terminal.shows("esc to interrupt");
  terminal.type("/context drop 1\r");
  await terminal.shows("A turn is running");
  expect(terminal.all).not.toContain("Drop 1 turn?");
});

deepTest("stream-json tells a missed prompt cache in one line", async () => {
  const usage = (cacheReadTokens: number, cacheCreationTokens: number) => ({
    usage: { inputTokens: 5, cacheReadTokens, cacheCreationTokens },
  });
  await using place = await quollPlace({
    files: { "a.txt": "one\n" },
    scenario: [
      reply([toolUse("Read", { file_path: "a.txt" })], usage(30_000, 1_000)),
      reply("Done.", usage(0, 31_500)),
    ],
  });
  const { out } = await place.run(["-p", "look", "--output-format", "stream-json", "--verbose"]);
  const told = jsonLines(out).filter(({ subtype }) => subtype === "informational");
  expect(told.map(({ content }) => content)).toEqual([expect.stringMatching(/31000 tokens.*provider lost its cache/)]);
});
