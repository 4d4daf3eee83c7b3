import { Worker } from "node:worker_threads";
import { LEAVE_SCREEN } from "@quoll/terminal-text/leave-screen";
import { environment } from "./env.ts";
import { SPAWN_TAG_VARIABLE } from "./processes/process-row.ts";

/** Indexes of the shared numbers; the line for stderr follows them. */
const CALLS = 0;
const BEATS = 1;
const CLOSED = 2;
const LINE_BYTES = 3;
const HEAD_BYTES = 16;
const MAX_LINE_BYTES = 4_096;
/** The number of checks in the limit: the limit is exact to one tenth. */
const CHECKS = 10;
/** The maximum number of generations of processes that are ended with the program. */
const MAX_GENERATIONS = 20;

/**
 * Waits without a timer while nothing is watched. The watch counts its own checks, not the time of day: while the whole
 * program is stopped or the machine sleeps, no check is made. Only SIGKILL ends a program whose main thread runs no
 * code of Quoll.
 *
 * Before that, the watch ends the processes that other authors' code has started: the descendants with the same tag as
 * the program (or without a tag). The processes that Quoll started, including the orphan watch, have their own tags;
 * the orphan watch ends them. Each process is stopped before its children are looked up, so none can be forked unseen.
 */
const WATCH = `
const { spawnSync } = require("node:child_process");
const { readdirSync, readFileSync, writeSync } = require("node:fs");
const { workerData: { shared, checkMs, restore, ownTag } } = require("node:worker_threads");
const head = new Int32Array(shared, 0, ${HEAD_BYTES / 4});
function write(fd, text) {
  try { writeSync(fd, text); } catch {}
}
function tagIn(entries) {
  return entries.findLast((entry) => entry.startsWith("${SPAWN_TAG_VARIABLE}="));
}
function readProc(pid) {
  try {
    const stat = readFileSync("/proc/" + pid + "/stat", "latin1");
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    return [{ pid, parent, tag: () => tagIn(readFileSync("/proc/" + pid + "/environ", "latin1").split("\\0")) }];
  } catch {
    return [];
  }
}
function table() {
  if (process.platform === "linux")
    return readdirSync("/proc").map(Number).filter(Number.isInteger).flatMap(readProc);
  const options = { encoding: "utf8", timeout: 5000, maxBuffer: 64 * 1024 * 1024, env: { PATH: "/usr/bin:/bin" } };
  const { stdout } = spawnSync("/bin/ps", ["axeww", "-o", "pid=,ppid=,command="], options);
  return (stdout ?? "").split("\\n").map((line) => {
    const [pid, parent, ...words] = line.trim().split(/\\s+/);
    return { pid: Number(pid), parent: Number(parent), tag: () => tagIn(words) };
  });
}
function isForeign({ tag }) {
  try {
    const entry = tag();
    return entry === undefined || entry === "${SPAWN_TAG_VARIABLE}=" + ownTag;
  } catch {
    return false;
  }
}
function signal(pid, name) {
  try { process.kill(pid, name); } catch {}
}
function endForeign() {
  const found = new Set();
  for (let generation = 0; generation < ${MAX_GENERATIONS}; generation += 1) {
    const more = table().filter((row) =>
      !found.has(row.pid) && (row.parent === process.pid || found.has(row.parent)) && isForeign(row));
    if (more.length === 0) break;
    for (const { pid } of more) {
      found.add(pid);
      signal(pid, "SIGSTOP");
    }
  }
  for (const pid of found) signal(pid, "SIGKILL");
}
function end() {
  if (restore !== "") {
    write(1, restore);
    spawnSync("stty", ["sane"], { stdio: ["inherit", "ignore", "ignore"], timeout: 1000, env: { PATH: "/usr/bin:/bin" } });
  }
  write(2, Buffer.from(new Uint8Array(shared, ${HEAD_BYTES}, head[${LINE_BYTES}])).toString() + "\\n");
  try { endForeign(); } catch {}
  process.kill(process.pid, "SIGKILL");
}
while (head[${CLOSED}] === 0) {
  Atomics.wait(head, ${CALLS}, 0);
  let seen = -1;
  let same = 0;
  while (head[${CALLS}] > 0 && head[${CLOSED}] === 0) {
    Atomics.wait(head, ${CLOSED}, 0, checkMs);
    same = head[${BEATS}] === seen ? same + 1 : 0;
    seen = head[${BEATS}];
    if (same >= ${CHECKS}) end();
  }
}
`;

