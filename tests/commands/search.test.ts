import { expect, test } from "bun:test";
import { utimesSync } from "node:fs";
import { searchCommand } from "../../src/commands/search.ts";
import type { CommandContext } from "../../src/contracts/command.ts";
import type { GrownList } from "../../src/contracts/command-result.ts";
import { sessionLogs } from "../support/session-logs.ts";

const SIGNAL = AbortSignal.timeout(20_000);
/** A log with this result is indexed in several transactions. */
const LONG = "filler ".repeat(20_000);

/** An older session with a match, and a newer, longer one with a match in its first results. */
async function longLogs() {
  const logs = await sessionLogs();
  logs.open("older").result("old", "the walrus of last year");
  utimesSync(logs.pathOf("older"), 1_700_000_000, 1_700_000_000);
  const newer = logs.open("newer");
  newer.result("c0", "the walrus of today");
  for (let at = 1; at <= 30; at += 1) newer.result(`c${at}`, LONG);
  return logs;
}

async function searched(logs: Awaited<ReturnType<typeof sessionLogs>>, more: Partial<CommandContext>) {
  const recall = logs.recall();
  const context = {
    ...{ now: () => 1_700_000_000_000, recall: { forPerson: async () => recall } },
    ...{ engine: { state: { sessionId: "this" } }, sessions: { list: async () => [] } },
    ...more,
  };
  const result = await searchCommand.run("walrus", context as unknown as CommandContext, SIGNAL);
  if (result.kind !== "operation") throw new Error(`Not an operation: ${result.kind}`);
  const reported: string[] = [];
  const answer = await result.run(({ text }) => void reported.push(text), SIGNAL);
  if (answer.kind !== "choose") throw new Error(`Not a list: ${answer.kind}`);
  return { answer, reported };
}

test("the first search shows matches while it still reads sessions, and its list grows to all of them", async () => {
  await using logs = await longLogs();
  const { answer, reported } = await searched(logs, { listsGrow: true });
  expect(answer.title).toMatch(/so far, \d+% of the sessions read$/);
  expect(answer.choices.map(({ label }) => label)).toEqual(["result: the walrus of today"]);
  expect(answer.before?.join()).toMatch(/^\d+% of your sessions are read/);
  for (const line of reported) expect(line).toMatch(/^\d+% of the sessions read$/);
  const grown: GrownList[] = [];
  const count = reported.length;
  const all = await answer.later?.(SIGNAL, (more) => void grown.push(more));
  expect(all?.map(({ label }) => label).toSorted()).toEqual([
    "result: the walrus of last year",
    "result: the walrus of today",
  ]);
  expect(grown.at(-1)).toEqual({ title: 'Matches of "walrus", the best first', choices: all ?? [] });
  // The operation is over, so its progress is not shown again.
  expect(reported.length).toBe(count);
});

test("a face whose lists do not grow gets all matches at once", async () => {
  await using logs = await longLogs();
  const { answer } = await searched(logs, {});
  expect(answer.choices).toHaveLength(2);
  expect([answer.title, answer.later]).toEqual(['Matches of "walrus", the best first', undefined]);
});

test("sessions whose name holds the words come first, those of exact words before the others", async () => {
  await using logs = await longLogs();
  const session = (id: string, title: string, more: object = {}) => ({
    ...{ id, title, modifiedAt: 1_699_999_000_000, bytes: 1, prompts: 1, costUsd: 0, folder: "/src/zoo" },
    ...more,
  });
  const listAll = async () => [
    session("this", "Walrus", { firstPrompt: "x" }),
    session("prompted", "feed the walrus"),
    session("walruses", "All walruses", { firstPrompt: "x", isNamed: true }),
    session("exact-one", "The Wálrus", { firstPrompt: "x", isNamed: true }),
  ];
  const { answer } = await searched(logs, {
    engine: { state: { sessionId: "this" } },
    sessions: { list: listAll, listAll },
  } as unknown as Partial<CommandContext>);
  expect(answer.choices.map(({ label, detail, input }) => [label, detail, input]).slice(0, 2)).toEqual([
    ["session: The Wálrus", "16 min ago · zoo · exact-on", "/resume exact-one"],
    ["session: All walruses", "16 min ago · zoo · walruses", "/resume walruses"],
  ]);
  expect(answer.choices).toHaveLength(4);
  expect(answer.lines[0]).toContain("session: The Wálrus");
});

test("a match is shown with the name of its session", async () => {
  await using logs = await longLogs();
  const named = { id: "older", title: "Zoo", firstPrompt: "x", modifiedAt: 1, bytes: 1, prompts: 1, costUsd: 0 };
  const list = async () => [named];
  const { answer } = await searched(logs, { sessions: { list, listAll: list } } as unknown as Partial<CommandContext>);
  expect(answer.lines.join("\n")).toMatch(/· older · Zoo\n {2}result: the walrus of last year/);
});

test("a search in a finished index shows all matches at once", async () => {
  await using logs = await longLogs();
  await searched(logs, {});
  const { answer } = await searched(logs, { listsGrow: true });
  expect([answer.choices.length, answer.later]).toEqual([2, undefined]);
});
