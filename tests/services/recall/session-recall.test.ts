import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { UserFacingError } from "../../../src/contracts/errors.ts";
import type { Recall, RecallScope } from "../../../src/contracts/recall.ts";
import { forgetDeletedSessions } from "../../../src/services/recall/forget-deleted-sessions.ts";
import { isDamaged, openIndex } from "../../../src/services/recall/io/index-file.ts";
import { sessionFileAt } from "../../../src/services/recall/io/session-files.ts";
import { indexSession } from "../../../src/services/recall/io/write-index.ts";
import { deepTest, eachOrDeep, seededTest } from "../../support/deep.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { parseLine, sessionLogs } from "../../support/session-logs.ts";

const OWN = { projectId: "p", sessionId: "s" };
const never = new AbortController().signal;
const search = (recall: Recall, query: string, scope: RecallScope = "session", maxMatches = 5) =>
  recall.search({ query, scope, maxMatches, excerptChars: 200 }, never);
const ids = async (recall: Recall, query: string, scope?: RecallScope) =>
  (await search(recall, query, scope)).matches.map(({ id }) => id);
const ONE_MATCH = { scope: "session", maxMatches: 1, excerptChars: 100 } as const;
/** Aborts when other work gets its turn for the second time. */
const abortSoon = (abort: AbortController) => setImmediate(() => setImmediate(() => abort.abort(new Error("stop"))));
/** Rows of a table of the index. */
function rowsOf(path: string, table: "files" | "texts"): number {
  using database = new Database(path, { readonly: true });
  return (database.query(`SELECT count(*) AS rows FROM ${table}`).get() as { rows: number }).rows;
}

function overwrite(path: string, from: number, to?: number): void {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0x5a, from, to));
}
const texts = async (recall: Recall, id: string, scope: RecallScope = "session") =>
  (await recall.find(id, scope, never)).map(({ text }) => text);

