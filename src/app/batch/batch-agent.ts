import { oneLine } from "@quoll/terminal-text/one-line";
import type { AgentDefinition } from "../../contracts/agent-definition.ts";
import type { AgentReport, SpawnedAgent } from "../../contracts/agent-scope.ts";
import { errorMessage } from "../../contracts/errors.ts";
import { NO_USAGE, totalInputTokens } from "../../contracts/message.ts";
import type { AgentEnd } from "../../services/batch/run-inputs.ts";
import type { AgentCall } from "../../services/tools/agent/agent.ts";
import { type Equipment, equipAgent, prepareEquipment } from "../agent/equip-agent.ts";
import { guideNote } from "../agent/guide-note.ts";
import { scopeOf } from "../agent/run-agent.ts";
import { modelNamed } from "../choose-model.ts";
import { requireServers } from "../session/require-servers.ts";
import type { BatchParts } from "./batch-parts.ts";

const MAX_ERROR_COLUMNS = 500;

type Task = {
  readonly definition: AgentDefinition;
  readonly model: string | undefined;
  /** One printable line. */
  readonly description: string;
  readonly prompt: string;
  /** The agent's share of the batch's budget. */
  readonly budget: { readonly usd?: number; readonly tokens?: number } | undefined;
  /** The unit of the spending that is reported. */
  readonly unit: "usd" | "tokens";
  /** Called at each request. @param usd undefined if its price is unknown. */
  spent(usd: number | undefined, tokens: number): void;
  readonly signal: AbortSignal;
};

/** Runs one input in an agent of its own. A fault of the agent is a failed input. @throws an error of `spent`. */
export async function runBatchAgent(task: Task, parts: BatchParts): Promise<AgentEnd> {
  const { clock } = parts.app;
  const startedAt = clock.monotonicMs();
  const spending = new Spending(task, parts);
  let report: AgentReport | undefined;
  let fault: unknown;
  try {
    report = await answer(task, parts, spending);
  } catch (error) {
    fault = error;
  } finally {
    spending.stop();
  }
  spending.assertRecorded();
  const durationMs = Math.round(clock.monotonicMs() - startedAt);
  const { sum } = spending;
  if (task.signal.aborted && report?.reason !== "completed") return { kind: "stopped", spent: sum };
  if (report?.reason === "budget" && sum === 0 && spending.requests === 0)
    return { kind: "refused", message: report.message ?? "A budget is reached." };
  const { text = "", usage = NO_USAGE } = report ?? {};
  const { estimated: _, ...counted } = usage;
  const error = errorOf(report, fault);
  const end = {
    status: error === undefined ? ("done" as const) : ("failed" as const),
    answer: text.trim(),
    ...(error !== undefined && { error }),
    requests: spending.requests,
    usage: counted,
    durationMs,
  };
  return { kind: "ended", end, spent: sum };
}

async function answer(task: Task, parts: BatchParts, spending: Spending): Promise<AgentReport> {
  const { definition, prompt, signal } = task;
  const { main, app } = parts;
  const emit = ({ message }: { readonly message: string }) => parts.tell(message);
  const equipping = {
    ...parts,
    guide: () => guideNote(parts.artifacts),
    requireServers: (names: readonly string[], aborted: AbortSignal) =>
      requireServers(names, parts.servers(), { clock: app.clock, signal: aborted }),
  };
  await prepareEquipment(definition, equipping, signal);
  const scope = await scopeOf(callOf(task), scopeParts(parts), { emit, forkPoint: () => null });
  const budget = task.budget && { budget: task.budget };
  const agent = await main.spawn({ ...scope, ...budget, parentToolUseId: app.ids.next() }, signal);
  let equipment: Equipment | undefined;
  try {
    spending.follow(agent);
    equipment = await equipAgent(definition, { agent, prompt }, equipping, { signal, emit });
    return await agent.run(equipment.prompt, signal);
  } finally {
    equipment?.end();
    // A fault while an agent is closed must not hide its answer.
    await agent.close().catch(() => undefined);
  }
}

function callOf({ definition, description, prompt, model }: Task): AgentCall {
  const none = { allowedTools: undefined, maxTurns: undefined, budgetTokens: undefined, expect: undefined };
  return { definition, description, prompt, model, ...none, isBackground: false, isIsolated: false };
}

function scopeParts({ main, access, catalog, place }: BatchParts) {
  return {
    offered: () => main.registry.names,
    notesPlace: place,
    hasModel: (name: string) =>
      modelNamed(name, access, catalog).then(
        () => true,
        () => false,
      ),
  };
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

/** Why the input failed, in one line; undefined if its agent answered. */
function errorOf(report: AgentReport | undefined, fault: unknown): string | undefined {
  if (!report) return oneLine(errorMessage(fault), MAX_ERROR_COLUMNS);
  if (report.reason === "completed") return report.text.trim() === "" ? "It ended without an answer." : undefined;
  return oneLine(report.message ?? WHY.get(report.reason) ?? report.reason, MAX_ERROR_COLUMNS);
}

const WHY: ReadonlyMap<string, string> = new Map([
  ["step_limit", "It was stopped at its limit of requests."],
  ["aborted", "It was stopped."],
]);
