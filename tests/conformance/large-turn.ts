/**
 * Plays a turn with a long answer and prints what it took as JSON: `large-turn.ts <adapter> <megabytes>`. A process of its own, because the
 * garbage of other tests in a shared process counts as memory of the turn.
 */
import { reply } from "@quoll/model-twin/scenario";
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

await using twin = await startTwin({ ...adapter.twin, scenario: [reply(text, { deltaChars: 1_024 })] });
const { engine, events } = await engineOn({ adapter, url: twin.url });
const before = { heap: heapUsed(), cpu: process.cpuUsage(), rss: process.memoryUsage().rss };
const report = await engine.submit({ prompt: "go" });
const { user, system } = process.cpuUsage(before.cpu);
const heldTimes = (process.memoryUsage().rss - before.rss) / chars;
events.length = 0;
// One collection can miss what a closing connection or the stack of a callback still holds.
await eventually("little is left", () => (heapUsed() - before.heap) / chars < MAX_LEFT_TIMES);
await engine.close();
console.log(JSON.stringify({ isWhole: report.text === text, cpuMs: (user + system) / 1_000, heldTimes }));