describe("a search in one session", () => {
  test.each([
    ["foo_bar.ts", "result c1"],
    ["--max-turns", "result c2"],
    ["10.0.3.17:5432", "result c3"],
    ["deploys to staging", "user"],
    ["端口", "result c4"],
    ["生产数据库的端口是多少", "result c4"],
    ["データベース", "result c5"],
    ["Dateigröße", "result c6"],
    ["eated_at_col", "result c7"],
    ['"exit code" 137', "result c8"],
    ["toolu_01AbC-9", "result c9"],
  ])("finds %s", async (query, expected) => {
    await using logs = await sessionLogs();
    const log = logs.open("s");
    log.user("we deploy to staging on Fridays");
    log.result("c0", "bar foo ts max turns, ten days, code exit");
    log.result("c1", "found it in src/foo_bar.ts, line 3");
    log.result("c2", "use --max-turns 5 there");
    log.result("c3", "the server is 10.0.3.17:5432");
    log.result("c4", "生产环境数据库的端口为 6033，请勿更改");
    log.result("c5", "本番データベースはこちらです");
    log.result("c6", "die dateigröße beträgt 3 MB");
    log.result("c7", "column created_at_column was dropped");
    log.result("c8", "the process ended with exit code 137");
    log.result("c9", "the call toolu_01AbC-9 failed");
    log.user("and now something else");
    const { matches, notes } = await search(logs.recall(OWN), query);
    expect(`${matches[0]?.kind}${matches[0]?.kind === "result" ? ` ${matches[0].id}` : ""}`).toBe(expected);
    expect(notes).toEqual([]);
  });

  test("finds calls, answers of child agents, summaries and the middle of a result in a file", async () => {
    await using logs = await sessionLogs();
    const log = logs.open("s");
    log.add({
      kind: "assistant",
      message: {
        ...{ role: "assistant", id: "a", model: "m", stopReason: "tool_use" },
        content: [{ type: "tool_use", id: "c1", name: "Bash", input: { command: "terraform plan -out=tf.bin" } }],
        usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
      },
    });
    const child = log.childAnswer("the leak is in pool.c");
    log.spilled("c2", `${"row\n".repeat(50_000)}needle-4711\n${"row\n".repeat(50_000)}`, "row … too many to show");
    const summary = log.add({
      ...{ kind: "compacted", why: "full", stubs: [], note: "Summed up." },
      summary: { role: "user", id: "sum", content: [{ type: "text", text: "Goal: migrate the ledger." }] },
    });
    const recall = logs.recall(OWN);
    expect(await ids(recall, "terraform tf.bin")).toEqual(["c1"]);
    expect(await ids(recall, "leak pool.c")).toEqual([child.id]);
    expect(await ids(recall, "migrate ledger")).toEqual([summary.id]);
    const [spilled] = (await search(recall, "needle-4711")).matches;
    expect(spilled).toMatchObject({ kind: "spilled", id: "c2" });
    expect(spilled?.excerpt).toContain("needle-4711");
  });

  test("leaves out what stands before the last /clear, other sessions, and the prompt that asks", async () => {
    await using logs = await sessionLogs();
    logs.open("other").result("x", "the walrus of another session");
    const log = logs.open("s");
    log.result("c1", "an old walrus");
    log.add({ kind: "cleared" });
    log.result("c2", "a new walrus");
    log.user("where was the walrus?");
    const recall = logs.recall(OWN);
    expect(await ids(recall, "walrus")).toEqual(["c2"]);
    expect(await texts(recall, "c1")).toEqual([]);
    expect(await texts(recall, "x")).toEqual([]);
    expect((await ids(recall, "walrus", "project")).toSorted()).toEqual(["c2", "x"]);
  });

  test("finds what was added after the last search, and counts a result once", async () => {
    await using logs = await sessionLogs();
    const log = logs.open("s");
    const recall = logs.recall(OWN);
    expect(await ids(recall, "heron")).toEqual([]);
    log.result("c1", "a heron");
    log.add({
      kind: "results",
      message: {
        ...{ role: "user", id: "r" },
        content: [{ type: "tool_result", toolUseId: "c1", content: "a heron", isError: false }],
      },
    });
    expect(await ids(recall, "heron")).toEqual(["c1"]);
    expect(rowsOf(logs.indexPath, "texts")).toBe(1);
    const later = readFileSync(log.path, "utf8").trimEnd().split("\n").at(-1)?.replaceAll("c1", "c2") ?? "";
    appendFileSync(log.path, later.slice(0, 200));
    expect(await ids(recall, "heron")).toEqual(["c1"]);
    appendFileSync(log.path, `${later.slice(200)}\n`);
    expect((await ids(recall, "heron")).toSorted()).toEqual(["c1", "c2"]);
  });

  test("reads nothing of the query as syntax", async () => {
    await using logs = await sessionLogs();
    logs.open("s").result("c1", 'alpha AND beta OR NOT (gamma)* NEAR text:delta ^x "y');
    const recall = logs.recall(OWN);
    for (const query of [
      "alpha AND",
      "OR NOT",
      "(gamma)*",
      "text:delta",
      '"y',
      "NEAR(",
      "^x",
      "{alpha}",
      "a'b alpha",
      "x;--",
      "alpha\0",
    ])
      expect((await search(recall, query)).matches.map(({ id }) => id)).toEqual(["c1"]);
  });

  test("says what is wrong with a query without words, and takes the first words of a huge one", async () => {
    await using logs = await sessionLogs();
    logs.open("s").result("c1", "word7 word8");
    const recall = logs.recall(OWN);
    for (const query of ["", "   ", "?!", '""']) expect(search(recall, query)).rejects.toThrow(UserFacingError);
    const huge = Array.from({ length: 50_000 }, (_, at) => `word${at}`).join(" ");
    const { matches, notes } = await search(recall, huge);
    expect(matches.map(({ id }) => id)).toEqual(["c1"]);
    expect(notes.join()).toContain("first 32 words");
    expect((await search(recall, "x".repeat(2_000_000))).matches).toEqual([]);
  });
});

