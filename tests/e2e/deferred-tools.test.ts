import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { reply, type Scenario, toolUse } from "@quoll/model-twin/scenario";
import { ROOT } from "../support/built.ts";
import { deepTest } from "../support/deep.ts";
import { quollPlace, resultsIn, type SentBody } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

/** The last built-in tools where something is deferred, in their order. */
const LAST = ["Recall", "Agent", "WebFetch"];
const MANY = 60;
const FEW = 3;

type Declared = { readonly name: string; readonly input_schema: unknown };

const shop = (count: number, more: object = {}) => ({
  command: process.execPath,
  args: [join(ROOT, "tests/services/mcp/servers/shop-server.ts"), String(count)],
  ...more,
});
const config = (servers: Readonly<Record<string, object>>) => ["--mcp-config", JSON.stringify({ mcpServers: servers })];
const ASK = ["-p", "go", "--output-format", "stream-json", "--verbose"];
const ALLOWED = ["--allowed-tools", "mcp__shop"];

const declared = (body: SentBody | undefined) => (body?.tools ?? []) as readonly Declared[];
const names = (body: SentBody | undefined) => declared(body).map(({ name }) => name);
const prefix = (body: SentBody | undefined) => JSON.stringify([withoutMarks(body?.tools), withoutMarks(body?.system)]);
/** Cache marks move with the conversation and are no content. */
const withoutMarks = (value: unknown) =>
  JSON.parse(JSON.stringify(value, (key, one: unknown) => (key === "cache_control" ? undefined : one))) as unknown;
const words = (body: SentBody | undefined) =>
  (body?.messages ?? []).flatMap(({ content }) => content.flatMap(({ text = "" }) => text)).join("\n");
const lines = (out: string) =>
  out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

const place = (scenario: Scenario) => quollPlace({ files: { "a.txt": "A\n" }, scenario });

describe("a server of many tools", () => {
  test("is announced by name, found by search and called by ToolCall, under the rules of the tool it names", async () => {
    const target = "mcp__shop__cancel_refund";
    await using here = await place([
      reply([toolUse("ToolSearch", { query: "cancel refund" })]),
      reply([
        toolUse("ToolCall", { name: target, input: { id: "R-17" } }),
        toolUse("ToolCall", { name: target, input: { number: 4 } }),
        toolUse("ToolCall", { name: "mcp__shop__cancel_refunds", input: {} }),
      ]),
      reply("Done."),
    ]);
    const { out } = await here.run([...ASK, ...config({ shop: shop(MANY) }), "--allowed-tools", target]);
    const [first, second, third] = here.sent();
    expect(names(first).filter((name) => name.startsWith("mcp__"))).toEqual([]);
    expect(names(first).slice(-3)).toEqual(LAST);
    expect(words(first)).toContain("cancel_refund");
    expect(words(first).indexOf("cancel_refund")).toBeLessThan(words(first).lastIndexOf("go"));
    const [found = ""] = resultsIn(second);
    expect(found).toContain(`## ${target}\n`);
    expect(found).toContain('"required":["id"]');
    expect(found.split("## ")[1]).toStartWith(target);
    const [, done, unfit, unknown] = resultsIn(third);
    expect(done).toBe("cancel_refund R-17");
    expect(unfit).toContain("Its fields are: id, note?");
    expect(unknown).toContain(`Did you mean ${target}?`);
    expect(new Set(here.sent().map(prefix)).size).toBe(1);
    expect(here.refused()).toEqual([]);
    expect(lines(out)[0]?.["tools"]).toEqual(expect.arrayContaining([target, ...LAST]));
  });

  deepTest("a refused ToolCall is reported under the name of the tool that it calls", async () => {
    const target = "mcp__shop__cancel_refund";
    await using here = await place([
      reply([toolUse("ToolCall", { name: target, input: { id: "R-1" } })]),
      reply("No."),
    ]);
    const { out } = await here.run([...ASK, ...config({ shop: shop(MANY) })]);
    expect(resultsIn(here.sent()[1])[0]).toContain(target);
    expect(lines(out).at(-1)?.["permission_denials"]).toMatchObject([{ tool_name: target, tool_input: { id: "R-1" } }]);
  });

  deepTest("keeps in the array what the configuration always loads", async () => {
    await using here = await place([reply("Hello.")]);
    await here.run([...ASK, ...config({ shop: shop(MANY, { alwaysLoad: ["list_order"] }) })]);
    expect(names(here.sent()[0]).slice(-4)).toEqual([...LAST, "mcp__shop__list_order"]);
  });

  deepTest("stays in the array where the settings never defer", async () => {
    await using here = await place([reply("Hello.")]);
    const settings = JSON.stringify({ tools: { defer: "never" } });
    await here.run([...ASK, "--settings", settings, ...config({ shop: shop(MANY) })]);
    expect(names(here.sent()[0]).filter((name) => name.startsWith("mcp__shop__"))).toHaveLength(MANY + 1);
    expect(names(here.sent()[0])).not.toContain("ToolSearch");
  });

  deepTest("is deferred by ENABLE_TOOL_SEARCH however small it is", async () => {
    await using here = await place([reply("Hello.")]);
    await here.run([...ASK, ...config({ shop: shop(FEW) })], { env: { ENABLE_TOOL_SEARCH: "true" } });
    expect(names(here.sent()[0]).slice(-3)).toEqual(LAST);
  });
});

