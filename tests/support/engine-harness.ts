import type { Scenario } from "@quoll/model-twin/scenario";
import { startTwin } from "@quoll/model-twin/server";
import { z } from "zod";
import { MAIN_AGENT } from "../../src/contracts/agent.ts";
import type { Checkpoints } from "../../src/contracts/checkpoint.ts";
import type { CompactionStage } from "../../src/contracts/compactor.ts";
import type { NoteFault } from "../../src/contracts/debug.ts";
import { defineTool, inputSchemaOf } from "../../src/contracts/define-tool.ts";
import type { EngineEvent } from "../../src/contracts/event.ts";
import { type Hooks, NO_HOOKS } from "../../src/contracts/hook.ts";
import type { Message } from "../../src/contracts/message.ts";
import type { PermissionEngine, PermissionRequest, Verdict } from "../../src/contracts/permission.ts";
import type { Clock, Ids, ModelCatalog, Redactor } from "../../src/contracts/ports.ts";
import type { Provider, ProviderRequest } from "../../src/contracts/provider.ts";
import type { Asker, Questions } from "../../src/contracts/question.ts";
import { type Entry, type EntryBody, makeEntry, type SessionLog } from "../../src/contracts/session.ts";
import type { Charge, SpendGuard } from "../../src/contracts/spend.ts";
import { makeGrant, type Subject } from "../../src/contracts/subject.ts";
import { declareTool, type Level, type Tool, type ToolResult, textResult } from "../../src/contracts/tool.ts";
import type { WindowSettings } from "../../src/contracts/window-limits.ts";
import type { EngineOptions } from "../../src/engine/engine-deps.ts";
import { ModelTools } from "../../src/engine/model-tools.ts";
import { QueryEngine } from "../../src/engine/query-engine.ts";
import { SessionState } from "../../src/engine/session-state.ts";
import { randomIds, systemClock } from "../../src/platform/clock.ts";
import { clearResults } from "../../src/services/context/compaction/clear-results.ts";
import { toolRegistry } from "../../src/services/inventory/create-registry.ts";
import { anthropicProvider } from "../../src/services/provider/anthropic/anthropic-provider.ts";
import { modelCatalog } from "../../src/services/provider/catalog.ts";
import { unsavedSessionLog } from "../../src/services/session/unsaved-session-log.ts";
import { WAIT_MS } from "./eventually.ts";
import { toolPorts } from "./tool-context.ts";

/** Ids that count: `id-1`, `id-2` … */
export function countedIds(prefix = "id"): Ids {
  let count = 0;
  return { next: () => `${prefix}-${++count}` };
}

/** Keeps what was appended, in order, with the points at which it was synced (`"sync"`). */
export function recordingLog(earlier: readonly Entry[] = [], file?: SessionLog) {
  const written: (EntryBody | "sync")[] = [];
  const kept = file ?? unsavedSessionLog({ sessionId: "session-1", entries: earlier, ids: countedIds("entry") });
  const entries: Entry[] = [];
  const log: SessionLog = {
    sessionId: kept.sessionId,
    append: (body, place) => {
      written.push(body);
      const entry = kept.append(body, place);
      entries.push(entry);
      return entry;
    },
    sync: async () => void written.push("sync"),
    pathTo: (entryId, kinds) => kept.pathTo(entryId, kinds),
    viewTo: (entryId) => kept.viewTo(entryId),
    linksTo: (entryId) => kept.linksTo(entryId),
  };
  return { log, written, entries };
}

/** A session in which these messages were said. */
export function restoredOf(messages: readonly Message[]) {
  let lastId: string | null = null;
  const entries = messages.map((message, at) => {
    const place = { parentId: lastId, agent: MAIN_AGENT };
    lastId = `restored-${at}`;
    return makeEntry(bodyOf(message), place, { id: lastId, now: 0 });
  });
  return { entries, lastId };
}

function bodyOf(message: Message): EntryBody {
  if (message.role === "assistant") return { kind: "assistant", message };
  if (message.content.some(({ type }) => type === "tool_result")) return { kind: "results", message };
  return { kind: "user", message, prompt: "" };
}

type ToolOptions = {
  readonly level?: Level;
  readonly safe?: boolean;
  readonly subjects?: readonly Subject[];
  readonly prepare?: () => void;
  readonly run?: (text: string, signal: AbortSignal) => Promise<ToolResult>;
};

/** A real tool with a scripted effect: input `{ text }`. */
export function testTool(
  name: string,
  { level = "read", safe = level === "read", subjects = [], prepare, run }: ToolOptions = {},
): Tool {
  const input = z.object({ text: z.string() });
  const spec = declareTool({
    name,
    summary: name,
    description: `Test tool ${name}.`,
    level,
    inputSchema: inputSchemaOf(input),
  });
  return defineTool(spec, input, async ({ text }, { signal }) => {
    prepare?.();
    return {
      level,
      concurrencySafe: safe,
      subjects,
      title: text,
      run: () => run?.(text, signal) ?? Promise.resolve(textResult(`${name}: ${text}`)),
    };
  });
}

