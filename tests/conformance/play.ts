import type { Scenario } from "@quoll/model-twin/scenario";
import { startTwin, type Twin } from "@quoll/model-twin/server";
import { MAIN_AGENT } from "../../src/contracts/agent.ts";
import type { CompactionStage } from "../../src/contracts/compactor.ts";
import type { EngineEvent } from "../../src/contracts/event.ts";
import { NO_HOOKS } from "../../src/contracts/hook.ts";
import type { Message, UserBlock } from "../../src/contracts/message.ts";
import type { Clock } from "../../src/contracts/ports.ts";
import type { Tool } from "../../src/contracts/tool.ts";
import { ModelTools } from "../../src/engine/model-tools.ts";
import { QueryEngine } from "../../src/engine/query-engine.ts";
import { SessionState } from "../../src/engine/session-state.ts";
import type { OutputShape } from "../../src/engine/structured-output.ts";
import { randomIds, systemClock } from "../../src/platform/clock.ts";
import { clearResults } from "../../src/services/context/compaction/clear-results.ts";
import { fewerMedia } from "../../src/services/context/compaction/fewer-media.ts";
import { toolRegistry } from "../../src/services/inventory/create-registry.ts";
import {
  answering,
  countedIds,
  hastySleep,
  NO_CAPS,
  NO_SECRETS,
  NOBODY,
  pairingProblems,
  recordingLog,
  restoredOf,
  testTool,
} from "../support/engine-harness.ts";
import { loopbackProxy } from "../support/loopback-proxy.ts";
import { tlsFront } from "../support/tls-front.ts";
import { toolPorts } from "../support/tool-context.ts";
import { type Adapter, equalCatalog, providerOf } from "./adapters.ts";
import { doublingLast } from "./doubling-last.ts";
import { normalised } from "./normalise.ts";
import { type Oddity, oddStreams } from "./odd-streams.ts";

export type Play = {
  readonly replies: Scenario;
  readonly prompts?: readonly string[];
  readonly attachments?: readonly UserBlock[];
  readonly shape?: OutputShape;
  readonly maxSteps?: number;
  /** A server that is not there, one that speaks no TLS at an address that wants it, or one whose certificate it signed itself. */
  readonly at?: "closed" | "tls" | "self-signed";
  readonly proxy?: ProxyCase;
  /** The text that the line of a failure must contain. */
  readonly says?: RegExp;
  /** Every silence counts as too long. */
  readonly isImpatient?: boolean;
  /** Each answer's last event comes twice. */
  readonly doublesLast?: boolean;
  /** How each answer's stream differs from the API. */
  readonly oddity?: Oddity;
  /** Pictures can be made smaller. */
  readonly shrinks?: boolean;
  /** The answer of the fallback model on the same wire. */
  readonly fallback?: Scenario;
};

/**
 * A proxy on the way, which wants a name and a password: named by the variable, not there, with a wrong password, letting
 * nothing through, or named for another host than the server's.
 */
export type ProxyCase = {
  readonly variable: string;
  readonly is: "right" | "down" | "wrong password" | "forbidding" | "excepted";
};

/** Waits between tries take no time; a watch for silence strikes after a few milliseconds. */
function impatientClock(): Clock {
  let passedMs = 0;
  return {
    now: () => systemClock.now() + passedMs,
    monotonicMs: () => systemClock.monotonicMs() + passedMs,
    async sleep(ms, signal) {
      const isWatch = ms >= 20_000;
      await systemClock.sleep(isWatch ? 25 : 0, signal);
      if (isWatch) passedMs += ms;
    },
  };
}

/** Longer than any wait of a watch: the last waits between tries. */
const LAST_WAIT_MS = 32_000;
const hastyClock = (): Clock => ({
  ...systemClock,
  sleep: (ms, signal) => hastySleep(ms === LAST_WAIT_MS ? 0 : ms, signal),
});

const TOOLS: readonly Tool[] = [testTool("Look"), testTool("Change", { level: "write" })];

export const SMALL_GIF = "R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";
export const SMALL_PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Each picture of the user's becomes the smallest there is. */
const SMALLER_IMAGES: CompactionStage = {
  name: "pictures",
  async run({ why, messages }) {
    if (why !== "image_too_large") return undefined;
    const block = { type: "image", mediaType: "image/png", data: SMALL_PNG } as const;
    const stubs = messages.flatMap(({ id: messageId, role, content }) =>
      role === "user" ? content.flatMap(({ type }, at) => (type === "image" ? [{ messageId, at, block }] : [])) : [],
    );
    return stubs.length === 0 ? undefined : { stubs, note: "" };
  },
};

type EngineParts = {
  readonly adapter: Adapter;
  readonly url: string;
  readonly tools?: readonly Tool[];
  readonly messages?: readonly Message[];
  /** Where the next model of the list is served. */
  readonly next?: { readonly adapter: Adapter; readonly url: string } | undefined;
  readonly play?: Omit<Play, "replies">;
  readonly fetch?: typeof fetch;
};