describe("the prefix of a session", () => {
  const change = (add: string, remove: string) => toolUse("mcp__shop__change_list", { add, remove });

  deepTest(
    "with few tools: a change of the list joins the end, named and priced, and a withdrawn tool says so",
    async () => {
      await using here = await place([
        reply([change("weigh_parcel", "list_order")]),
        reply([toolUse("mcp__shop__weigh_parcel", { id: "P-1" }), toolUse("mcp__shop__list_order", { id: "O-1" })]),
        reply([toolUse("TodoWrite", { todos: [] })]),
        reply("Done."),
        reply("Welcome back."),
      ]);
      const { out } = await here.run([...ASK, ...ALLOWED, ...config({ shop: shop(FEW) })]);
      const [first, second, third, fourth] = here.sent();
      const before = names(first);
      expect(before.filter((name) => name.startsWith("mcp__"))).toHaveLength(FEW + 1);
      expect(names(first)).not.toContain("ToolSearch");
      expect(names(second)).toEqual([...before, "mcp__shop__weigh_parcel"]);
      expect(JSON.stringify(withoutMarks(second?.tools))).toStartWith(
        JSON.stringify(withoutMarks(first?.tools)).slice(0, -1),
      );
      const [, weighed, withdrawn] = resultsIn(third);
      expect(weighed).toBe("weigh_parcel P-1");
      expect(withdrawn).toContain("mcp__shop__list_order is not available now");
      expect(new Set([second, third, fourth].map(prefix)).size).toBe(1);
      const notes = lines(out).flatMap(({ subtype, content }) =>
        subtype === "informational" ? [String(content)] : [],
      );
      expect(notes.filter((note) => /New tools: mcp__shop__weigh_parcel\..* \d+ tokens/.test(note))).toHaveLength(1);

      const planning = ["--continue", "--permission-mode", "plan"];
      await here.run([...ASK, ...planning, ...ALLOWED, ...config({ shop: shop(FEW) })]);
      expect(prefix(here.sent()[4])).toBe(prefix(fourth));
      expect(here.refused()).toEqual([]);
    },
  );

  deepTest(
    "with many tools: nothing changes while lists, modes and processes do, and each new tool is announced once",
    async () => {
      const viaSearch = (add: string, remove: string) =>
        toolUse("ToolCall", { name: "mcp__shop__change_list", input: { add, remove } });
      await using here = await place([
        reply([viaSearch("weigh_parcel", "list_order")]),
        reply([toolUse("ToolCall", { name: "mcp__shop__weigh_parcel", input: { id: "P-1" } })]),
        reply([toolUse("ToolCall", { name: "mcp__shop__list_order", input: { id: "O-1" } })]),
        reply([toolUse("TodoWrite", { todos: [] })]),
        reply("Done."),
        reply("Welcome back."),
        reply("Once more."),
      ]);
      const run = (...more: readonly string[]) =>
        here.run([...ASK, ...more, ...ALLOWED, ...config({ shop: shop(MANY) })]);
      await run();
      await run("--continue", "--permission-mode", "plan");
      await here.run([...ASK, "--continue", ...ALLOWED]);
      const sent = here.sent();
      expect(sent).toHaveLength(7);
      expect(new Set(sent.map(prefix)).size).toBe(1);
      expect(resultsIn(sent[2])[1]).toBe("weigh_parcel P-1");
      expect(resultsIn(sent[3])[2]).toContain("is not available now");
      const told = (body: SentBody | undefined, name: string) => words(body).split(name).length - 1;
      expect(sent.map((body) => told(body, "weigh_parcel"))).toEqual([0, 1, 1, 1, 1, 1, 1]);
      expect(sent.map((body) => told(body, "cancel_refund"))).toEqual([1, 1, 1, 1, 1, 1, 1]);
      expect(here.refused()).toEqual([]);
    },
  );
});

deepTest("--tools leaves out the tools of servers that it does not name, unless a program drives Quoll", async () => {
  await using here = await place(() => reply("Done."));
  const servers = config({ shop: shop(FEW), other: shop(FEW) });
  for (const tools of ["Read,Grep", "Read,mcp__shop", "Read,mcp__*", "mcp__shop__list_order", "default"])
    await here.run(["-p", "go", ...servers, "--tools", tools]);
  const offered = here.sent().map((body) => names(body));
  const isOf = (server: string) => (name: string) => name.startsWith(`mcp__${server}__`);
  expect(offered[0]).toEqual(["Read", "Grep"]);
  const counts = offered.map((list) => [list.filter(isOf("shop")).length, list.filter(isOf("other")).length]);
  // The server has one more tool, which changes its list.
  expect(counts).toEqual([
    [0, 0],
    [FEW + 1, 0],
    [FEW + 1, FEW + 1],
    [1, 0],
    [FEW + 1, FEW + 1],
  ]);
  expect(offered[4]).toContain("Bash");
});
