import { MAIN_AGENT } from "../../src/contracts/agent.ts";
import { NO_HOOKS } from "../../src/contracts/hook.ts";
import {
  type AssistantMessage,
  type Message,
  NO_USAGE,
  type ToolUseBlock,
  type UserMessage,
} from "../../src/contracts/message.ts";
import type { Provider } from "../../src/contracts/provider.ts";
import { blocksTokens } from "../../src/contracts/token-estimate.ts";
import { compact, isNearlyFull } from "../../src/engine/compact.ts";
import { type CompactDeps, CompactionBreaker } from "../../src/engine/compact-request.ts";
import { Conversation } from "../../src/engine/conversation.ts";
import { ModelTools } from "../../src/engine/model-tools.ts";
import { whyNoRoom } from "../../src/engine/no-room.ts";
import { clearResults } from "../../src/services/context/compaction/clear-results.ts";
import { toolRegistry } from "../../src/services/inventory/create-registry.ts";
import { modelCatalog } from "../../src/services/provider/catalog.ts";
import { unsavedSessionLog } from "../../src/services/session/unsaved-session-log.ts";
import type { BenchPlace, Measurement } from "./measurement.ts";
import { mixedRounds } from "./mixed-rounds.ts";

const PART = "compaction";
const MESSAGES = 5_000;
const MESSAGE_CHARS = 4_000;
const CHECK_TARGET_MS = 5;
const STAGES_TARGET_MS = 300;
const ROUNDS = 600;
const WINDOW_TOKENS = 200_000;
const UNLIMITED_TOKENS = 10_000_000;
const SEEDS = [1, 2, 3, 4, 5];
const UNCACHED_TARGET = 1.5;
const REPEATED_TARGET_PERCENT = 5;
const BREAKS_PER_40_TARGET = 1;
const SYSTEM = "You are a bench.";
const MODEL = { model: "claude-sonnet-4-5", system: SYSTEM } as const;

/**
 * Measures the cost of the accounting and of the stages without a model in a large history, and their effect on 600
 * mixed rounds.
 */
export async function benchCompaction(_: BenchPlace, runs: number): Promise<readonly Measurement[]> {
  const check: number[] = [];
  const stages: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const deps = depsOf(largeHistory(), 20_000_000);
    check.push(elapsedMs(() => isNearlyFull(MODEL, deps) || whyNoRoom(MODEL, deps)));
    const tight = depsOf(deps.conversation, 5_000_000);
    const startedAt = performance.now();
    await compactNow(tight);
    stages.push(performance.now() - startedAt);
  }
  const played: Played[] = [];
  for (const seed of SEEDS) played.push(await play(seed, WINDOW_TOKENS));
  const unlimited: Played[] = [];
  for (const seed of SEEDS) unlimited.push(await play(seed, UNLIMITED_TOKENS));
  const row = (
    name: string,
    unit: string,
    target: number,
    value: (one: Played, at: number) => number,
  ): Measurement => ({
    ...{ part: PART, unit, target },
    name: `600 mixed rounds: ${name}`,
    values: played.map(value),
  });
  return [
    { part: PART, name: "check of 5,000 messages, 20 MB", unit: "ms", values: check, target: CHECK_TARGET_MS },
    { part: PART, name: "stages without a model over it", unit: "ms", values: stages, target: STAGES_TARGET_MS },
    row("times a summary was needed", "×", 0, ({ isFull }) => (isFull ? 1 : 0)),
    row("broken prefixes per 40 rounds", "×", BREAKS_PER_40_TARGET, ({ breaks }) => (breaks * 40) / ROUNDS),
    row("uncached input", "×", UNCACHED_TARGET, ({ uncached }, at) => uncached / (unlimited[at]?.uncached ?? 0)),
    row("Reads of cleared content", "%", REPEATED_TARGET_PERCENT, ({ repeatedPercent }) => repeatedPercent),
  ];
}

type Played = Awaited<ReturnType<typeof play>>;

function elapsedMs(work: () => unknown): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}

function largeHistory(): Conversation {
  const conversation = emptyConversation();
  conversation.append({ kind: "user", message: userMessage("u", "Do the work."), prompt: "Do the work." });
  const line = "const value = compute(12, 'text'); // and so on\n";
  for (let at = 0; at < MESSAGES / 2; at += 1) {
    const use = { type: "tool_use", id: `t${at}`, name: "Read", input: { file_path: `/p/src/file-${at}.ts` } } as const;
    say(conversation, use, line.repeat((MESSAGE_CHARS * 2) / line.length), 0);
  }
  return conversation;
}

