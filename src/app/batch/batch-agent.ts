import { oneLine } from "@quoll/terminal-text/one-line";
import type { AgentScope, SpawnedAgent } from "../../contracts/agent-scope.ts";
import { errorMessage } from "../../contracts/errors.ts";
import { NO_USAGE, totalInputTokens } from "../../contracts/message.ts";
import type { TaskInfo } from "../../contracts/task.ts";
import { type AgentOutcome, checkWords, endPhrase } from "../../services/agents/agent-result.ts";
import type { AgentEnd } from "../../services/batch/run-inputs.ts";
import type { AgentCall } from "../../services/tools/agent/agent.ts";
import { prepareEquipment } from "../agent/equip-agent.ts";
import { scopeOf, startAgent } from "../agent/run-agent.ts";
import type { BatchParts } from "./batch-parts.ts";

const MAX_ERROR_COLUMNS = 500;

type RunParts = Pick<BatchParts, "main" | "spend">;

type Task = Pick<AgentCall, "definition" | "model" | "description" | "prompt" | "isIsolated" | "expect"> & {
  /** The agent's share of the batch's budget. */
  readonly budget: { readonly usd?: number; readonly tokens?: number } | undefined;
  /** The unit of the spending that is reported. */
  readonly unit: "usd" | "tokens";
  /** Called at each request. @param usd The cost in US dollars; undefined if the price is unknown. */
  spent(usd: number | undefined, tokens: number): void;
  readonly signal: AbortSignal;
};

/** Runs one input in a separate agent. If the agent fails, the input fails. @throws an error that `spent` throws. */
export async function runBatchAgent(task: Task, parts: RunParts): Promise<AgentEnd> {
  const { clock } = parts.main.session.app;
  const startedAt = clock.monotonicMs();
  const spending = new Spending(task, parts);
  const ended = await endOf(task, parts, spending);
  spending.stop();
  spending.assertRecorded();
  const durationMs = Math.round(clock.monotonicMs() - startedAt);
  const { sum, requests } = spending;
  const { report, kept, check } = ended.outcome ?? {};
  if (task.signal.aborted && report?.reason !== "completed") return { kind: "stopped", spent: sum };
  if (report?.reason === "budget" && sum === 0 && requests === 0)
    return { kind: "refused", message: report.message ?? "A budget is reached." };
  const { text = "", usage = NO_USAGE } = report ?? {};
  const { estimated: _, ...counted } = usage;
  const error = errorOf(ended);
  const end = {
    status: error === undefined ? ("done" as const) : ("failed" as const),
    answer: text.trim(),
    ...(error !== undefined && { error: oneLine(error, MAX_ERROR_COLUMNS) }),
    requests,
    usage: counted,
    durationMs,
    ...(check?.state === "kept" && { contract: check.state }),
    ...(check?.state === "broken" && { contract: check.state, broken: [...check.broken] }),
    ...(kept && { worktree: kept }),
  };
  return { kind: "ended", end, spent: sum };
}

/** Without an outcome, the agent could not start or was cut off. */
type Ended = { readonly outcome?: AgentOutcome; readonly fault?: unknown; readonly info?: TaskInfo | undefined };

/** Runs the agent with the parts of the tool Agent; the batch takes the role of the call. Never rejects. */
async function endOf(task: Task, { main }: RunParts, spending: Spending): Promise<Ended> {
  const { signal } = task;
  const { app, notices } = main.session;
  let run: ReturnType<typeof startAgent> | undefined;
  try {
    const parts = await main.runParts();
    const call = callOf(task);
    await prepareEquipment(task.definition, parts, signal);
    const emit = ({ message }: { readonly message: string }) => notices.notify(message);
    const scope = await scopeOf(call, parts, { emit, forkPoint: () => null });
    const own = { ...scope, parentToolUseId: app.ids.next() };
    const { agent, tasks } = main.toolPorts;
    const spawnAgent = async (wanted: AgentScope, aborted?: AbortSignal) => {
      const spawned = await main.spawn(wanted, aborted);
      spending.follow(spawned);
      return spawned;
    };
    run = startAgent({ call, scope: own, context: { agent, tasks, spawnAgent }, isOfBatch: true }, parts);
    return { outcome: await run.finished(signal, "batch"), info: run.info };
  } catch (fault) {
    return { fault, info: run?.info };
  }
}

function callOf({ definition, description, prompt, model, budget, isIsolated, expect }: Task): AgentCall {
  const none = { allowedTools: undefined, maxTurns: undefined };
  const limits = { budgetTokens: budget?.tokens, budgetUsd: budget?.usd };
  return { definition, description, prompt, model, ...none, ...limits, expect, isBackground: false, isIsolated };
}

/** The reason why the input failed; undefined if its agent answered. */
function errorOf({ outcome, fault, info }: Ended): string | undefined {
  if (info?.status === "cancelled") return info.state;
  if (!outcome) return errorMessage(fault);
  const { phrase, isError } = endPhrase(outcome.report);
  const { check } = outcome;
  const parts = [...(isError ? [phrase] : []), ...(check?.state === "broken" ? [checkWords(check)] : [])];
  return parts.length > 0 ? parts.join("; ") : undefined;
}

/** The spending of one agent and the agents below it. */
class Spending {
  readonly #task: Task;
  readonly #unwatch: () => void;
  #agentId: string | undefined;
  #fault: unknown;
  sum = 0;
  requests = 0;

  constructor(task: Task, { spend }: Pick<BatchParts, "spend">) {
    this.#task = task;
    const unwatch = spend.watch?.(({ agentIds, usage, usd }) => {
      if (this.#agentId === undefined || !agentIds?.includes(this.#agentId)) return;
      this.#add(usd, totalInputTokens(usage) + usage.outputTokens);
    });
    this.#unwatch = () => unwatch?.();
  }

  follow({ source }: Pick<SpawnedAgent, "source">): void {
    this.#agentId = source.agentId;
  }

  stop(): void {
    this.#unwatch();
  }

  /** @throws the first error of a record that could not be written. */
  assertRecorded(): void {
    if (this.#fault !== undefined) throw this.#fault;
  }

  #add(usd: number | undefined, tokens: number): void {
    this.requests += 1;
    this.sum += this.#task.unit === "usd" ? (usd ?? 0) : tokens;
    try {
      this.#task.spent(usd, tokens);
    } catch (error) {
      this.#fault ??= error;
    }
  }
}
