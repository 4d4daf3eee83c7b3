import { expect } from "bun:test";
import { benchPlace } from "../../scripts/bench/bench-place.ts";
import { median } from "../../scripts/bench/measurement.ts";
import { benchSoak } from "../../scripts/bench/soak.ts";
import { deepTest } from "../support/deep.ts";

deepTest("a turn of a thousand rounds ends well, within its bounds of memory and listeners", async () => {
  using place = await benchPlace();
  // Times depend on what else the machine does.
  const bounded = (await benchSoak(place)).filter(({ unit, target }) => unit !== "ms" && target !== undefined);
  expect(bounded.length).toBeGreaterThan(1);
  for (const { name, values, target = 0 } of bounded)
    expect({ name, isWithin: median(values) <= target }).toEqual({ name, isWithin: true });
});
