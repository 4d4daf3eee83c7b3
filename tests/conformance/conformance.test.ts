import { describe, expect, test } from "bun:test";
import { isDeep, testOrDeep } from "../support/deep.ts";
import { ADAPTERS, type Adapter } from "./adapters.ts";
import { cellsOf, lacking } from "./cells.ts";
import { MAY_DIFFER } from "./normalise.ts";
import type { Conformance } from "./scenarios/lines.ts";
import { SCENARIOS } from "./scenarios.ts";

const GROUPS = [...new Set(SCENARIOS.map(({ group }) => group))];

/** `npm test` has many words in large.test.ts. */
const LARGE = "10 MB of words in one block";

/** Those that differ only in the place of a cut: `npm test` has every fourth of them, and cuts of each adapter in cuts.test.ts. */
const CUTS = SCENARIOS.filter(({ name }) => name.includes("cut after "));

const isQuick = (scenario: Conformance) => scenario.name !== LARGE && !(CUTS.indexOf(scenario) % 4 > 0);

/** In `npm test` each scenario is played on one of the adapters that can, and the next scenario on the next one. */
function quickAdapters(scenario: Conformance): readonly Adapter[] {
  const able = ADAPTERS.filter((adapter) => lacking(adapter, scenario) === undefined);
  return able.filter((_, at) => at === SCENARIOS.indexOf(scenario) % able.length);
}

describe.each(GROUPS)("every adapter tells the same of %s", (group) => {
  for (const scenario of SCENARIOS.filter((one) => one.group === group)) {
    const adapters = isDeep ? ADAPTERS : quickAdapters(scenario);
    testOrDeep(!isDeep && isQuick(scenario))(`${scenario.name}`, async () => {
      const cells = await cellsOf(scenario, adapters);
      expect(cells.filter(({ state }) => state === "other")).toEqual([]);
      expect(cells).toHaveLength(adapters.length);
    });
  }
});

test("at least sixty scenarios have a name of their own, and each adapter plays nearly all of them", () => {
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
