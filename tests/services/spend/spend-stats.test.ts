import { describe, expect, test } from "bun:test";
import { appendFile, writeFile } from "node:fs/promises";
import { textWidth } from "@quoll/terminal-text/text-width";
import { lastDays, readSpend, type SpendRecord } from "../../../src/services/spend/read-spend.ts";
import { renderStats } from "../../../src/services/spend/render-stats.ts";
import { spendCells, spendStats } from "../../../src/services/spend/spend-stats.ts";
import { statsCsv } from "../../../src/services/spend/stats-csv.ts";
import { cpuClock } from "../../support/cpu-clock.ts";
import { longerInDeep } from "../../support/deep.ts";
import { tempProject } from "../../support/temp-project.ts";
import { makeGuard, NOON, never, TEN_CENTS, TODAY, used } from "./support.ts";

const record = (more: Partial<SpendRecord> = {}): SpendRecord => ({
  day: "2026-11-20",
  provider: "acme",
  model: "dear",
  project: "/home/ann/shop",
  source: "main",
  usage: { inputTokens: 1_000, outputTokens: 200, cacheReadTokens: 50_000, cacheWriteTokens: 3_000 },
  usd: 0.5,
  ...more,
});

const SOME: readonly SpendRecord[] = [
  record({ day: "2026-11-21", usd: 2 }),
  record(),
  record({ source: "subagent", model: "acme/very-long-model-name-2026-11-21-preview", usd: 1.25 }),
  record({ project: "/home/ann/料理/レシピ", usd: 0.001 }),
  record({ model: "local", provider: "ollama", usd: null, source: "compaction" }),
];
const view = (columns: number) => ({
  columns,
  period: "the last 30 days",
  shortPath: (path: string) => path.replace("/home/ann", "~"),
});

describe("sums", () => {
  test("are made of the whole and of each side, days in order and the rest by cost", () => {
    const { total, days, models, sources, projects } = spendStats(SOME);
    expect(total).toEqual({
      requests: 5,
      usage: { inputTokens: 5_000, outputTokens: 1_000, cacheReadTokens: 250_000, cacheWriteTokens: 15_000 },
      usd: 3.751,
      unpriced: 1,
      estimated: 0,
    });
    const short = (rows: typeof days) =>
      rows.map(({ name, requests, usd, unpriced }) => [name, requests, usd, unpriced]);
    expect([short(days), short(models), short(sources), short(projects)]).toEqual([
      [
        ["2026-11-20", 4, 1.751, 1],
        ["2026-11-21", 1, 2, 0],
      ],
      [
        ["dear", 3, 2.501, 0],
        ["acme/very-long-model-name-2026-11-21-preview", 1, 1.25, 0],
        ["local", 1, 0, 1],
      ],
      [
        ["main", 3, 2.501, 0],
        ["subagent", 1, 1.25, 0],
        ["compaction", 1, 0, 1],
      ],
      [
        ["/home/ann/shop", 4, 3.75, 1],
        ["/home/ann/料理/レシピ", 1, 0.001, 0],
      ],
    ]);
  });

  test("of requests of MCP servers are made for each server", () => {
    const servers = ["shop", "mail", "shop"].map((server) => record({ source: "mcp", server }));
    expect(spendStats(servers).sources.map(({ name, requests }) => [name, requests])).toEqual([
      ["mcp shop", 2],
      ["mcp mail", 1],
    ]);
    const rows = statsCsv(spendCells(servers)).trimEnd().split("\r\n");
    expect(rows.map((row) => row.split(",").at(-1))).toEqual(["mcp_server", "shop", "mail"]);
  });

  test("of nothing are nothing", () => {
    expect(renderStats(spendStats([]), view(80))).toBe("Nothing was spent in the last 30 days.");
    expect(statsCsv([]).split("\r\n")).toHaveLength(2);
  });
});

