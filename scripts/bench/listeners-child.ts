/**
 * A turn of many rounds through the real engine, in this process, counting what listens: abort listeners of every signal that is
 * still alive, and listeners of the process. Prints `{ "<round>": { signals, process }, … }` as JSON, the last as `after`.
 * Started by `soak.ts`; the project is the working folder, the argument a list of rounds to look at.
 */
import { getEventListeners } from "node:events";
import { wire } from "../../src/cli/wire.ts";

const looks = new Set((process.argv[2] ?? "").split(",").map(Number));
const signals = new Set<WeakRef<AbortSignal>>();
const known = new WeakSet<AbortSignal>();
const add = AbortSignal.prototype.addEventListener;
AbortSignal.prototype.addEventListener = function listen(this: AbortSignal, ...given: Parameters<typeof add>) {
  if (!known.has(this)) {
    known.add(this);
    signals.add(new WeakRef(this));
  }
  add.apply(this, given);
};

function look() {
  Bun.gc(true);
  let count = 0;
  for (const reference of signals) {
    const signal = reference.deref();
    if (signal) count += getEventListeners(signal, "abort").length;
    else signals.delete(reference);
  }
  const ofProcess = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  return { signals: count, process: ofProcess };
}

const options = { sessionPersistence: true, outputFormat: "text", model: "claude-sonnet-4-5", trust: true } as const;
const wired = await wire({ options, version: "0.0.0", answerer: "nobody", warn: (line) => console.error(line) });
const counts: Record<string, ReturnType<typeof look>> = {};
wired.engine.subscribe(({ event }) => {
  if (event.type === "request_started" && looks.has(event.step)) counts[event.step] = look();
});
await wired.engine.submit({ prompt: "Read it all." });
// What the last request cost is written down a moment later.
await Bun.sleep(250);
counts["after"] = look();
await wired.close();
console.log(JSON.stringify(counts));