test("an id of a message shows the results that the entries of its calls hold", async () => {
  await using logs = await sessionLogs();
  const log = logs.open("s");
  const entry = log.result("c1", "a heron at dawn");
  const note = { type: "text", text: "with a note" } as const;
  const finished = [{ at: 0, entryId: entry.id }];
  log.add({ kind: "results", message: { role: "user", id: "r", content: [note] }, finished });
  const recall = logs.recall(OWN);
  expect(await texts(recall, "r")).toEqual(["a heron at dawn", "with a note"]);
  expect(await texts(recall, "c1")).toEqual(["a heron at dawn"]);
  expect(await ids(recall, "heron")).toEqual(["c1"]);
});

test("a text that a fork repeats counts once, and one with all words is found among many with some", async () => {
  await using logs = await sessionLogs();
  const log = logs.open("s");
  for (let at = 0; at < 150; at += 1) {
    log.result(`a${at}`, "heron heron heron");
    log.result(`b${at}`, "stork stork stork");
  }
  log.result("both", `a heron ${"with many other words ".repeat(800)} and a stork`);
  cpSync(log.path, logs.pathOf("fork"));
  const recall = logs.recall();
  const found = await ids(recall, "heron stork", "all");
  expect(found[0]).toBe("both");
  expect(new Set(found).size).toBe(found.length);
});

test("a search for a person leaves out what was added to prompts", async () => {
  await using logs = await sessionLogs();
  const log = logs.open("s");
  log.user("please feed the marmot", "the folder is marmots, the branch is marmot");
  log.user("and now something else", "a hidden zebrafish");
  const recall = logs.recall(OWN);
  const kinds = async (query: string, hidesNotes?: true) => {
    const asked = {
      query,
      scope: "session",
      maxMatches: 5,
      excerptChars: 200,
      ...(hidesNotes && { hidesNotes }),
    } as const;
    return (await recall.search(asked, never)).matches.map(({ kind }) => kind);
  };
  expect((await kinds("marmot")).sort()).toEqual(["note", "user"]);
  expect(await kinds("marmot", true)).toEqual(["user"]);
  expect(await kinds("zebrafish", true)).toEqual([]);
});

describe("an id", () => {
  test("gives the exact text of a result, of one among several in parallel, of an entry and of a message", async () => {
    await using logs = await sessionLogs();
    const log = logs.open("s");
    const said = log.user("please keep 42 apples", "a note");
    log.result("c1", "first\n\ttext ");
    log.result("c10", "another");
    const child = log.childAnswer("found by the child");
    log.spilled("c2", "the whole text", "the … cut");
    const recall = logs.recall(OWN);
    expect(await texts(recall, "c1")).toEqual(["first\n\ttext "]);
    expect(await texts(recall, said.id)).toEqual(["please keep 42 apples", "a note"]);
    expect(await texts(recall, child.id)).toEqual(["found by the child"]);
    expect(await texts(recall, "c2")).toEqual([expect.stringContaining("the … cut"), "the whole text"]);
    expect(await texts(recall, "c")).toEqual([]);
  });
});

test("a result that names other files than those of its session's folder shows none of them", async () => {
  await using logs = await sessionLogs();
  const log = logs.open("s");
  logs.open("other").spilled("x", "secret of another session", "cut");
  log.spilled("c1", "own text", "cut");
  const secret = await logs.data.write("secret.txt", "a secret outside");
  symlinkSync(secret, join(logs.root, "p", "s", "link.txt"));
  const folder = join(logs.root, "p");
  const names = [`${folder}/s/link.txt`, `${folder}/s/../../../secret.txt`, `${folder}/other/result-x.txt`];
  log.result("c2", `a secret outside? see ${names.join(" ")}`);
  const recall = logs.recall(OWN);
  expect(await texts(recall, "c2")).toHaveLength(1);
  const { matches } = await search(recall, "secret outside");
  expect(matches.map(({ id, kind }) => [id, kind])).toEqual([["c2", "result"]]);
  expect((await search(recall, "own text")).matches[0]).toMatchObject({ kind: "spilled", id: "c1" });
});

