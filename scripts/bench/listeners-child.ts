/**
 * A turn of many rounds with the real engine, in this process. Counts the abort listeners of all live signals
 * and the listeners of the process. Prints `{ "<round>": { signals, process }, … }` as JSON, the last entry as `after`.
 * Started by `soak.ts`; the project is the working folder, the argument is a list of rounds to measure.
 */
import { getEventListeners } from "node:events";
import { openApp } from "../../src/app/open-app.ts";
import { openSession } from "../../src/app/session/open-session.ts";

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

const config = {
  cwd: process.cwd(),
  answerer: "nobody",
  conversation: { kind: "new" },
  isSaved: true,
  model: "claude-sonnet-4-5",
  isTrusted: true,
} as const;
const session = await openSession(openApp({ version: "0.0.0" }), config, {
  startupWarning: (line) => console.error(line),
});
const counts: Record<string, ReturnType<typeof look>> = {};
session.main.engine.subscribe(({ event }) => {
  if (event.type === "request_started" && looks.has(event.step)) counts[event.step] = look();
});
await session.main.engine.submit({ prompt: "Read it all." });
// The cost of the last request is written a moment later.
await Bun.sleep(250);
counts["after"] = look();
await session.close();
console.log(JSON.stringify(counts));
