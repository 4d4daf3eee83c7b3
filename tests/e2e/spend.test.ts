import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { failing, fault, reply, toolUse } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import { deepTest } from "../support/deep.ts";
import { linesOf } from "../support/lines-of.ts";
import { quollPlace } from "../support/quoll-process.ts";

const place = () => quollPlace({ scenario: () => reply("Hello.") });
type Place = Awaited<ReturnType<typeof place>>;
type Line = {
  readonly state: string;
  readonly session: string;
  readonly source: string;
  readonly usd: number | null;
  readonly reserved: { readonly usd: number | null };
};

function ledgerOf({ home }: Place): readonly Line[] {
  const folder = join(home.dir, "own/data/spend");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => linesOf(readFileSync(join(folder, name), "utf8")).map((line) => JSON.parse(line) as Line));
}

describe("a cap on spend without a person", () => {
  test("that the first request could pass sends nothing: exit code 3, in one line and in the result", async () => {
    await using here = await place();
    const plain = await here.run(["-p", "hi", "--max-budget-usd", "0.0001"]);
    expect({ ...plain, err: plain.err.replace(/(up to|a cap of at least) \$[\d.]+/g, "$1 $$N") }).toEqual({
      code: 3,
      out: "",
      err: "quoll: The session's spending cap is reached: $0.00 of $0.0001 spent. The next request may cost up to $N; with a short answer, it needs a cap of at least $N (--max-budget-usd).\n",
    });
    const json = await here.run(["-p", "hi", "--max-budget-usd", "0", "--output-format", "json"]);
    expect(json.code).toBe(3);
    expect(JSON.parse(json.out)).toMatchObject({
      subtype: "error_max_budget_usd",
      is_error: true,
      errors: [expect.stringContaining("(--max-budget-usd)")],
    });
    expect(here.sent()).toEqual([]);
    const named = /a cap of at least \$([\d.]+)/.exec(plain.err)?.[1] ?? "";
    expect((await here.run(["-p", "hi", "--max-budget-usd", named])).code).toBe(0);
  });

  deepTest("of a day counts what other sessions spent, whether they had a cap or not", async () => {
    await using here = await place();
    expect((await here.run(["-p", "hi"])).code).toBe(0);
    const [spent = 0] = ledgerOf(here).flatMap(({ usd }) => usd ?? []);
    expect(spent).toBeGreaterThan(0);
    const settings = JSON.stringify({ spend: { dayUsd: spent * 1.1 } });
    const { code, err } = await here.run(["-p", "hi", "--settings", settings]);
    expect(code).toBe(3);
    expect(linesOf(err).map((line) => line.replace(/\$[\d.]+/g, "$N"))).toEqual([
      "quoll: 90% of the day's spending cap is used: $N of $N (setting spend.dayUsd).",
      "quoll: The day's spending cap is reached: $N of $N spent. The next request may cost up to $N; with a short answer, it needs a cap of at least $N (setting spend.dayUsd).",
    ]);
    expect(here.sent().length).toBe(1);
  });

  deepTest("sends a separate line to a stream-json client at 80 %", async () => {
    await using here = await place();
    await here.run(["-p", "hi"]);
    const [spent = 0] = ledgerOf(here).flatMap(({ usd }) => usd ?? []);
    const settings = JSON.stringify({ spend: { dayUsd: spent * 1.1 } });
    const wanted = ["--settings", settings, "--output-format", "stream-json", "--verbose"];
    const { out, err } = await here.run(["-p", "hi", ...wanted]);
    const lines = linesOf(out).map((line) => JSON.parse(line) as { subtype?: string; content?: string });
    expect(lines.filter(({ subtype }) => subtype === "informational").map(({ content }) => content)).toEqual([
      expect.stringMatching(/^90% of the day's spending cap is used: .*spend\.dayUsd/),
    ]);
    expect(err).toContain("90% of the day's spending cap is used");
  });

  deepTest("of a session holds over --continue", async () => {
    await using here = await place();
    await here.run(["-p", "hi", "--max-budget-usd", "5"]);
    const [, settled] = ledgerOf(here);
    // A cap with room for the actual cost, but not for the shortest answer to another request.
    const cap = String((settled?.usd ?? 0) + 0.01);
    const { code, err } = await here.run(["-p", "hi", "--continue", "--max-budget-usd", cap]);
    expect([code, err]).toEqual([3, expect.stringContaining("The session's spending cap is reached: $0.0")]);
    expect(new Set(ledgerOf(here).map(({ session }) => session)).size).toBe(1);
    expect((await here.run(["-p", "hi", "--max-budget-usd", "5"])).code).toBe(0);
  });
});

deepTest("each request stands in the ledger, and quoll stats sums it", async () => {
  await using here = await place();
  for (const _ of [1, 2]) await here.run(["-p", "hi"]);
  expect(ledgerOf(here).map(({ state, source }) => `${source} ${state}`)).toEqual([
    "main open",
    "main settled",
    "main open",
    "main settled",
  ]);
  const stats = JSON.parse((await here.run(["stats", "--json"])).out);
  expect(stats.total).toMatchObject({ requests: 2, unpriced: 0 });
  expect(stats.projects.map(({ name }: { name: string }) => name)).toEqual([here.project.dir]);
});

const JSON_OUT = ["--output-format", "json"];

type Stats = { readonly total: { readonly usd: number; readonly requests: number; readonly estimated: number } };
const statsOf = async (here: Place): Promise<Stats["total"]> =>
  (JSON.parse((await here.run(["stats", "--json"])).out) as Stats).total;

deepTest("the cost in a result agrees with the ledger, also after --continue", async () => {
  await using here = await place();
  for (const [at, flags] of [[], ["--continue"], ["--continue"]].entries()) {
    const { out } = await here.run(["-p", "hi", ...flags, ...JSON_OUT]);
    const { total_cost_usd: usd, modelUsage, sourceUsage } = JSON.parse(out);
    const total = await statsOf(here);
    expect(total.requests).toBe(at + 1);
    expect(total.usd).toBeCloseTo(usd, 12);
    const [model] = Object.values(modelUsage) as { costUSD: number }[];
    expect([model?.costUSD, sourceUsage.main.costUSD]).toEqual([usd, usd]);
  }
});

deepTest("a request that was refused costs nothing, in the result as in the ledger", async () => {
  await using here = await quollPlace({ scenario: () => failing(fault.badRequest("No.")) });
  const { code, out } = await here.run(["-p", "hi", ...JSON_OUT]);
  expect([code, JSON.parse(out).total_cost_usd]).toEqual([1, 0]);
  expect(await statsOf(here)).toMatchObject({ requests: 0, usd: 0 });
});

deepTest(
  "a server that reports no usage is counted by an estimate, marked as one in every sum, and caps hold it",
  async () => {
    await using here = await quollPlace();
    await using twin = await startTwin({
      scenario: () => reply("word ".repeat(400)),
      openai: { requireKey: false, chat: { usage: "never" } },
    });
    const price = { input: 1_000, output: 1_000 };
    const settings = JSON.stringify({
      providers: { box: { baseUrl: `${twin.url}/v1` } },
      models: { "house-model": { price, contextWindow: 32_000, maxOutputTokens: 500 } },
    });
    const run = (...flags: readonly string[]) =>
      here.run(["-p", "hi", "--model", "box/house-model", "--settings", settings, ...JSON_OUT, ...flags]);
    const result = JSON.parse((await run()).out);
    expect(result.total_cost_usd).toBeGreaterThan(0.5);
    expect(result).toMatchObject({
      total_cost_is_estimate: true,
      usage: { is_estimate: true },
      modelUsage: { "house-model": { isEstimate: true } },
      sourceUsage: { main: { isEstimate: true } },
    });
    const total = await statsOf(here);
    expect([total.estimated, total.usd]).toEqual([1, expect.closeTo(result.total_cost_usd, 9)]);
    expect((await here.run(["stats"])).out).toContain("~$");
    const capped = await run("--continue", "--max-budget-usd", String(result.total_cost_usd + 0.001));
    expect(capped.code).toBe(3);
  },
);

describe("the judge of mode auto", () => {
  const judged = () => {
    let step = 0;
    const scenario = ({ body }: { body: { tools?: readonly unknown[] } }) => {
      if ((body.tools ?? []).length === 0) return reply("yes");
      step += 1;
      return step === 1 ? reply([toolUse("Bash", { command: "touch made", description: "x" })]) : reply("Done.");
    };
    return quollPlace({ scenario: scenario as never });
  };
  const run = (here: Place, spend: object) =>
    here.run(["-p", "make a file", "--permission-mode", "auto", "--settings", JSON.stringify({ spend }), ...JSON_OUT]);

  deepTest("reserves its request like any other, and counts as a source of its own", async () => {
    await using here = await judged();
    const json = await run(here, { sessionUsd: 5 });
    expect(json.code).toBe(0);
    expect(ledgerOf(here).map(({ state, source }) => `${source} ${state}`)).toEqual([
      "main open",
      "main settled",
      "judge open",
      "judge settled",
      "main open",
      "main settled",
    ]);
    expect(Object.keys(JSON.parse(json.out).sourceUsage)).toEqual(["main", "judge"]);
    expect(JSON.parse(json.out).sourceUsage.judge).toEqual({
      tokens: expect.any(Number),
      costUSD: ledgerOf(here).find(({ source, state }) => `${source} ${state}` === "judge settled")?.usd,
    });
    const stats = JSON.parse((await here.run(["stats", "--json"])).out);
    expect(stats.sources).toMatchObject([
      { name: "main", requests: 2 },
      { name: "judge", requests: 1 },
    ]);
  });

  deepTest("sends nothing at its cap: the call is refused, and the model learns the reason", async () => {
    await using here = await judged();
    const { code } = await run(here, { bySource: { judge: { sessionUsd: 0 } } });
    expect(code).toBe(4);
    expect(existsSync(join(here.project.dir, "made"))).toBe(false);
    expect(here.sent().length).toBe(2);
    expect(JSON.stringify(here.sent()[1])).toContain("spending cap for the judge is reached");
    expect(ledgerOf(here).map(({ source }) => source)).not.toContain("judge");
  });
});

deepTest("the unrecorded cost of a session's last request is reported, also after the client has gone", async () => {
  await using here = await quollPlace({ scenario: [reply("Done.")] });
  // No folder of the ledger can be made, which is found out a moment after the request is sent.
  await here.home.write("own/data/spend", "");
  const format = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
  const said = { type: "user", message: { role: "user", content: "hi" } };
  const args = ["-p", ...format, "--permission-prompt-tool", "stdio"];
  const { code, out, err } = await here.run(args, { stdin: `${JSON.stringify(said)}\n` });
  // As a line of the stream, or on stderr if the ledger is written when the session ends.
  expect([code, out + err]).toEqual([0, expect.stringContaining("The ledger could not be written")]);
});
