/**
 * Before every test: no colour, UTC, no credentials from the machine, and no network beyond loopback. After every test file: the
 * process is as it was, and its processor time is noted where the runner asks for it.
 */
import { afterAll } from "bun:test";
import { appendFileSync } from "node:fs";
import { cpuMilliseconds } from "./cpu-clock.ts";
import { leaksBetween, processState } from "./process-state.ts";

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]", "::1"]);

for (const name of Object.keys(process.env)) {
  if (/^(ANTHROPIC_|QUOLL_|XDG_|OPENAI_|GEMINI_)/.test(name)) delete process.env[name];
}
Object.assign(process.env, { NO_COLOR: "1", TZ: "UTC", LC_ALL: "C.UTF-8" });
delete process.env["FORCE_COLOR"];

const realFetch = globalThis.fetch;
const guardedFetch = (...[input, init]: Parameters<typeof fetch>) => {
  // A request through a proxy of the test reaches the proxy alone.
  const proxy = init && "proxy" in init && typeof init.proxy === "string" ? init.proxy : undefined;
  const url = new URL(proxy ?? (input instanceof Request ? input.url : String(input)));
  // A `data:` address reaches no host: yoga-layout reads its own code from one.
  if (url.protocol !== "data:" && !LOOPBACK.has(url.hostname))
    throw new Error(`A test tried to reach ${url.hostname}.`);
  return realFetch(input, init);
};
globalThis.fetch = Object.assign(guardedFetch, realFetch);

/** The file to which each test file appends a line: the process, its processor time so far, and the test file. */
const cpuLog = process.env["TEST_CPU_LOG"];
let before = processState();

// With several processes, Bun calls the hooks of a preload once for each test file.
afterAll(() => {
  if (cpuLog !== undefined) appendFileSync(cpuLog, `${process.pid} ${cpuMilliseconds()} ${Bun.main}\n`);
  const after = processState();
  const leaks = leaksBetween(before, after);
  before = after;
  if (leaks.length > 0) throw new Error(`${Bun.main} leaves changed, for the files after it: ${leaks.join(", ")}`);
});
