import { expect, test } from "bun:test";
import { join } from "node:path";
import { localDay } from "../../src/services/spend/day-state.ts";
import { makeGuard, never, TEN_CENTS, used } from "../services/spend/support.ts";
import { quollPlace } from "../support/quoll-process.ts";

async function spentPlace() {
  const place = await quollPlace();
  const folder = join(place.home.dir, "own/data/spend");
  const { guard } = makeGuard({ folder, now: Date.now, project: join(place.home.dir, "shop") });
  await (await guard.reserve({ ...TEN_CENTS, provider: "acme" }, never)).settle(used(0, 50_000));
  await guard.close();
  return place;
}

test("quoll stats shows what the ledger says, as a table, as JSON and as CSV", async () => {
  await using place = await spentPlace();
  const today = localDay(Date.now());
  const table = await place.run(["stats"]);
  expect({ ...table, out: "" }).toEqual({ code: 0, out: "", err: "" });
  expect(table.out).toStartWith("Spent in the last 30 days: $0.50, 50k tokens, 1 request\n\nby day\n");
  expect(table.out).toMatch(new RegExp(`\n${today} +█+ +\\$0.50 +50k +1\n`));
  expect(table.out).toContain("\n~/shop ");

  const sum = { requests: 1, usage: used(0, 50_000), usd: 0.5, unpriced: 0, estimated: 0 };
  const json = await place.run(["stats", "--json", "--days", "2"]);
  expect(JSON.parse(json.out)).toEqual({
    from: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    to: today,
    total: sum,
    days: [{ name: today, ...sum }],
    models: [{ name: "dear", ...sum }],
    projects: [{ name: join(place.home.dir, "shop"), ...sum }],
    sources: [{ name: "main", ...sum }],
  });
  const csv = await place.run(["stats", "--csv"]);
  expect(csv.out.split("\r\n")[1]).toBe(
    `${today},acme,dear,${join(place.home.dir, "shop")},main,1,0,50000,0,0,0.5,0,0,`,
  );
});

test("without a ledger nothing was spent, and wrong usage is one line", async () => {
  await using place = await quollPlace();
  expect(await place.run(["stats", "--days", "7"])).toEqual({
    code: 0,
    out: "Nothing was spent in the last 7 days.\n",
    err: "",
  });
  expect(await place.run(["stats", "--days", "0"])).toEqual({
    code: 2,
    out: "",
    err: "quoll: '0' is not valid for --days <n>. It must be a whole number from 1 to 3660. (quoll stats --help shows the options)\n",
  });
  expect((await place.run(["stats", "--json", "--csv"])).code).toBe(2);
});