export type StuckWatchParts = {
  /** Code that runs for this long without a pause ends the program. */
  readonly limitMs: number;
  /** True if the terminal is in the modes of the screen. */
  readonly hasScreen: boolean;
  /**
   * The line for stderr. @param names The running calls: the one call that is known to compute, or all calls that wait.
   */
  line(names: readonly string[]): string;
};

/**
 * Ends the program if a watched call keeps the main thread from everything else, signals and keys included. The watch
 * is a separate thread, which starts with the first call.
 */
export class StuckWatch {
  readonly #parts: StuckWatchParts;
  readonly #shared = new SharedArrayBuffer(HEAD_BYTES + MAX_LINE_BYTES);
  readonly #head = new Int32Array(this.#shared, 0, HEAD_BYTES / 4);
  readonly #running = new Set<{ readonly name: string }>();
  #inside: string | undefined;
  #worker: Worker | undefined;
  #beat: ReturnType<typeof setInterval> | undefined;

  constructor(parts: StuckWatchParts) {
    this.#parts = parts;
  }

  /** Runs a call and watches it; a call that returns a promise is watched until the promise settles. */
  call<Value>(name: string, run: () => Value): Value {
    const entry = { name };
    const before = this.#inside;
    this.#inside = name;
    this.#begin(entry);
    let isOver = true;
    try {
      const value = run();
      if (value instanceof Promise) {
        isOver = false;
        const over = () => this.#end(entry);
        value.then(over, over);
      }
      return value;
    } finally {
      this.#inside = before;
      if (isOver) this.#end(entry);
      else this.#write();
    }
  }

  close(): void {
    clearInterval(this.#beat);
    this.#beat = undefined;
    this.#head[CLOSED] = 1;
    // The watch waits on one of these two numbers.
    Atomics.add(this.#head, CALLS, 1);
    Atomics.notify(this.#head, CALLS);
    Atomics.notify(this.#head, CLOSED);
  }

  #begin(entry: { readonly name: string }): void {
    this.#running.add(entry);
    this.#write();
    if (this.#head[CLOSED] === 1) return;
    const checkMs = this.#parts.limitMs / CHECKS;
    this.#worker ??= this.#start(checkMs);
    this.#beat ??= setInterval(() => Atomics.add(this.#head, BEATS, 1), checkMs).unref();
    Atomics.add(this.#head, BEATS, 1);
    if (Atomics.add(this.#head, CALLS, 1) === 0) Atomics.notify(this.#head, CALLS);
  }

  #end(entry: { readonly name: string }): void {
    this.#running.delete(entry);
    this.#write();
    if (this.#head[CLOSED] === 1) return;
    Atomics.sub(this.#head, CALLS, 1);
    if (this.#running.size > 0) return;
    clearInterval(this.#beat);
    this.#beat = undefined;
  }

  /** The watch can only read the line while the main thread is stuck, so it is never read half written. */
  #write(): void {
    const names = this.#inside === undefined ? new Set([...this.#running].map(({ name }) => name)) : [this.#inside];
    const line = Buffer.from(this.#parts.line([...names])).subarray(0, MAX_LINE_BYTES);
    new Uint8Array(this.#shared).set(line, HEAD_BYTES);
    this.#head[LINE_BYTES] = line.length;
  }

  #start(checkMs: number): Worker {
    // On the screen, the line appears below the drawn frame.
    const restore = this.#parts.hasScreen ? `${LEAVE_SCREEN}\u001b[J\r\n` : "";
    const ownTag = environment()[SPAWN_TAG_VARIABLE] ?? "";
    const worker = new Worker(WATCH, { eval: true, workerData: { shared: this.#shared, checkMs, restore, ownTag } });
    // Without a watch, only this protection is missing.
    worker.on("error", () => undefined);
    worker.unref();
    return worker;
  }
}