/** Plays the rounds in a window. `uncached`: input tokens that no prompt cache would have held. */
async function play(seed: number, windowTokens: number) {
  const conversation = emptyConversation();
  const deps = depsOf(conversation, windowTokens);
  conversation.append({ kind: "user", message: userMessage("u", "Do the work."), prompt: "Do the work." });
  let sent: readonly Message[] = [];
  let uncached = 0;
  let breaks = 0;
  let isFull = false;
  const rounds = mixedRounds(seed, (id) => isCleared(conversation.messages, id));
  for (let round = 0; round < ROUNDS; round += 1) {
    if (isNearlyFull(MODEL, deps)) await compactNow(deps);
    isFull ||= whyNoRoom(MODEL, deps) !== undefined;
    const now = [...conversation.messages];
    const same = now.findIndex((message, at) => message !== sent[at]);
    const fresh = same < 0 ? [] : now.slice(same);
    if (same >= 0 && same < sent.length) breaks += 1;
    uncached += tokensOf(fresh);
    sent = now;
    const { use, result } = rounds.next(`t${round}`);
    say(conversation, use, result, tokensOf(now));
  }
  return { uncached, breaks, isFull, repeatedPercent: rounds.repeatedPercent };
}

function say(conversation: Conversation, use: ToolUseBlock, content: string, inputTokens: number): void {
  const { id } = use;
  const answer: AssistantMessage = {
    role: "assistant",
    id: `a-${id}`,
    model: MODEL.model,
    content: [{ type: "text", text: "I look at the next part of it." }, use],
    stopReason: "tool_use",
    usage: { ...NO_USAGE, inputTokens, outputTokens: 60 },
  };
  conversation.append({ kind: "assistant", message: answer });
  const result = { type: "tool_result", toolUseId: id, content, isError: false } as const;
  conversation.append({ kind: "results", message: { role: "user", id: `r-${id}`, content: [result] } });
}

function isCleared(messages: readonly Message[], toolUseId: string): boolean {
  return messages.some(({ content }) =>
    content.some(
      (block) =>
        block.type === "tool_result" &&
        block.toolUseId === toolUseId &&
        typeof block.content === "string" &&
        block.content.startsWith("[Cleared"),
    ),
  );
}

function tokensOf(messages: readonly Message[]): number {
  return messages.reduce((sum, { content }) => sum + blocksTokens(content), 0);
}

async function compactNow(deps: CompactDeps): Promise<void> {
  const request = { ...MODEL, provider: NO_PROVIDER, why: "full", effort: undefined, thinking: undefined } as const;
  for await (const _ of compact(request, deps, new AbortController().signal));
}

const NO_PROVIDER: Provider = {
  name: "none",
  stream() {
    throw new Error("These stages ask no model.");
  },
};

function depsOf(conversation: Conversation, windowTokens: number): CompactDeps {
  const catalog = modelCatalog();
  const capabilities = { ...catalog.capabilities(MODEL.model), contextWindow: windowTokens };
  return {
    conversation,
    catalog: {
      ...catalog,
      capabilities: () => capabilities,
      resolve: (name) => name,
      cost: async () => 0,
      list: () => [],
    },
    tools: new ModelTools(toolRegistry([])),
    ids: { next: () => crypto.randomUUID() },
    spend: {
      startTurn: () => undefined,
      reserve: async () => ({ settle: async () => undefined }),
      close: async () => undefined,
    },
    hooks: NO_HOOKS,
    hookCommon: () => ({ sessionId: "s", transcriptPath: "", cwd: "/", mode: "default" }),
    compactor: [clearResults({ onlyIfEnough: true }), clearResults()],
    breaker: new CompactionBreaker(),
    toolPorts: { tasks: { list: () => [] } },
    forgetResults: () => undefined,
    describeSession: async () => "",
  };
}

function emptyConversation(): Conversation {
  const log = unsavedSessionLog({ sessionId: "s" });
  return new Conversation({ log, agent: MAIN_AGENT, ids: { next: () => crypto.randomUUID() } }, undefined);
}

function userMessage(id: string, text: string): UserMessage {
  return { role: "user", id, content: [{ type: "text", text }] };
}
