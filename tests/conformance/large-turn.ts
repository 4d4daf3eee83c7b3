/**
 * Plays a turn with a long answer and prints what it took as JSON: `large-turn.ts <adapter> <megabytes>`. A process of its own, because the
 * garbage of other tests in a shared process counts as memory of the turn.
 */
import { type Reply, reply } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import { eventually } from "../support/eventually.ts";
import { ADAPTERS } from "./adapters.ts";
import { engineOn } from "./play.ts";

const MAX_LEFT_TIMES = 4;

const [name, megabytes] = process.argv.slice(2);
const chars = Number(megabytes) * 1024 * 1024;
const text = "0123456789abcdef".repeat(chars / 16);
const adapter = ADAPTERS.find((one) => one.name === name);
if (!adapter) throw new Error(`There is no adapter ${name}.`);

const heapUsed = () => {
  Bun.gc(true);
  return process.memoryUsage().heapUsed;
};

async function cpuMsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

let answer: Reply = reply("Small.");
const requests: Parameters<typeof fetch>[] = [];
const keepingFetch = (...request: Parameters<typeof fetch>) => {
  requests.push(request);
  return fetch(...request);
};
await using twin = await startTwin({ ...adapter.twin, scenario: () => answer });
const parts = { adapter, url: twin.url, fetch: Object.assign(keepingFetch, fetch) };
const { engine, events } = await engineOn(parts);
await engine.submit({ prompt: "go" });
const [address = "", init] = requests.findLast(([, sent]) => sent?.method === "POST") ?? [];

/** The least that a client does with the same answer: it reads it, and the JSON of each line. */
async function readPlainly(): Promise<void> {
  const body = await (await fetch(address, { ...init, signal: null })).text();
  if (body.length < chars) throw new Error(`Only ${body.length} bytes came.`);
  for (const line of body.split("\n")) if (/^data: \{/.test(line)) JSON.parse(line.slice("data: ".length));
}

answer = reply(text, { deltaChars: 1_024 });
const plainBefore = await cpuMsOf(readPlainly);
const before = { heap: heapUsed(), rss: process.memoryUsage().rss };
let isWhole = false;
const cpuMs = await cpuMsOf(async () => {
  isWhole = (await engine.submit({ prompt: "go" })).text === text;
});
const heldTimes = (process.memoryUsage().rss - before.rss) / chars;
events.length = 0;
// One collection can miss what a closing connection or the stack of a callback still holds.
await eventually("little is left", () => (heapUsed() - before.heap) / chars < MAX_LEFT_TIMES);
const plainMs = (plainBefore + (await cpuMsOf(readPlainly))) / 2;
await engine.close();
console.log(JSON.stringify({ isWhole, cpuTimes: cpuMs / plainMs, heldTimes }));
