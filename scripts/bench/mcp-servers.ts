import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { reply } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import { textTokens } from "../../src/contracts/token-estimate.ts";
import { processorMs } from "../../src/platform/clock.ts";
import { findByQuery } from "../../src/services/tools/tool-search/tool-search.ts";
import type { BenchPlace, Measurement } from "./measurement.ts";
import { TerminalRun } from "./terminal-run.ts";

const SERVERS = 50;
const TOOLS = 40;
const MAX_DELAY_MS = 5;
const MAX_TOKENS = 1_500;
const MAX_SEARCH_MS = 10;
/** Part of the status line as soon as the session is known. */
const FRAME_SIGN = "default\u001B[";
/** Part of the status line while servers start. */
const STARTING_SIGN = " starting records";
/** Part of the status line when no server is starting any more. */
const READY_SIGN = "for keys";
const CHILD = join(import.meta.dir, "mcp-server-child.ts");

/** The start of the screen with and without 50 servers, in turn; then their tokens in a request, and a search in their tools. */
export async function benchMcpServers(place: BenchPlace, runs: number): Promise<readonly Measurement[]> {
  const config = join(place.project, "..", "fifty-servers.json");
  writeFileSync(
    config,
    JSON.stringify({ mcpServers: Object.fromEntries(serverNames().map((name) => [name, entry(name)])) }),
  );
  const without: number[] = [];
  const delays: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const alone = await firstFrame(place, []);
    const many = await firstFrame(place, ["--mcp-config", config]);
    without.push(alone);
    delays.push(many - alone);
  }
  const few = await requestTokens(place, []);
  const many = await requestTokens(place, ["--mcp-config", config]);
  const part = "mcp-servers";
  const searches = searchTimes(runs);
  return [
    { part, name: "first frame without servers", unit: "ms", values: without },
    { part, name: `later with ${SERVERS} servers (paired)`, unit: "ms", values: delays, target: MAX_DELAY_MS },
    { part, name: `until ${SERVERS} servers are connected`, unit: "ms", values: [many.connectedMs] },
    {
      part,
      name: `tokens of ${SERVERS} × ${TOOLS} tools in a request`,
      unit: "tokens",
      values: [many.tokens - few.tokens],
      target: MAX_TOKENS,
    },
    {
      part,
      name: `a search in ${SERVERS * TOOLS} tools`,
      unit: "ms",
      values: searches,
      target: MAX_SEARCH_MS,
    },
  ];
}

function serverNames(): readonly string[] {
  return Array.from({ length: SERVERS }, (_, at) => `records-${String(at + 1).padStart(2, "0")}`);
}

function entry(name: string) {
  return { command: process.execPath, args: [CHILD, name, String(TOOLS)] };
}

async function firstFrame(place: BenchPlace, words: readonly string[]): Promise<number> {
  await using twin = await startTwin({ scenario: [] });
  const env = { ...place.environment(), ANTHROPIC_BASE_URL: twin.url, ANTHROPIC_API_KEY: "bench" };
  await using run = new TerminalRun([place.quoll, "--trust", ...words], { cwd: place.project, env });
  return (await run.wrote(FRAME_SIGN)) - run.spawnedAtMs;
}

/** Estimated tokens of a request after all servers have connected. */
async function requestTokens(place: BenchPlace, words: readonly string[]) {
  await using twin = await startTwin({ scenario: [reply("Done.")] });
  const env = { ...place.environment(), ANTHROPIC_BASE_URL: twin.url, ANTHROPIC_API_KEY: "bench" };
  await using run = new TerminalRun([place.quoll, "--trust", ...words], { cwd: place.project, env });
  await run.wrote(FRAME_SIGN);
  const connectedMs = words.length > 0 ? (await allConnected(run)) - run.spawnedAtMs : 0;
  run.type("hello\r");
  await run.shows("Done.");
  const { tools, system, messages } = (twin.requests[0]?.body ?? {}) as Readonly<Record<string, unknown>>;
  return { connectedMs, tokens: textTokens(JSON.stringify({ tools, system, messages })) };
}

async function allConnected(run: TerminalRun): Promise<number> {
  await run.wrote(STARTING_SIGN);
  run.forget();
  return run.wrote(READY_SIGN);
}

/** The processor time of each search, in milliseconds. */
function searchTimes(runs: number): readonly number[] {
  const acts = ["create", "list", "update", "close", "assign", "export", "search", "comment"];
  const all = serverNames().flatMap((server) =>
    Array.from({ length: TOOLS }, (_, at) => ({
      name: `mcp__${server}__${acts[at % acts.length]}_issue_${at}`,
      description: `Lets ${server} ${acts[at % acts.length]} an issue, with its history and everything that belongs to it.`,
      details: () => "",
    })),
  );
  return Array.from({ length: runs }, (_, at) => {
    const list = all.map((item) => ({ ...item }));
    const begun = processorMs();
    findByQuery(`assign issue records ${at + 1}`, list);
    return processorMs() - begun;
  });
}