/** The real engine with the real adapter. */
export async function engineOn({ adapter, url, tools = TOOLS, messages, next, play = {}, fetch }: EngineParts) {
  const catalog = equalCatalog();
  const clock = play.isImpatient ? impatientClock() : hastyClock();
  const parts = {
    catalog,
    clock,
    ...(fetch && { fetch }),
    ...(play.doublesLast && { fetch: doublingLast(globalThis.fetch) }),
    ...(play.oddity && { fetch: oddStreams(play.oddity, globalThis.fetch) }),
  };
  const restored = messages && restoredOf(messages);
  const { log, written } = recordingLog(restored?.entries);
  const provider = await providerOf(adapter, url, parts);
  const engine = new QueryEngine(
    {
      state: new SessionState({ mode: "default", model: { provider, model: adapter.model }, workspace: { cwd: "/" } }),
      catalog,
      clock: systemClock,
      // Restored messages have ids of an earlier process.
      ids: restored ? randomIds : countedIds(),
      agent: MAIN_AGENT,
      log,
      permissions: answering(),
      questions: {
        pending: [],
        reply: () => false,
        answerWith: () => () => undefined,
        subscribe: () => () => undefined,
      },
      toolPorts: toolPorts(),
      tools: new ModelTools(toolRegistry(tools)),
      artifacts: { directory: "/artifacts", save: async (name) => `/artifacts/${name}` },
      cwd: () => "/",
      redactor: async () => NO_SECRETS,
      system: "You are a test.",
      hooks: NO_HOOKS,
      asker: NOBODY,
      spend: NO_CAPS,
      compactor: [...(play.shrinks ? [SMALLER_IMAGES] : []), fewerMedia(), clearResults()],
      transcriptPath: "",
      describeSession: async () => "",
      selectModel: async () => {
        if (!next) throw new Error("there is no other model");
        return { provider: await providerOf(next.adapter, next.url, parts), model: next.adapter.model };
      },
      forgetFiles: () => undefined,
      forgetResults: () => undefined,
      endBackgroundWork: async () => [],
    },
    {
      ...(restored && { restored }),
      ...(next && { fallbackModels: ["another"] }),
      ...(play.shape && { shape: play.shape }),
      ...(play.maxSteps !== undefined && { maxSteps: play.maxSteps }),
    },
  );
  const events: EngineEvent[] = [];
  engine.subscribe(({ event }) => void events.push(event));
  return { engine, events, written };
}

/** Port 9 (discard) is served by nobody. */
const CLOSED = "127.0.0.1:9";
const PROXY_KEYS = "me:p@ss";

async function addressOf(twin: Twin, at: Play["at"], open: AsyncDisposableStack): Promise<string> {
  if (at === "closed") return `http://${CLOSED}`;
  if (at === "self-signed") return open.use(await tlsFront(twin.url)).url;
  return at === "tls" ? twin.url.replace("http:", "https:") : twin.url;
}

async function proxyOf({ variable, is }: ProxyCase, open: AsyncDisposableStack) {
  const proxy = open.use(
    await loopbackProxy({ credentials: PROXY_KEYS, ...(is === "forbidding" && { refuses: 403 }) }),
  );
  const keys = is === "wrong password" ? "me:secret-4711" : "me:p%40ss";
  const environment = {
    [variable]: `http://${keys}@${is === "down" ? CLOSED : proxy.host}`,
    ...(is === "excepted" && { NO_PROXY: "example.com, 127.0.0.1" }),
  };
  return { environment, seen: proxy.seen };
}

/** Everything through the proxy, or nothing. One tunnel does for several requests. */
function proxyProblems(seen: readonly string[], requests: number, { is }: ProxyCase): readonly string[] {
  const isTunnel = seen.some((line) => line.startsWith("CONNECT "));
  const expected = is === "excepted" || is === "down" ? 0 : Math.max(1, isTunnel ? 1 : requests);
  return seen.length === expected ? [] : [`through the proxy: ${seen.length} requests, of ${requests}`];
}

function wordsProblems(events: readonly EngineEvent[], says: RegExp | undefined): readonly string[] {
  if (!says) return [];
  const failed = events.flatMap((event) => (event.type === "turn_finished" ? [event.report.outcome] : []));
  const lines = failed.flatMap((outcome) => (outcome.reason === "failed" ? [outcome.message] : []));
  return lines.every((line) => says.test(line) && !/secret-4711|\n/.test(line)) ? [] : [`said: ${lines.join(" | ")}`];
}

/** Rejected requests, except those from which the adapter learns. */
export function refusals(twin: Twin, { refusedFirst = 0 }: Adapter): readonly string[] {
  // Ollama is asked for the window with which it loaded the model, which a twin does not know.
  const requests = twin.requests.filter(({ path }) => path !== "/api/ps");
  const refused = requests.flatMap(({ rejected }) => (rejected.length > 0 ? [rejected.join("; ")] : []));
  return refused.length <= refusedFirst ? [] : refused.map((why) => `refused: ${why}`);
}

/** Plays a scenario on one wire. @returns its events as lines, and the broken rules. */
export async function played(adapter: Adapter, play: Play): Promise<readonly string[]> {
  await using twin = await startTwin({ ...adapter.twin, scenario: play.replies, keptBodies: 3 });
  await using other = await startTwin({ ...adapter.twin, scenario: play.fallback ?? [], keptBodies: 3 });
  const spare = {
    ...adapter,
    model: `${adapter.model}-b`,
    ...(adapter.name === "bedrock" && { model: adapter.model.replace("sonnet-4-5", "opus-4-5") }),
  };
  const next = play.fallback && { adapter: spare, url: other.url };
  await using open = new AsyncDisposableStack();
  const proxy = play.proxy && (await proxyOf(play.proxy, open));
  const proxied = { ...adapter, environment: { ...adapter.environment, ...proxy?.environment } };
  const url = await addressOf(twin, play.at, open);
  const { engine, events } = await engineOn({ adapter: proxied, url, next, play });
  try {
    const { attachments } = play;
    for (const prompt of play.prompts ?? ["go"]) await engine.submit({ prompt, ...(attachments && { attachments }) });
    const problems = [
      ...pairingProblems(engine.state.messages),
      ...refusals(twin, adapter),
      ...refusals(other, adapter),
      ...(proxy && play.proxy ? proxyProblems(proxy.seen, twin.requests.length, play.proxy) : []),
      ...wordsProblems(events, play.says),
    ];
    return [...normalised(events), ...problems];
  } finally {
    await engine.close();
  }
}