describe("the index", () => {
  test("is readable by this user alone, and holds no text of the log in plain form", async () => {
    await using logs = await sessionLogs();
    logs.open("s").result("c1", "mysterious sentence");
    await ids(logs.recall(OWN), "mysterious");
    const folder = dirname(logs.indexPath);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder)) expect(statSync(`${folder}/${name}`).mode & 0o777).toBe(0o600);
    expect(await Bun.file(logs.indexPath).text()).not.toContain("mysterious sentence");
  });

  eachOrDeep(
    "that is %s is built anew, with one line at most",
    2,
    [
      ["no database", (path: string) => writeFileSync(path, "this is no database at all".repeat(100))],
      ["cut short", (path: string) => truncateSync(path, 5_000)],
      ["overwritten in the middle", (path: string) => overwrite(path, 9_000)],
      ["overwritten where its words are", (path: string) => overwrite(path, 20_000, 40_000)],
      ["empty", (path: string) => truncateSync(path, 0)],
      ["gone", (path: string) => rmSync(path)],
    ] as const,
    async (_, damage) => {
      await using logs = await sessionLogs();
      const log = logs.open("s");
      for (let at = 0; at < 200; at += 1) log.result(`c${at}`, `otter number${at} ${"text ".repeat(50)}`);
      const first = logs.recall(OWN);
      await ids(first, "otter");
      await first.close();
      damage(logs.indexPath);
      const second = logs.recall(OWN);
      const { matches, notes } = await search(second, "number150");
      expect(matches[0]?.id).toBe("c150");
      expect(notes.length).toBeLessThanOrEqual(1);
      expect((await search(second, "number151")).matches[0]?.id).toBe("c151");
      expect((await search(second, "number152")).notes).toEqual([]);
    },
  );

  test("of another version is deleted", async () => {
    await using logs = await sessionLogs();
    logs.open("s").result("c1", "otter");
    const old = logs.indexPath.replace(/-\d+\.sqlite$/, "-0.sqlite");
    await ids(logs.recall(OWN), "otter");
    writeFileSync(old, "old");
    await ids(logs.recall(OWN), "otter");
    expect(existsSync(old)).toBe(false);
  });

  test("that can't be made leaves a search in the logs themselves, and says why", async () => {
    await using logs = await sessionLogs();
    logs.open("s").result("c1", "a clever otter");
    writeFileSync(logs.data.path("search"), "a file where the folder should be");
    const { matches, notes } = await search(logs.recall(OWN), "otter");
    expect(matches.map(({ id }) => id)).toEqual(["c1"]);
    expect(notes.join()).toContain("one by one");
  });

  test("follows a log that was deleted, replaced or cut", async () => {
    await using logs = await sessionLogs();
    logs.open("gone").result("c1", "a badger");
    const log = logs.open("s");
    log.result("c2", "a badger");
    const recall = logs.recall();
    expect((await ids(recall, "badger", "all")).toSorted()).toEqual(["c1", "c2"]);
    rmSync(logs.pathOf("gone"));
    expect(await ids(recall, "badger", "all")).toEqual(["c2"]);
    expect([rowsOf(logs.indexPath, "files"), rowsOf(logs.indexPath, "texts")]).toEqual([1, 1]);
    rmSync(log.path);
    logs.open("s").result("c3", `a badger of another log, ${"which is longer ".repeat(50)}`);
    expect(await ids(recall, "badger", "all")).toEqual(["c3"]);
    expect(rowsOf(logs.indexPath, "texts")).toBe(1);
    rmSync(log.path);
    expect(await ids(recall, "badger", "all")).toEqual([]);
    expect(await ids(logs.recall(OWN), "badger")).toEqual([]);
  });

  test("forgets deleted sessions without a search", async () => {
    await using logs = await sessionLogs();
    for (const name of ["gone", "s"]) logs.open(name).result(`c-${name}`, "a badger");
    await ids(logs.recall(), "badger", "all");
    rmSync(logs.pathOf("gone"));
    await forgetDeletedSessions({ root: logs.root, indexPath: logs.indexPath });
    expect([rowsOf(logs.indexPath, "files"), rowsOf(logs.indexPath, "texts")]).toEqual([1, 1]);
    overwrite(logs.indexPath, 0);
    await forgetDeletedSessions({ root: logs.root, indexPath: logs.indexPath });
  });

  deepTest("is filled by two at once without loss", async () => {
    await using logs = await sessionLogs();
    const log = logs.open("s");
    for (let at = 0; at < 3_000; at += 1) log.result(`c${at}`, `stoat number${at} ${"filler ".repeat(60)}`);
    const recalls = [logs.recall(OWN), logs.recall(OWN)];
    const both = await Promise.all(recalls.map((recall) => ids(recall, "number2999")));
    expect(both).toEqual([["c2999"], ["c2999"]]);
    expect(await ids(logs.recall(OWN), "number1234")).toEqual(["c1234"]);
  });

  deepTest("takes one file with a result at a time, and continues with the next file after an interrupt", async () => {
    await using logs = await sessionLogs();
    const log = logs.open("s");
    for (let at = 0; at < 20; at += 1) log.spilled(`c${at}`, `weasel${at} ${"word ".repeat(20_000)}`, "cut");
    expect(statSync(log.path).size).toBeLessThan(20_000);
    const recall = logs.recall(OWN);
    const abort = new AbortController();
    const stopped = recall.search({ ...ONE_MATCH, query: "weasel19", report: () => abortSoon(abort) }, abort.signal);
    expect(await stopped.catch((error: unknown) => error)).toBe(abort.signal.reason);
    expect(rowsOf(logs.indexPath, "texts")).toBeLessThan(30);
    expect((await search(recall, "weasel19")).matches[0]).toMatchObject({ id: "c19", kind: "spilled" });
    expect(rowsOf(logs.indexPath, "texts")).toBe(40);
  });

  test("holds a large file in pieces, which count as one match", async () => {
    await using logs = await sessionLogs();
    const rows = Array.from({ length: 30_000 }, (_, at) => `ferret row${at} of the table`);
    logs.open("s").spilled("c1", rows.join("\n"), "cut");
    const recall = logs.recall(OWN);
    expect((await search(recall, "ferret")).matches.map(({ kind }) => kind)).toEqual(["spilled"]);
    expect(rowsOf(logs.indexPath, "texts")).toBeGreaterThan(3);
    for (const query of ["row0", "row15000", "row29999", "row7 row29998"])
      expect((await search(recall, query)).matches[0]).toMatchObject({ id: "c1", kind: "spilled" });
  });

  test("that is complete is asked with a turn for other work after each text, so that an interrupt counts", async () => {
    await using logs = await sessionLogs();
    const log = logs.open("s");
    for (let at = 0; at < 20; at += 1) log.spilled(`c${at}`, `weasel ${"word ".repeat(2_000)}${at}`, "cut");
    const recall = logs.recall(OWN);
    await search(recall, "weasel");
    const abort = new AbortController();
    const stopped = recall.search({ ...ONE_MATCH, query: "weasel" }, abort.signal);
    abortSoon(abort);
    expect(await stopped.catch((error: unknown) => error)).toBe(abort.signal.reason);
  });

  deepTest("that the disk has no room for reports the full disk, and is not taken for damaged", async () => {
    await using logs = await sessionLogs();
    const log = logs.open("s");
    for (let at = 0; at < 300; at += 1)
      log.result(`c${at}`, Array.from({ length: 60 }, () => crypto.randomUUID()).join(" "));
    const opened = await openIndex(logs.indexPath);
    const file = sessionFileAt(logs.root, "p", "s");
    if (!("database" in opened) || !file) throw new Error("The index or the log is missing.");
    using database = opened.database;
    database.exec("PRAGMA max_page_count = 60");
    const writer = { database, parse: parseLine, redact: logs.redact };
    const error: unknown = await indexSession(writer, file, never).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ errcode: 13 });
    expect(isDamaged(error)).toBe(false);
    database.exec("PRAGMA max_page_count = 100000");
    await indexSession(writer, file, never);
  });

  deepTest("stops being built when the search is interrupted, and continues with the next search", async () => {
    await using logs = await sessionLogs();
    const log = logs.open("s");
    for (let at = 0; at < 3_000; at += 1) log.result(`c${at}`, `stoat number${at} ${"filler ".repeat(60)}`);
    const abort = new AbortController();
    const recall = logs.recall(OWN);
    const options = { query: "number2999", scope: "session", maxMatches: 1, excerptChars: 100 } as const;
    const stopped = recall.search({ ...options, report: () => abort.abort(new Error("stop")) }, abort.signal);
    expect(stopped).rejects.toThrow("stop");
    await stopped.catch(() => undefined);
    expect(await ids(recall, "number2999")).toEqual(["c2999"]);
  });
});