/** A permission engine that answers as the test says; allows by default. */
export function answering(
  answer: (request: PermissionRequest) => Verdict | undefined = () => undefined,
): PermissionEngine {
  return {
    mode: "default",
    authorize: async (request) =>
      answer(request) ?? {
        decision: "allow",
        grant: makeGrant({
          toolUseId: request.toolUseId,
          confinement: "none",
          decidedBy: { kind: "default", reason: "test" },
          notes: [],
        }),
      },
    hiddenTools: () => new Set(),
    matches: () => true,
    describe: () => [],
  };
}

/** Waits between tries take no time; the long watches for silence never strike. */
export const hastySleep: Clock["sleep"] = (ms, signal) => systemClock.sleep(ms < 20_000 ? 0 : 2 ** 30, signal);

const NO_QUESTIONS: Questions = {
  pending: [],
  reply: () => false,
  answerWith: () => () => undefined,
  subscribe: () => () => undefined,
};

/** Finds no secret anywhere. */
export const NO_SECRETS: Redactor = {
  redact: (text) => text,
  restore: async (text) => text,
  placeholdersIn: () => [],
};

type HarnessOptions = {
  readonly scenario: Scenario;
  readonly tools?: readonly Tool[];
  /** In place of `tools`. */
  readonly modelTools?: ModelTools;
  readonly permissions?: PermissionEngine;
  readonly messages?: readonly Message[];
  readonly maxSteps?: number;
  readonly saved?: string[];
  readonly redactor?: Redactor;
  readonly onRedactor?: () => void;
  readonly hooks?: Hooks;
  readonly asker?: Asker;
  readonly sleep?: Clock["sleep"];
  readonly monotonicMs?: Clock["monotonicMs"];
  readonly now?: Clock["now"];
  readonly spend?: SpendGuard;
  readonly noteFault?: NoteFault;
  readonly respondsToShell?: () => boolean;
  readonly compactor?: readonly CompactionStage[];
  /** Wraps the adapter for the engine. */
  readonly watch?: (provider: Provider) => Provider;
  readonly selectModel?: (name: string) => Promise<{ readonly provider: Provider; readonly model: string }>;
  /** A log of a file, and what was restored of it, in place of one in memory. */
  readonly session?: Pick<EngineOptions, "restored"> & { readonly log: SessionLog };
  /** Of the model, perhaps another one later; its real one if left out. */
  readonly windowTokens?: number | (() => number);
  readonly model?: string;
  readonly windowSettings?: WindowSettings;
  /** The model that writes summaries: of the same provider. */
  readonly summaryModel?: string;
  readonly describeSession?: () => Promise<string>;
  readonly checkpoints?: Checkpoints;
  readonly options?: Pick<EngineOptions, "fallbackModels" | "turnBudgetTokens" | "shape"> &
    Pick<ProviderRequest, "effort" | "thinking">;
};

/** No person can answer. */
export const NOBODY: Asker = { canAsk: false, ask: async () => ({ decision: "reject" }) };

/** Lets everything be spent. */
export const NO_CAPS: SpendGuard = {
  startTurn: () => undefined,
  reserve: async () => ({ settle: async () => undefined }),
  close: async () => undefined,
};

/** Lets everything be spent, and tells what it costs. */
export function pricedSpend(catalog: Pick<ModelCatalog, "cost">): SpendGuard {
  const listeners = new Set<(charge: Charge) => void>();
  return {
    ...NO_CAPS,
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    reserve: async ({ source, model }) => ({
      async settle(usage) {
        if (!usage) return;
        const usd = await catalog.cost(model, usage);
        for (const listener of listeners) listener({ source, model, usage, usd });
      },
    }),
  };
}

function windowed(catalog: ModelCatalog, given: HarnessOptions["windowTokens"]): ModelCatalog {
  if (given === undefined) return catalog;
  const capabilities = (model: string) => {
    const { maxOutputTokens, ...rest } = catalog.capabilities(model);
    const windowTokens = typeof given === "number" ? given : given();
    return { ...rest, contextWindow: windowTokens, maxOutputTokens: Math.min(maxOutputTokens, windowTokens / 8) };
  };
  const { resolve, cost, list } = catalog;
  return {
    resolve: (name) => resolve.call(catalog, name),
    cost: (...given) => cost.call(catalog, ...given),
    list: () => list.call(catalog),
    capabilities,
  };
}

const workspace = { cwd: "/" };

/** The same permissions with their mode in the state, as the permission engine keeps it. */
function followingMode(permissions: PermissionEngine, state: SessionState): PermissionEngine {
  return {
    authorize: (request, signal) => permissions.authorize(request, signal),
    hiddenTools: (names) => permissions.hiddenTools(names),
    matches: (rule, request) => permissions.matches(rule, request),
    describe: () => permissions.describe(),
    get mode() {
      return state.mode;
    },
    set mode(mode) {
      state.mode = mode;
    },
  };
}

