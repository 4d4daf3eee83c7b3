import { setImmediate as giveWay } from "node:timers/promises";

/** Long work that stops at each `yield`, so that keys, timers and streams get their turn. */
export type SlicedWork<Value> = Generator<void, Value>;

/** Does the work without a pause. */
export function runAtOnce<Value>(work: SlicedWork<Value>): Value {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Does the work slice by slice; other work gets its turn between the slices. */
export async function runInSlices<Value>(work: SlicedWork<Value>): Promise<Value> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    await giveWay();
  }
}