seededTest(
  "an index with any damage never stops a search",
  { seed: 3, cases: { quick: 3, deep: 150 } },
  async (seed, cases) => {
    const { below } = seededRandom(seed);
    await using logs = await sessionLogs();
    const log = logs.open("s");
    for (let at = 0; at < 200; at += 1) log.result(`c${at}`, `otter number${at} ${"text ".repeat(50)}`);
    for (let at = 0; at < cases; at += 1) {
      const first = logs.recall(OWN);
      await ids(first, "otter");
      await first.close();
      const from = below(statSync(logs.indexPath).size);
      overwrite(logs.indexPath, from, Math.min(statSync(logs.indexPath).size, from + 1 + below(20_000)));
      const second = logs.recall(OWN);
      for (const query of ["number150", "number151", "otter"])
        expect((await search(second, query)).notes.length).toBeLessThan(2);
      await second.close();
      rmSync(logs.indexPath);
    }
  },
);

test.each([
  ["what port does staging use?", "c1"],
  ["Which port was configured for the staging database", "c1"],
  ["how did we fix the flaky login test", "c2"],
  ["error ECONNRESET payments", "c3"],
  ["deployment regions", "c4"],
])("the question %s finds the text that answers it", async (question, expected) => {
  await using logs = await sessionLogs();
  const log = logs.open("s");
  for (let at = 0; at < 60; at += 1)
    log.result(
      `n${at}`,
      `note ${at}: the test of the login page and the staging of the database were looked at, which was fine`,
    );
  log.result("c1", "config/staging.yml: database listens on port 6033");
  log.result("c2", "flaky login test fixed: it waited for the wrong selector");
  log.result("c3", "payments.log: Error: read ECONNRESET at TLSWrap");
  log.result("c4", "deployed to region eu-north-1 and region us-west-2");
  log.user("now this");
  expect((await ids(logs.recall(OWN), question))[0]).toBe(expected);
});

test("a session that is not saved is searched in memory", async () => {
  await using logs = await sessionLogs();
  const log = logs.open("elsewhere", "q");
  const entries = [log.result("c1", "a marten"), log.result("c2", "a mink")];
  const recall = logs.recall({ ...OWN, entries: () => entries });
  expect(await ids(recall, "marten")).toEqual(["c1"]);
  expect(await texts(recall, "c2")).toEqual(["a mink"]);
  expect(existsSync(logs.indexPath)).toBe(false);
});