/** The real engine and Anthropic adapter, talking over real HTTP to a twin. */
export async function engineHarness({
  scenario,
  tools = [],
  modelTools,
  permissions = answering(),
  messages,
  maxSteps,
  saved = [],
  redactor = NO_SECRETS,
  onRedactor = () => undefined,
  hooks = NO_HOOKS,
  asker = NOBODY,
  sleep = systemClock.sleep,
  monotonicMs = systemClock.monotonicMs,
  now = systemClock.now,
  spend,
  noteFault,
  respondsToShell,
  compactor = [clearResults()],
  watch = (provider) => provider,
  selectModel,
  session,
  windowTokens,
  model: name = "default",
  windowSettings,
  summaryModel,
  describeSession = async () => "<environment>test</environment>",
  checkpoints,
  options: { effort, thinking, ...options } = {},
}: HarnessOptions) {
  const twin = await startTwin({ scenario });
  const catalog = windowed(modelCatalog(), windowTokens);
  const restored = session ? session.restored : messages && restoredOf(messages);
  const { log, written, entries } = recordingLog(restored?.entries, session?.log);
  const adapter = anthropicProvider({
    apiKey: "key",
    baseUrl: twin.url,
    catalog,
    clock: { ...systemClock, sleep: hastySleep },
    random: () => 0.5,
  });
  const provider = watch(adapter);
  const model = catalog.resolve(name);
  const state = new SessionState({
    ...{ mode: permissions.mode, effort, thinking },
    model: { provider, model },
    workspace,
  });
  const forgotten: string[] = [];
  const engine = new QueryEngine(
    {
      state,
      catalog,
      clock: { ...systemClock, sleep, monotonicMs, now },
      // The entries in a file have ids of an earlier process.
      ids: session ? randomIds : countedIds(),
      agent: MAIN_AGENT,
      log,
      permissions: followingMode(permissions, state),
      questions: NO_QUESTIONS,
      toolPorts: toolPorts(),
      tools: modelTools ?? new ModelTools(toolRegistry(tools)),
      artifacts: {
        directory: "/artifacts",
        save: async (name, content) => {
          saved.push(String(content));
          return `/artifacts/${name}`;
        },
      },
      cwd: () => state.cwd,
      redactor: async () => {
        onRedactor();
        return redactor;
      },
      system: "You are a test.",
      hooks,
      ...(noteFault && { noteFault }),
      ...(respondsToShell && { respondsToShell }),
      ...(windowSettings && { windowSettings }),
      ...(summaryModel !== undefined && {
        summaryModel: async () => ({ provider, model: catalog.resolve(summaryModel) }),
      }),
      asker,
      spend: spend ?? pricedSpend(catalog),
      compactor,
      transcriptPath: "/sessions/session-1.jsonl",
      describeSession,
      ...(checkpoints && { checkpoints }),
      selectModel: selectModel ?? (async () => ({ provider, model })),
      forgetFiles: () => undefined,
      forgetResults: (ids) => void forgotten.push(...ids),
      endBackgroundWork: async () => [],
    },
    {
      ...(restored && { restored }),
      ...(maxSteps !== undefined && { maxSteps }),
      ...options,
    },
  );
  const events: EngineEvent[] = [];
  engine.subscribe(({ event }) => void events.push(event));
  return {
    engine,
    state,
    twin,
    events,
    written,
    entries,
    log,
    /** Calls whose results the model no longer sees. */
    forgotten,
    types: () => events.map(({ type }) => type).filter((type) => !type.endsWith("_delta")),
    [Symbol.asyncDispose]: async () => {
      await engine.close();
      await twin.close();
    },
  };
}

/** Checks that every tool_use has exactly one tool_result in the next message, and every result its use. */
export function pairingProblems(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message, index) => {
    const uses =
      message.role === "assistant" ? message.content.flatMap((b) => (b.type === "tool_use" ? [b.id] : [])) : [];
    const next = messages[index + 1];
    const results =
      next?.role === "user" ? next.content.flatMap((b) => (b.type === "tool_result" ? [b.toolUseId] : [])) : [];
    if (message.role === "assistant" && JSON.stringify(uses) !== JSON.stringify(results))
      return [`${message.id}: ${uses} answered by ${results}`];
    return [];
  });
}

/** So many looks come one after the other, since most waits are for what this process does next. */
const EAGER_LOOKS = 100;
/** Between the later looks: looking all the time would take the processor from what is waited for. */
const LOOK_MS = 1;

/** Resolves when `check` holds; looks after each of the next turns of the event loop, then each millisecond. */
export async function until(check: () => boolean): Promise<void> {
  const end = performance.now() + WAIT_MS;
  for (let looks = 0; !check(); looks += 1) {
    if (performance.now() > end) throw new Error(`Never came true: ${check}`);
    await (looks < EAGER_LOOKS ? new Promise((resolve) => setImmediate(resolve)) : Bun.sleep(LOOK_MS));
  }
}
