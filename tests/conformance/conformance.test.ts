import { describe, expect, test } from "bun:test";
import { ADAPTERS } from "./adapters.ts";
import { cellsOf, lacking } from "./cells.ts";
import { MAY_DIFFER } from "./normalise.ts";
import { SCENARIOS } from "./scenarios.ts";

const GROUPS = [...new Set(SCENARIOS.map(({ group }) => group))];
const LIMIT_MS = 30_000;

describe.each(GROUPS)("every adapter tells the same of %s", (group) => {
  test.each(
    SCENARIOS.filter((scenario) => scenario.group === group).map((scenario) => [scenario.name, scenario] as const),
  )(
    "%s",
    async (_name, scenario) => {
      const cells = await cellsOf(scenario);
      expect(cells.filter(({ state }) => state === "other")).toEqual([]);
      expect(cells).toHaveLength(ADAPTERS.length);
    },
    LIMIT_MS,
  );
});

test("there are at least sixty scenarios, each with a name of its own, and each adapter plays nearly all of them", () => {
  expect(SCENARIOS.length).toBeGreaterThanOrEqual(60);
  expect(new Set(SCENARIOS.map(({ group, name }) => `${group}: ${name}`)).size).toBe(SCENARIOS.length);
  for (const adapter of ADAPTERS) {
    const played = SCENARIOS.filter((scenario) => lacking(adapter, scenario) === undefined);
    expect([adapter.name, played.length >= 60]).toEqual([adapter.name, true]);
  }
});

test("each difference that is allowed has its reason", () => {
  expect(Object.entries(MAY_DIFFER).filter(([, reason]) => reason.length < 10)).toEqual([]);
});
