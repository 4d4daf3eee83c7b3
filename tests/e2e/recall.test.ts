import { expect, setDefaultTimeout, test } from "bun:test";
import { type ReplyBlock, reply, toolUse } from "@quoll/model-twin/scenario";
import { quollPlace, type SentBlock, type SentBody } from "../support/quoll-process.ts";

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

test("a cleared result, one of two in parallel, comes back by one call with the id that stands in its place, also after a resume", async () => {
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
});

test("without the tool no stub names it", async () => {
  await using place = await quollPlace({
    files: FILES,
    settings: SMALL_WINDOW,
    scenario: [reads("a", "b"), reads("c", "d"), reads("e", "f"), reply("Done.")],
  });
  await place.run(["-p", "look at all", "--model", MODEL, "--bare"]);
  expect(clearedIn(place.sent().at(-1)).length).toBeGreaterThan(0);
  expect(JSON.stringify(place.sent().at(-1))).not.toContain("Recall");
});

test("a session that is not saved is recalled from memory", async () => {
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
  const settings = { sandbox: { enabled: false }, recall: { otherSessions: true } };
  for (const given of [{ sandbox: { enabled: false } }, settings]) {
    await using place = await quollPlace({
      settings: given,
      scenario: [reply("Noted."), reply([toolUse("Recall", { query: "walrus" })]), reply("Done.")],
    });
    await place.run(["-p", "the walrus lives at 10.9.8.7"]);
    await place.run(["-p", "where does it live?"]);
    const text = textIn(resultsIn(place.sent().at(-1)).at(-1) as SentBlock);
    expect(text.includes("10.9.8.7")).toBe("recall" in given);
  }
});
