import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SpendLimitError, UserFacingError } from "../../../src/contracts/errors.ts";
import { tryLock } from "../../../src/platform/lock-file.ts";
import { assertPriced } from "../../../src/services/spend/assert-priced.ts";
import { capsOf } from "../../../src/services/spend/caps.ts";
import { earlierCharges, readSpend } from "../../../src/services/spend/read-spend.ts";
import { eventually } from "../../support/eventually.ts";
import { tempProject } from "../../support/temp-project.ts";
import { cost, makeGuard, NOON, never, processNamed, TEN_CENTS, TODAY, used } from "./support.ts";

const linesIn = async (folder: string, day = TODAY) =>
  (await readFile(join(folder, `${day}.jsonl`), "utf8"))
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

async function refusal(work: Promise<unknown>): Promise<Error> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("It was not refused.");
}

describe("the ledger", () => {
  test("holds each request twice, before it is sent and with what it cost, for this user alone", async () => {
    await using place = await tempProject();
    const folder = place.path("data/spend");
    const { guard } = makeGuard({ folder, spend: { dayUsd: 5 } });
    const reservation = await guard.reserve({ ...TEN_CENTS, provider: "acme" }, never);
    const open = await linesIn(folder);
    await reservation.settle({ ...used(1_000, 100), cacheReadTokens: 5_000 });
    const base = {
      v: 1,
      id: "s1-1",
      time: new Date(NOON).toISOString(),
      session: "s1",
      project: "/home/ann/shop",
      source: "main",
      agentId: "main",
      parentAgentId: null,
      model: "dear",
      provider: "acme",
      reserved: { inputTokens: 20_000, outputTokens: 7_500, usd: 0.1 },
    };
    expect(open).toEqual([{ ...base, state: "open", usage: null, usd: null, holder: expect.anything() }]);
    expect((await linesIn(folder))[1]).toEqual({
      ...base,
      state: "settled",
      usage: { ...used(1_000, 100), cacheReadTokens: 5_000 },
      usd: 0.0025,
    });
    expect((await stat(join(folder, `${TODAY}.jsonl`))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  test("is written without any cap, and for a model of unknown price, too", async () => {
    await using place = await tempProject();
    const { guard, notices } = makeGuard({ folder: place.dir });
    await (await guard.reserve({ ...TEN_CENTS, model: "new" }, never)).settle(used(3, 4));
    await guard.close();
    expect((await linesIn(place.dir)).map(({ state, usd }) => [state, usd])).toEqual([
      ["open", null],
      ["settled", null],
    ]);
    expect(notices).toEqual([]);
  });

  test("without a day cap a request and its cost are written a moment later, and a failure is reported", async () => {
    await using place = await tempProject();
    const { guard, notices, sleeps, written } = makeGuard({ folder: place.path("spend"), spend: { sessionUsd: 5 } });
    const states = async () => (await linesIn(place.path("spend"))).map(({ id, state }) => `${id} ${state}`);
    const first = await guard.reserve(TEN_CENTS, never);
    expect(existsSync(place.path("spend"))).toBe(false);
    await written();
    expect(await states()).toEqual(["s1-1 open"]);
    await first.settle(used(1, 1));
    const second = await guard.reserve(TEN_CENTS, never);
    await second.settle(used(2, 2));
    expect([(await states()).length, sleeps.map(({ ms }) => ms)]).toEqual([1, [50, 50]]);
    const lock = tryLock(place.path("spend/ledger.lock"));
    if (!("lock" in lock)) throw new Error("The ledger is locked.");
    // The first try to lock it comes at once: it has failed by then.
    await written();
    expect([(await states()).length, notices]).toEqual([1, []]);
    lock.lock.release();
    await eventually("both requests are written", async () => (await states()).length === 4);
    expect(await states()).toEqual(["s1-1 open", "s1-1 settled", "s1-2 open", "s1-2 settled"]);
    const third = await guard.reserve(TEN_CENTS, never);
    await rename(place.path("spend"), place.path("away"));
    await writeFile(place.path("spend"), "");
    await third.settle(used(3, 3));
    await written();
    await eventually("the failure is reported", () => notices.length > 0);
    expect(notices).toEqual([expect.stringContaining("The ledger could not be written")]);
    await rm(place.path("spend"));
    await rename(place.path("away"), place.path("spend"));
    await guard.close();
    expect((await states()).slice(-2)).toEqual(["s1-3 open", "s1-3 settled"]);
  });

  test("records requests that arrive after the end too", async () => {
    await using place = await tempProject();
    const { guard, sleeps } = makeGuard({ folder: place.dir });
    await (await guard.reserve(TEN_CENTS, never)).settle(used(1, 1));
    await guard.close();
    await (await guard.reserve(TEN_CENTS, never)).settle(used(2, 2));
    sleeps.at(-1)?.wake();
    await new Promise(setImmediate);
    expect((await linesIn(place.dir)).map(({ id, state }) => `${id} ${state}`).slice(2)).toEqual([
      "s1-2 open",
      "s1-2 settled",
    ]);
  });

  test("a request that no server took counts nothing, and what is estimated has its mark", async () => {
    await using place = await tempProject();
    const { guard } = makeGuard({ folder: place.dir, spend: { dayUsd: 5 } });
    await (await guard.reserve(TEN_CENTS, never)).settle(undefined);
    await (await guard.reserve(TEN_CENTS, never)).settle({ ...used(20_000, 0), estimated: true });
    const [, refused, , estimated] = await linesIn(place.dir);
    expect(refused).toMatchObject({ usage: used(0, 0), usd: 0, refused: true });
    expect(estimated).toMatchObject({ usage: used(20_000, 0), usd: 0.02, estimated: true });
    expect(guard.status()[0]).toMatchObject({ spent: 0.02, held: 0 });
    const records = [...readSpend(place.dir, [TODAY], () => undefined)];
    expect(records.map(({ usage, usd }) => [usage.inputTokens, usage.estimated, usd])).toEqual([[20_000, true, 0.02]]);
  });

  test("names the MCP server that asked, also to a session that is resumed", async () => {
    await using place = await tempProject();
    const { guard } = makeGuard({ folder: place.dir });
    const charges: unknown[] = [];
    guard.watch(({ source, server, usage }) => charges.push([source, server, usage.inputTokens]));
    for (const server of ["shop", "docs"])
      await (await guard.reserve({ ...TEN_CENTS, source: "mcp", server }, never)).settle(used(1, 1));
    await guard.close();
    expect(charges).toEqual([
      ["mcp", "shop", 1],
      ["mcp", "docs", 1],
    ]);
    const earlier = earlierCharges(place.dir, "s1", undefined).map(({ source, server }) => [source, server]);
    expect(earlier.sort()).toEqual([
      ["mcp", "docs"],
      ["mcp", "shop"],
    ]);
  });

  test("settling twice counts once, and close waits a moment and then counts the input of what is left", async () => {
    await using place = await tempProject();
    const { guard, sleeps } = makeGuard({ folder: place.dir });
    const first = await guard.reserve(TEN_CENTS, never);
    const second = await guard.reserve(TEN_CENTS, never);
    await Promise.all([first.settle(used(1, 1)), first.settle(used(1, 1))]);
    const closed = guard.close();
    sleeps.find(({ ms }) => ms === 500)?.wake();
    await closed;
    await second.settle(used(9, 9));
    expect((await linesIn(place.dir))[3]).toMatchObject({ usage: used(20_000, 0), estimated: true });
    expect((await linesIn(place.dir)).map(({ id, state }) => `${id} ${state}`)).toEqual([
      "s1-1 open",
      "s1-2 open",
      "s1-1 settled",
      "s1-2 settled",
    ]);
  });
});

describe("a cap", () => {
  test("on a session refuses a request that may pass it, in one line with the cap, the sum and the setting", async () => {
    await using place = await tempProject();
    const { guard } = makeGuard({ folder: place.dir, spend: { sessionUsd: 0.25 } });
    for (const _ of [1, 2]) await (await guard.reserve(TEN_CENTS, never)).settle(used(20_000, 6_000));
    const error = await refusal(guard.reserve(TEN_CENTS, never));
    expect(error).toBeInstanceOf(SpendLimitError);
    expect(error.message).toBe(
      "The session's spending cap is reached: $0.16 of $0.25 spent. The next request may cost up to $0.10; with a short answer, it needs a cap of at least $0.26 (setting spend.sessionUsd).",
    );
    await guard.reserve({ ...TEN_CENTS, maxOutputTokens: 6_000 }, never);
  });

  test("names the smallest amount with which the shortest useful answer is sent, never less than that", async () => {
    await using place = await tempProject();
    const plan = { ...TEN_CENTS, inputTokens: 1_234, minOutputTokens: 1_000 };
    const smallest = async (sessionUsd: number) => {
      const { guard } = makeGuard({ folder: place.dir, spend: { sessionUsd } });
      const { message } = await refusal(guard.reserve(plan, never));
      return Number(/a cap of at least \$([\d.]+) \(/.exec(message)?.[1]);
    };
    const named = await smallest(0.001);
    expect(named).toBeCloseTo(0.0116, 4);
    const { guard } = makeGuard({ folder: place.dir, spend: { sessionUsd: named } });
    expect((await guard.reserve(plan, never)).maxOutputTokens).toBeGreaterThanOrEqual(1_000);
  });

  test("counts the larger of the server's own cost and ours, also in a later process, and the server's is shown", async () => {
    for (const [costUsd, left] of [
      [0.2, 0.05],
      [0.001, 0.17],
    ] as const) {
      await using place = await tempProject();
      const charges: (number | undefined)[] = [];
      const { guard } = makeGuard({ folder: place.dir, spend: { sessionUsd: 0.25, dayUsd: 0.25 } });
      guard.watch(({ usd }) => void charges.push(usd));
      await (await guard.reserve(TEN_CENTS, never)).settle({ ...used(20_000, 6_000), costUsd });
      expect(charges).toEqual([costUsd]);
      const later = makeGuard({ folder: place.dir, spend: { sessionUsd: 0.25, dayUsd: 0.25 }, isResumed: true });
      for (const each of [guard, later.guard]) {
        await each.reserve({ ...TEN_CENTS, model: "free" }, never).then((held) => held.settle(used(0, 0)));
        for (const { limit, spent } of each.status()) expect(limit - spent).toBeCloseTo(left, 6);
      }
      expect((await linesIn(place.dir)).find(({ state }) => state === "settled")).toMatchObject({ usd: costUsd });
    }
  });

  test("counts a request of unknown price with the cost that the server reports", async () => {
    await using place = await tempProject();
    const { guard } = makeGuard({ folder: place.dir, spend: { sessionTokens: 1_000_000 } });
    const charges: (number | undefined)[] = [];
    guard.watch(({ usd }) => void charges.push(usd));
    await (await guard.reserve({ ...TEN_CENTS, model: "nobodys" }, never)).settle({ ...used(10, 10), costUsd: 0.03 });
    expect(charges).toEqual([0.03]);
  });

  test("counts open requests with their worst case until they are settled", async () => {
    await using place = await tempProject();
    const { guard } = makeGuard({ folder: place.dir, spend: { sessionUsd: 0.15 }, flagUsd: 0.15 });
    const first = await guard.reserve(TEN_CENTS, never);
    expect((await refusal(guard.reserve(TEN_CENTS, never))).message).toBe(
      "The session's spending cap is reached: $0.00 of $0.15 spent and $0.10 reserved for open requests. The next request may cost up to $0.10; with a short answer, it needs a cap of at least $0.20 (--max-budget-usd).",
    );
    await first.settle(used(10, 10));
    await guard.reserve(TEN_CENTS, never);
  });

  test("on a turn starts again with each turn; open requests of an older turn don't count", async () => {
    await using place = await tempProject();
    const { guard } = makeGuard({ folder: place.dir, spend: { turnTokens: 30_000, turnUsd: 1 } });
    guard.startTurn();
    const background = await guard.reserve(TEN_CENTS, never);
    expect((await refusal(guard.reserve(TEN_CENTS, never))).message).toBe(
      "The turn's spending cap is reached: 0 tokens of 30,000 tokens spent and 27,500 tokens reserved for open requests. The next request may cost up to 27,500 tokens; with a short answer, it needs a cap of at least 55,000 tokens (setting spend.turnTokens).",
    );
    guard.startTurn();
    const next = await guard.reserve(TEN_CENTS, never);
    await background.settle(used(20_000, 7_000));
    await next.settle(used(100, 100));
    await guard.reserve(TEN_CENTS, never);
  });

  test("on one source leaves the others alone", async () => {
    await using place = await tempProject();
    const spend = { bySource: { subagent: { sessionUsd: 0.15 }, hook: { dayUsd: 0 } } };
    const { guard } = makeGuard({ folder: place.dir, spend });
    await guard.reserve({ ...TEN_CENTS, source: "subagent" }, never);
    expect((await refusal(guard.reserve({ ...TEN_CENTS, source: "subagent" }, never))).message).toStartWith(
      "The session's spending cap for subagents is reached: $0.00 of $0.15 spent and $0.10 reserved",
    );
    expect((await refusal(guard.reserve({ ...TEN_CENTS, source: "hook" }, never))).message).toEndWith(
      "(setting spend.bySource.hook.dayUsd).",
    );
    for (const source of ["main", "compaction", "judge"] as const) await guard.reserve({ ...TEN_CENTS, source }, never);
  });

  test("on tokens counts what was sent, read from the cache, written to it and answered", async () => {
    await using place = await tempProject();
    const { guard } = makeGuard({ folder: place.dir, spend: { sessionTokens: 60_000 } });
    const reservation = await guard.reserve({ ...TEN_CENTS, model: "new" }, never);
    await reservation.settle({ inputTokens: 1, outputTokens: 2, cacheReadTokens: 30_000, cacheWriteTokens: 4_000 });
    expect(guard.status().map(({ spent, held, limit }) => ({ spent, held, limit }))).toEqual([
      { spent: 34_003, held: 0, limit: 60_000 },
    ]);
    await refusal(guard.reserve({ ...TEN_CENTS, model: "new" }, never));
  });

  test("on money with a model of unknown price is exit code 2, naming the settings", async () => {
    await using place = await tempProject();
    const spend = { dayUsd: 5, bySource: { judge: { sessionUsd: 1 } } };
    const { guard } = makeGuard({ folder: place.dir, spend });
    const error = await refusal(guard.reserve({ ...TEN_CENTS, model: "acme-1" }, never));
    expect(error).toBeInstanceOf(UserFacingError);
    expect({ message: error.message, exitCode: (error as UserFacingError).exitCode }).toEqual({
      message:
        'The price of the model "acme-1" is unknown, so the day\'s spending cap of $5.00 (setting spend.dayUsd) cannot be enforced: set its price in models.acme-1.price, or cap tokens instead (spend.dayTokens).',
      exitCode: 2,
    });
    const other = makeGuard({ folder: place.dir, spend: { bySource: { judge: { sessionUsd: 1 } } } });
    await other.guard.reserve({ ...TEN_CENTS, model: "acme-1" }, never);
  });

  test("on money rejects a model of unknown price before the first request if the cap applies to the conversation", async () => {
    const check = (model: string, spend: Parameters<typeof capsOf>[0]) => assertPriced(model, capsOf(spend), { cost });
    const error = await refusal(check("acme-1", { turnUsd: 1 }));
    expect([(error as UserFacingError).exitCode, error.message]).toEqual([
      2,
      expect.stringContaining("set its price in models.acme-1.price, or cap tokens instead (spend.turnTokens)."),
    ]);
    await check("dear", { turnUsd: 1 });
    await check("acme-1", { turnTokens: 1, bySource: { judge: { dayUsd: 1 } } });
    await check("acme-1", undefined);
  });

  test("of zero lets free requests through", async () => {
    await using place = await tempProject();
    const { guard } = makeGuard({ folder: place.dir, spend: { sessionUsd: 0, dayUsd: 0 } });
    await (await guard.reserve({ ...TEN_CENTS, model: "free" }, never)).settle(used(5, 5));
    await refusal(guard.reserve(TEN_CENTS, never));
  });

  test("a shorter answer is taken where the request says that it would do", async () => {
    await using place = await tempProject();
    const { guard, written } = makeGuard({ folder: place.dir, spend: { sessionUsd: 0.15 } });
    await guard.reserve(TEN_CENTS, never);
    const plan = { ...TEN_CENTS, minOutputTokens: 2_000 };
    expect((await guard.reserve(plan, never)).maxOutputTokens).toBe(2_500);
    await refusal(guard.reserve(plan, never));
    expect(guard.status()[0]?.held).toBeCloseTo(0.15, 9);
    await written();
    expect((await linesIn(place.dir))[1]?.["reserved"]).toEqual({
      inputTokens: 20_000,
      outputTokens: 2_500,
      usd: expect.closeTo(0.05, 9),
    });
  });

  test("an aborted request takes nothing", async () => {
    await using place = await tempProject();
    const { guard } = makeGuard({ folder: place.dir, spend: { sessionUsd: 1 } });
    const reason = new Error("stop");
    expect(await refusal(guard.reserve(TEN_CENTS, AbortSignal.abort(reason)))).toBe(reason);
    expect(guard.status()[0]).toMatchObject({ spent: 0, held: 0 });
  });
});

describe("warnings and questions", () => {
  test("80 % of a cap is reported once per turn", async () => {
    await using place = await tempProject();
    const { guard, notices } = makeGuard({ folder: place.dir, spend: { sessionUsd: 1, turnTokens: 60_000 } });
    guard.startTurn();
    const spend = async (input: number, output: number) =>
      (await guard.reserve({ ...TEN_CENTS, maxOutputTokens: 100 }, never)).settle(used(input, output));
    await spend(27_000, 300);
    expect(notices).toEqual([]);
    await spend(27_000, 300);
    expect(notices).toEqual([
      "91% of the turn's spending cap is used: 54,600 tokens of 60,000 tokens (setting spend.turnTokens).",
    ]);
    guard.startTurn();
    await spend(27_000, 70_000);
    expect(notices.slice(1)).toEqual([
      "161% of the turn's spending cap is used: 97,000 tokens of 60,000 tokens (setting spend.turnTokens).",
    ]);
    guard.startTurn();
    await spend(1_000, 1_600);
    expect(notices.slice(2)).toEqual([
      "80% of the session's spending cap is used: $0.80 of $1.00 (setting spend.sessionUsd).",
    ]);
  });

  test("the spending of other sessions counts for the warning about the day", async () => {
    await using place = await tempProject();
    const spend = { dayUsd: 1 };
    const other = makeGuard({ folder: place.dir, session: "other" });
    await (await other.guard.reserve(TEN_CENTS, never)).settle(used(0, 85_000));
    await other.guard.close();
    const { guard, notices } = makeGuard({ folder: place.dir, spend });
    await guard.reserve(TEN_CENTS, never);
    expect(notices).toEqual(["85% of the day's spending cap is used: $0.85 of $1.00 (setting spend.dayUsd)."]);
  });

  test("a day's warning is given once a day, whatever answers come after midnight", async () => {
    await using place = await tempProject();
    let now = new Date(2026, 10, 21, 23, 59).getTime();
    const { guard, notices } = makeGuard({ folder: place.dir, spend: { dayUsd: 1 }, now: () => now });
    const tiny = { ...TEN_CENTS, maxOutputTokens: 10 };
    const late = await guard.reserve(tiny, never);
    await (await guard.reserve(tiny, never)).settle(used(0, 90_000));
    expect(notices.length).toBe(1);
    now += 120_000;
    const next = await guard.reserve(tiny, never);
    await late.settle(used(0, 1_000));
    expect(notices.length).toBe(1);
    await next.settle(used(0, 85_000));
    expect(notices.slice(1)).toEqual(["85% of the day's spending cap is used: $0.85 of $1.00 (setting spend.dayUsd)."]);
  });

  test("somebody who can be asked is asked, and a yes is for one request", async () => {
    await using place = await tempProject();
    const replies = [{ decision: "once" }, { decision: "reject" }] as const;
    const { guard, asked } = makeGuard({ folder: place.dir, spend: { sessionUsd: 0.05 }, replies });
    await guard.reserve(TEN_CENTS, never);
    expect(asked).toEqual([
      "The session's spending cap is reached: $0.00 of $0.05 spent. The next request may cost up to $0.10; with a short answer, it needs a cap of at least $0.10 (setting spend.sessionUsd).\n\"Raise the cap\" raises, for this session, the session's spending cap to $0.10.",
    ]);
    expect(await refusal(guard.reserve(TEN_CENTS, never))).toBeInstanceOf(SpendLimitError);
    expect(asked.length).toBe(2);
  });

  test('"session" raises the cap by its own amount', async () => {
    await using place = await tempProject();
    const replies = [{ decision: "session" }] as const;
    const { guard, asked } = makeGuard({ folder: place.dir, spend: { sessionUsd: 0.15 }, replies });
    for (const _ of [1, 2, 3]) await guard.reserve(TEN_CENTS, never);
    expect(guard.status()[0]?.limit).toBe(0.3);
    expect(asked.length).toBe(1);
    await refusal(guard.reserve(TEN_CENTS, never));
  });

  test("requests that come together get one question: a yes lets each look again, a no is for all", async () => {
    await using place = await tempProject();
    const spend = { sessionUsd: 0.15 };
    const yes = makeGuard({ folder: place.path("a"), spend, replies: [{ decision: "session" }] });
    await Promise.all([1, 2, 3].map(() => yes.guard.reserve(TEN_CENTS, never)));
    expect(yes.asked.length).toBe(1);
    const no = makeGuard({ folder: place.path("b"), spend, replies: [{ decision: "reject" }] });
    const all = await Promise.allSettled([1, 2, 3, 4].map(() => no.guard.reserve(TEN_CENTS, never)));
    expect([all.map(({ status }) => status), no.asked.length]).toEqual([
      ["fulfilled", "rejected", "rejected", "rejected"],
      1,
    ]);
  });
});

describe("the day, shared", () => {
  const living = (...pids: number[]) => ({
    isRunning: ({ pid }: { pid: number }) => (pids.includes(pid) ? "yes" : "no") as "yes" | "no",
  });

  test("requests under way of another living process count, those of one that is gone don't", async () => {
    await using place = await tempProject();
    const spend = { dayUsd: 0.15 };
    const other = makeGuard({ folder: place.dir, session: "other", identity: processNamed(71) });
    await other.guard.reserve(TEN_CENTS, never);
    await other.written();
    const mine = { folder: place.dir, spend, identity: processNamed(72) };
    await refusal(makeGuard({ ...mine, ...living(71, 72) }).guard.reserve(TEN_CENTS, never));
    await makeGuard({ ...mine, ...living(72) }).guard.reserve(TEN_CENTS, never);
  });

  test("a process that can't be seen from here counts as living", async () => {
    await using place = await tempProject();
    const other = makeGuard({ folder: place.dir, session: "other", identity: { ...processNamed(71), host: "far" } });
    await other.guard.reserve(TEN_CENTS, never);
    await other.written();
    await refusal(makeGuard({ folder: place.dir, spend: { dayUsd: 0.15 } }).guard.reserve(TEN_CENTS, never));
  });

  test("a request belongs to the day on which it was sent, also when midnight comes before its answer", async () => {
    await using place = await tempProject();
    let now = new Date(2026, 10, 21, 23, 59, 59).getTime();
    const { guard } = makeGuard({ folder: place.dir, spend: { dayUsd: 0.15 }, now: () => now });
    const before = await guard.reserve(TEN_CENTS, never);
    now += 2_000;
    const after = await guard.reserve(TEN_CENTS, never);
    await before.settle(used(20_000, 7_500));
    await refusal(guard.reserve(TEN_CENTS, never));
    await after.settle(used(1, 1));
    const days = [await linesIn(place.dir, TODAY), await linesIn(place.dir, "2026-11-22")];
    expect(days.map((lines) => lines.map(({ id, state }) => `${id} ${state}`))).toEqual([
      ["s1-1 open", "s1-1 settled"],
      ["s1-2 open", "s1-2 settled"],
    ]);
  });

  test("a clock that goes back finds the older day's spend where it was", async () => {
    await using place = await tempProject();
    let now = NOON;
    const { guard } = makeGuard({ folder: place.dir, spend: { dayUsd: 0.15 }, now: () => now });
    await (await guard.reserve(TEN_CENTS, never)).settle(used(20_000, 7_500));
    now += 24 * 3_600_000;
    await guard.reserve(TEN_CENTS, never);
    now = NOON - 3_600_000;
    expect((await refusal(guard.reserve(TEN_CENTS, never))).message).toContain("$0.095 of $0.15 spent");
  });

  test("a resumed session continues from its earlier spend, on any day", async () => {
    await using place = await tempProject();
    const spend = { sessionUsd: 0.15 };
    const first = makeGuard({ folder: place.dir, now: () => NOON - 5 * 24 * 3_600_000 });
    await (await first.guard.reserve(TEN_CENTS, never)).settle(used(0, 10_000));
    await first.guard.close();
    const other = makeGuard({ folder: place.dir, session: "other" });
    await (await other.guard.reserve(TEN_CENTS, never)).settle(used(0, 10_000));
    await other.guard.close();
    await refusal(makeGuard({ folder: place.dir, spend, isResumed: true }).guard.reserve(TEN_CENTS, never));
    await makeGuard({ folder: place.dir, spend, session: "third", isResumed: true }).guard.reserve(TEN_CENTS, never);
  });

  test("requests of others whose price they didn't look up are priced here", async () => {
    await using place = await tempProject();
    const other = makeGuard({ folder: place.dir, session: "other" });
    await other.guard.reserve(TEN_CENTS, never);
    await other.guard.reserve({ ...TEN_CENTS, model: "new" }, never);
    await other.written();
    expect((await linesIn(place.dir)).map(({ reserved }) => (reserved as { usd: null }).usd)).toEqual([null, null]);
    await refusal(makeGuard({ folder: place.dir, spend: { dayUsd: 0.15 } }).guard.reserve(TEN_CENTS, never));
    await makeGuard({ folder: place.dir, spend: { dayUsd: 0.25 } }).guard.reserve(TEN_CENTS, never);
  });

  test("settled requests of unknown price are reported once: no cap on money can count them", async () => {
    await using place = await tempProject();
    const other = makeGuard({ folder: place.dir, session: "other" });
    await (await other.guard.reserve({ ...TEN_CENTS, model: "new" }, never)).settle(used(5, 5));
    await other.guard.close();
    const { guard, notices } = makeGuard({ folder: place.dir, spend: { dayUsd: 5 } });
    for (const _ of [1, 2]) await guard.reserve(TEN_CENTS, never);
    expect(notices).toEqual([
      "Some of today's requests used models of unknown price, which the day's caps on money do not count.",
    ]);
  });
});

describe("faults", () => {
  test("where the ledger cannot be written a cap on a day sends nothing, and says why", async () => {
    await using place = await tempProject({ data: "a file" });
    const folder = place.path("data/spend");
    const { guard } = makeGuard({ folder, spend: { dayUsd: 5 } });
    const error = await refusal(guard.reserve(TEN_CENTS, never));
    expect(error.message).toBe(
      `The day's spending cap cannot be enforced, so Quoll sends no requests: ${folder} cannot be written (a file is in the place of a folder). Fix this, or remove the day caps from the settings (spend).`,
    );
    expect(guard.status()[0]).toMatchObject({ held: 0, spent: 0 });
  });

  test("other caps hold without a ledger; the missing ledger is reported once, and the spend is written as soon as possible", async () => {
    await using place = await tempProject({ data: "a file" });
    const folder = place.path("data/spend");
    const { guard, notices, written } = makeGuard({ folder, spend: { sessionUsd: 0.25 } });
    for (const _ of [1, 2]) {
      await (await guard.reserve(TEN_CENTS, never)).settle(used(20_000, 6_000));
      await written();
    }
    await refusal(guard.reserve(TEN_CENTS, never));
    expect(notices.filter((line) => line.includes("ledger could not be written"))).toEqual([
      `The ledger could not be written (${folder} cannot be written (a file is in the place of a folder)); Quoll retries with each request.`,
    ]);
    await rm(place.path("data"));
    await (await guard.reserve({ ...TEN_CENTS, maxOutputTokens: 10 }, never)).settle(used(1, 1));
    await guard.close();
    expect((await linesIn(folder)).map(({ id, state }) => `${id} ${state}`)).toEqual([
      "s1-1 open",
      "s1-1 settled",
      "s1-2 open",
      "s1-2 settled",
      "s1-3 open",
      "s1-3 settled",
    ]);
  });

  test("the lock of a process that is gone is taken over", async () => {
    await using place = await tempProject();
    const dead = { ...processNamed(2 ** 22 + 1), since: "2026-01-01T00:00:00.000Z", nonce: "x" };
    await writeFile(place.path("ledger.lock"), JSON.stringify(dead));
    await makeGuard({ folder: place.dir, spend: { dayUsd: 5 } }).guard.reserve(TEN_CENTS, never);
  });

  test("while somebody else has the lock nothing is taken and nothing is written", async () => {
    await using place = await tempProject();
    const held = tryLock(place.path("ledger.lock"));
    if (!("lock" in held)) throw new Error("The lock is taken.");
    const { guard } = makeGuard({ folder: place.dir, spend: { dayUsd: 5 } });
    const reservation = guard.reserve(TEN_CENTS, never);
    expect(await Promise.race([reservation, Bun.sleep(60)])).toBeUndefined();
    expect((await readdir(place.dir)).filter((name) => !name.startsWith("ledger.lock."))).toEqual(["ledger.lock"]);
    held.lock.release();
    expect((await reservation).maxOutputTokens).toBe(7_500);
  });

  test("a spend waits for an unreadable lock, then reports the lock's path", async () => {
    await using place = await tempProject({ "ledger.lock": "" });
    const { guard } = makeGuard({ folder: place.dir, spend: { dayUsd: 5 }, lockWaitMs: 60 });
    expect((await refusal(guard.reserve(TEN_CENTS, never))).message).toContain(
      `${place.path("ledger.lock")} is held by an unreadable lock: end that program, or delete the file if the program has ended`,
    );
  });

  test("a folder in the place of the day's file is reported", async () => {
    await using place = await tempProject();
    await mkdir(place.path(`${TODAY}.jsonl`));
    const { guard } = makeGuard({ folder: place.dir, spend: { dayUsd: 5 } });
    expect((await refusal(guard.reserve(TEN_CENTS, never))).message).toContain(`${TODAY}.jsonl cannot be written`);
  });
});

describe("a damaged ledger", () => {
  const settled = async (folder: string, session: string, output: number) => {
    const { guard } = makeGuard({ folder, session });
    await (await guard.reserve(TEN_CENTS, never)).settle(used(0, output));
    await guard.close();
  };

  test("a last line that was cut off says nothing and is taken away", async () => {
    await using place = await tempProject();
    await settled(place.dir, "a", 1_000);
    const path = place.path(`${TODAY}.jsonl`);
    const whole = await readFile(path, "utf8");
    for (const torn of ["{", '{"v":1,"id":"z","ti', whole.split("\n")[0]?.slice(0, 150) ?? ""]) {
      await writeFile(path, whole + torn);
      const { guard, notices } = makeGuard({ folder: place.dir, spend: { dayUsd: 5 } });
      const reservation = await guard.reserve(TEN_CENTS, never);
      expect([guard.status()[0]?.spent, notices, (await linesIn(place.dir)).length]).toEqual([0.01, [], 3]);
      await reservation.settle(used(0, 0));
    }
  });

  test("a last line that only lacks its line feed counts", async () => {
    await using place = await tempProject();
    await settled(place.dir, "a", 1_000);
    const path = place.path(`${TODAY}.jsonl`);
    await writeFile(path, (await readFile(path, "utf8")).trimEnd());
    const { guard, notices } = makeGuard({ folder: place.dir, spend: { dayUsd: 5 } });
    await guard.reserve(TEN_CENTS, never);
    expect([guard.status()[0]?.spent, notices, (await linesIn(place.dir)).length]).toEqual([0.01, [], 3]);
  });

  test("lines that are cut, joined or overwritten count with their readable part, and the damage is reported once", async () => {
    await using place = await tempProject();
    for (const [session, output] of [
      ["a", 1_000],
      ["b", 2_000],
      ["c", 4_000],
      ["d", 8_000],
    ] as const)
      await settled(place.dir, session, output);
    const path = place.path(`${TODAY}.jsonl`);
    const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
    const [, a = "", , b = "", , c = "", openD = "", d = ""] = lines;
    const cutBehindSum = c.slice(0, c.indexOf('"reserved"'));
    const damaged = [
      `${a}${b}`,
      cutBehindSum,
      "\u0000\u0000garbage",
      d.replace('"state":"settled",', ""),
      openD.slice(0, 200),
    ];
    await writeFile(path, `${damaged.join("\n")}\n`);
    const { guard, notices } = makeGuard({ folder: place.dir, spend: { dayUsd: 5 } });
    for (const _ of [1, 2]) await guard.reserve(TEN_CENTS, never);
    expect(guard.status()[0]?.spent).toBeCloseTo(0.15, 9);
    expect(notices).toEqual([`${path}: some lines are damaged; readable amounts in them count as spent.`]);
  });

  test("amounts that can't be are no amounts: nothing makes the spend smaller", async () => {
    await using place = await tempProject();
    await settled(place.dir, "a", 1_000);
    const path = place.path(`${TODAY}.jsonl`);
    const [open = "", line = ""] = (await readFile(path, "utf8")).trimEnd().split("\n");
    const forged = ["-5", "1e999", '"5"', "true"].map((usd) => line.replace(/"usd":0.01/, `"usd":${usd}`));
    await writeFile(path, `${[open, line, ...forged].join("\n")}\n`);
    const { guard } = makeGuard({ folder: place.dir, spend: { dayUsd: 5 } });
    await guard.reserve(TEN_CENTS, never);
    expect(guard.status()[0]?.spent).toBeGreaterThanOrEqual(0.01);
  });

  test("a file that was emptied meanwhile is read anew", async () => {
    await using place = await tempProject();
    const { guard } = makeGuard({ folder: place.dir, spend: { dayUsd: 5 } });
    await (await guard.reserve(TEN_CENTS, never)).settle(used(0, 1_000));
    await writeFile(place.path(`${TODAY}.jsonl`), "");
    await settled(place.dir, "b", 3_000);
    await guard.reserve(TEN_CENTS, never);
    expect(guard.status()[0]?.spent).toBeCloseTo(0.03, 9);
  });
});

test("each request that counts is reported with its usage and its price, which is null if unknown", async () => {
  await using project = await tempProject();
  const { guard } = makeGuard({ folder: project.path("spend") });
  const told: unknown[] = [];
  guard.watch(({ source, usage, usd }) => told.push([source, usage.inputTokens, usd]));
  for (const [source, model] of [
    ["main", "dear"],
    ["judge", "nobodys"],
  ] as const)
    await (await guard.reserve({ ...TEN_CENTS, source, model }, never)).settle(used(1_000_000, 0));
  expect(told).toEqual([
    ["main", 1_000_000, 1],
    ["judge", 1_000_000, undefined],
  ]);
});

test("a request that outlives its agent counts for the agents above it, and no cap of a closed agent is left", async () => {
  await using project = await tempProject();
  const { guard } = makeGuard({ folder: project.path("spend") });
  const parent = { agentId: "parent", parentAgentId: "main" };
  const child = { agentId: "child", parentAgentId: "parent" };
  const told: unknown[] = [];
  guard.watch(({ agentIds }) => told.push(agentIds));
  const closeParent = guard.openAgent(parent, { tokens: 1_000_000 });
  const closeChild = guard.openAgent(child, { tokens: 900_000 });
  const held = await guard.reserve({ ...TEN_CENTS, agent: child }, never);
  closeChild();
  expect(guard.status()).toMatchObject([{ limit: 1_000_000, spent: 0, held: 27_500 }]);
  await held.settle(used(20_000, 10));
  expect(guard.status()).toMatchObject([{ limit: 1_000_000, spent: 20_010, held: 0 }]);
  expect(told).toEqual([["child", "parent", "main"]]);
  closeParent();
  expect(guard.status()).toEqual([]);
});