describe("the table", () => {
  test.each([40, 80, 120])("at %i columns", (columns) => {
    const text = renderStats(spendStats(SOME), view(columns));
    expect(text).toMatchSnapshot();
    for (const line of text.split("\n")) expect(textWidth(line)).toBeLessThanOrEqual(columns);
  });

  test.each([1, 5, 12, 20, 27, 33])("keeps its last figures back rather than to break at %i columns", (columns) => {
    for (const line of renderStats(spendStats(SOME), view(columns)).split("\n"))
      expect(textWidth(line)).toBeLessThanOrEqual(Math.max(columns, 12));
  });

  test("without any price bars are of tokens, and the cost is a question mark", () => {
    const text = renderStats(spendStats([record({ usd: null }), record({ usd: null, model: "b" })]), view(60));
    expect(text).toContain("dear  ████");
    expect(text).toContain(" ?  ");
  });

  test("names that would drive the terminal don't", () => {
    const text = renderStats(spendStats([record({ model: "a\u001b[2Jb\nc\u202e" })]), view(80));
    expect(text).not.toContain("\u001b");
    expect(text).toContain("ab c⟨U+202E⟩");
  });

  test("many projects are twelve rows, the last of them the sum of the rest", () => {
    const many = Array.from({ length: 30 }, (_, at) => record({ project: `/p/${at}`, usd: 30 - at }));
    const rows = renderStats(spendStats(many), view(80)).split("by project\n")[1]?.split("\n\n")[0]?.split("\n") ?? [];
    expect(rows.length).toBe(1 + 12);
    expect(rows.at(-1)).toStartWith("19 more");
    expect(rows.at(-1)).toContain("$190");
  });
});

describe("values for spreadsheets", () => {
  test("stand a line each for what differs, with quotes where they are needed", () => {
    const again = record();
    const odd = record({ project: '/a,"b"', model: "=1+1", provider: "", usd: 0.00000012 });
    expect(statsCsv(spendCells([record(), again, odd, record({ usd: null })]))).toBe(
      [
        "day,provider,model,project,source,requests,input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,usd,unpriced_requests,estimated_requests,mcp_server",
        "2026-11-20,acme,dear,/home/ann/shop,main,3,3000,600,150000,9000,1,1,0,",
        `2026-11-20,,'=1+1,"/a,""b""",main,1,1000,200,50000,3000,0.00000012,0,0,`,
        "",
      ].join("\r\n"),
    );
  });
});

describe("reading the ledger", () => {
  test("takes the days that are wanted, settled requests alone, and tells of damage once a file", async () => {
    await using place = await tempProject();
    let now = NOON - 3 * 24 * 3_600_000;
    const { guard, written } = makeGuard({ folder: place.dir, now: () => now });
    for (const output of [1, 2, 3, 4]) {
      await (await guard.reserve({ ...TEN_CENTS, provider: "acme" }, never)).settle(used(0, output));
      now += 24 * 3_600_000;
    }
    now = NOON;
    await guard.reserve(TEN_CENTS, never);
    await written();
    await appendFile(place.path(`${TODAY}.jsonl`), 'rubbish\nrubbish\n{"v":1,"state":"settled","usa');
    const damaged: string[] = [];
    const read = (days: number) => [...readSpend(place.dir, lastDays(days, NOON), (path) => damaged.push(path))];
    expect(read(2)).toEqual([
      record({ day: "2026-11-20", usage: used(0, 3), usd: 0.00003 }),
      record({ day: TODAY, usage: used(0, 4), usd: 0.00004 }),
    ]);
    expect(damaged).toEqual([place.path(`${TODAY}.jsonl`)]);
    expect(read(30).length).toBe(4);
    expect([...readSpend(place.path("missing"), lastDays(30, NOON), () => undefined)]).toEqual([]);
  });

  test("days go back one by one, over the ends of months and years", async () => {
    expect(lastDays(3, new Date(2027, 0, 1, 0, 0, 1).getTime())).toEqual(["2026-12-30", "2026-12-31", "2027-01-01"]);
    expect(lastDays(1, NOON)).toEqual([TODAY]);
    expect(new Set(lastDays(400, NOON)).size).toBe(400);
  });

  longerInDeep("many thousand requests are summed in less than a second", async (isWhole) => {
    const count = isWhole ? 50_000 : 10_000;
    await using place = await tempProject();
    const { guard } = makeGuard({ folder: place.dir });
    await (await guard.reserve(TEN_CENTS, never)).settle(used(1, 1));
    await guard.close();
    const path = place.path(`${TODAY}.jsonl`);
    const pair = await Bun.file(path).text();
    await writeFile(path, pair.repeat(count));
    const spent = cpuClock();
    expect(spendStats(readSpend(place.dir, [TODAY], () => undefined)).total.requests).toBe(count);
    expect(spent()).toBeLessThan(2_000);
  });
});
