import { dirname, join } from "node:path";
import { formatDuration } from "@quoll/terminal-text/format-amount";
import { oneLine } from "@quoll/terminal-text/one-line";
import { afterSleep } from "../../contracts/after-sleep.ts";
import type { AgentScope, AgentSign, SpawnedAgent } from "../../contracts/agent-scope.ts";
import type { Progress } from "../../contracts/display.ts";
import { asToolError, errorMessage, ToolFailedError } from "../../contracts/errors.ts";
import type { SpendGuard } from "../../contracts/spend.ts";
import {
  type AgentMessage,
  endsWithOwner,
  isOpenTask,
  type RunningTask,
  type TaskInfo,
  type TaskWork,
  taskName,
} from "../../contracts/task.ts";
import type { ToolContext, ToolEvent } from "../../contracts/tool.ts";
import type { AgentPool } from "../../services/agents/agent-pool.ts";
import {
  type AgentOutcome,
  type AgentResult,
  agentResult,
  firstLineOf,
  withCheck,
  withLines,
} from "../../services/agents/agent-result.ts";
import { AgentLog } from "../../services/agents/io/agent-log.ts";
import type { AgentCall } from "../../services/tools/agent/agent.ts";
import type { AgentWorktree } from "../worktree/agent-worktree.ts";
import { AgentActivity, followCost } from "./agent-activity.ts";
import type { AgentContract, FilesBefore } from "./agent-contract.ts";
import { AgentLines, MAX_LINE_COLUMNS } from "./agent-lines.ts";
import { AgentMailbox } from "./agent-mailbox.ts";
import { type Equipment, type EquipParts, equipAgent, prepareEquipment } from "./equip-agent.ts";
import { openContract } from "./open-contract.ts";
import { StallWatch } from "./stall-watch.ts";
import { TimeLimit } from "./time-limit.ts";

export type AgentRunDeps = EquipParts & {
  readonly pool: AgentPool;
  /** Milliseconds after which a waiting call continues without the agent; undefined for never. */
  readonly toBackgroundMs?: number | undefined;
  /** The maximum silence of an agent before the person is told, in milliseconds; 0 disables the alarm. */
  readonly stallMs: number;
  /** Reports the requests of all agents. */
  readonly watchSpend: SpendGuard["watch"];
  /** The maximum working time of an agent; undefined for no limit. */
  readonly timeLimitMs?: number | undefined;
  /**
   * Makes a worktree for one agent, or opens the existing worktree of this name.
   * @throws {ToolFailedError} the worktree can't be made.
   */
  openWorktree(name: string | undefined, signal: AbortSignal): Promise<AgentWorktree>;
};

/** The agent that starts another agent. `toolUseId`: the call that starts the agent; undefined if no call does. */
type AgentContext = Pick<ToolContext, "agent" | "tasks" | "spawnAgent"> & { readonly toolUseId?: string };

export type AgentRequest = {
  readonly call: AgentCall;
  readonly scope: AgentScope;
  readonly context: AgentContext;
  /** True if a batch waits for the agent. */
  readonly isOfBatch?: boolean;
  /** The name of the worktree in which a continued agent has worked. */
  readonly worktreeName?: string | undefined;
  /** The files of the agent's contract before the agent first started. */
  readonly filesBefore?: FilesBefore | undefined;
  /** The mailbox of a continued agent. */
  readonly mailbox?: AgentMailbox;
};

/** The fields that the tasks of all agents have in common. */
export const AGENT_TASK = { kind: "agent", can: ["message", "resume", "answer"], status: "queued" } as const;

export function summaryOf(title: string, description: string): string {
  return description.trim() === "" ? title : description;
}

/**
 * One agent from its place in the queue to its end. The agent works until `stop`, whether or not a call waits for it.
 */
export class AgentRun implements TaskWork {
  readonly #request: AgentRequest;
  readonly #deps: AgentRunDeps;
  readonly #running: RunningTask;
  readonly #over = new AbortController();
  readonly #released = Promise.withResolvers<"released">();
  readonly #lines = new AgentLines((text) => this.#log?.add(text));
  readonly mailbox: AgentMailbox;
  #earlier: AgentScope["earlier"];
  #worktreeName: string | undefined;
  #filesBefore: FilesBefore | undefined;
  /** The id of the task in which the agent was continued. */
  #nextId: string | undefined;
  #log: AgentLog | undefined;
  #outcome: AgentOutcome | undefined;
  #work: Promise<AgentOutcome> | undefined;
  #report: ((progress: Progress) => void) | undefined;
  /** Only a call can continue without its agent. */
  readonly release?: () => void;

  constructor(request: AgentRequest, deps: AgentRunDeps, running: RunningTask) {
    this.#request = request;
    this.#deps = deps;
    this.#running = running;
    this.#filesBefore = request.filesBefore;
    this.mailbox = request.mailbox ?? new AgentMailbox(this);
    this.mailbox.moveTo(this);
    if (request.context.toolUseId !== undefined) this.release = () => this.#released.resolve("released");
  }

  get info(): TaskInfo {
    return this.#running.info;
  }

  /** Joins the queue of the pool, and works when its turn comes. */
  start(): void {
    this.#log = new AgentLog(this.#running.info.outputFile, this.#deps.session.work.store.fault);
    const { call, isOfBatch } = this.#request;
    this.#log.add(`${this.#running.info.title}\n${call.prompt}\n`);
    const { signal } = this.#over;
    const urgency = () => (isOfBatch ? "batch" : this.#running.info.isBackground ? "background" : "awaited");
    this.#work = this.#deps.pool.run(() => this.#inPool(signal), signal, urgency);
    // A background agent has no caller that could receive its failure.
    this.#work.catch((error: unknown) => {
      const state = `failed: ${oneLine(errorMessage(error), MAX_LINE_COLUMNS)}`;
      this.#running.end({ status: "failed", state });
      this.#log?.end(`[${this.#running.info.state}]`);
    });
  }

  /**
   * Waits for the agent's end. When `signal` aborts, the agent is stopped.
   * @returns `released` if the agent was moved to the background.
   * @throws {ToolFailedError} the agent can't start.
   */
  async awaited(signal: AbortSignal, report: (progress: Progress) => void): Promise<AgentOutcome | "released"> {
    const waiting = new AbortController();
    this.#report = report;
    this.#releaseLater(waiting.signal);
    try {
      return await this.#attended(Promise.race([this.#started(), this.#released.promise]), signal, "turn");
    } finally {
      waiting.abort(new Error("The wait is over."));
      this.#report = undefined;
    }
  }

  /** Waits for the agent's end like `awaited`, for a batch or a person's command, which always wait to the end. */
  finished(signal: AbortSignal, waiter: "batch" | "command"): Promise<AgentOutcome> {
    return this.#attended(this.#started(), signal, waiter);
  }

  /** @param waiter Names the batch or command that the person interrupts. */
  async #attended<End>(ended: Promise<End>, signal: AbortSignal, waiter: "turn" | "batch" | "command"): Promise<End> {
    const onAbort = () => {
      this.#running.end({ status: "cancelled", state: `was stopped with its ${waiter}` });
      this.#over.abort(signal.reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    return ended.finally(() => signal.removeEventListener("abort", onAbort));
  }

  async stop(): Promise<void> {
    this.#over.abort(new Error("The agent was stopped."));
    await this.#work?.catch(() => undefined);
  }

  /** @throws {ToolFailedError} the agent never started. */
  continueWith({ message: prompt, description = this.#running.info.description }: AgentMessage): TaskInfo {
    const { call, scope, context } = this.#request;
    const { id, toolUseId, outputFile, agent } = this.#running.info;
    const title = `${call.definition.name}: ${description}`;
    const earlier = this.#earlier;
    if (!earlier || !agent) throw new ToolFailedError(`${id} never started, so it can't continue. Start a new agent.`);
    // The earlier task had its own cost.
    const { costUsd: _, ...known } = agent;
    const about = {
      ...AGENT_TASK,
      owner: context.agent,
      title,
      description,
      summary: summaryOf(title, description),
      ...(toolUseId !== undefined && { toolUseId }),
      outputFile: (next: string) => join(dirname(outputFile), `${next}.log`),
      agent: { ...known, activity: "starting", calls: 0 },
    };
    const worktreeName = this.#worktreeName;
    const next = { call: { ...call, prompt, description }, scope: { ...scope, label: title, earlier }, context };
    const request = { ...next, worktreeName, filesBefore: this.#filesBefore, mailbox: this.mailbox };
    let run: AgentRun | undefined;
    const task = context.tasks.add(about, (running) => {
      run = new AgentRun(request, this.#deps, running);
      return run;
    });
    this.#nextId = task.id;
    run?.start();
    return task;
  }

  /** The agent reports its own end. */
  async refresh(): Promise<void> {}

  async read(isOver: boolean): Promise<string> {
    if (isOver && this.#outcome) {
      const { answer } = this.#outcome.result;
      return this.#nextId === undefined ? answer : `${answer}\n[went on as ${this.#nextId}]`;
    }
    return this.#lines.take();
  }

  #started(): Promise<AgentOutcome> {
    return this.#work ?? Promise.reject(new Error("The agent was not started."));
  }

  #releaseLater(signal: AbortSignal): void {
    const { session, toBackgroundMs } = this.#deps;
    if (toBackgroundMs === undefined) return;
    const { id } = this.#running.info;
    afterSleep(session.app.clock.sleep(toBackgroundMs, signal), () => {
      const { info } = this.#running;
      if (isOpenTask(info) && !info.isBackground) this.#request.context.tasks.moveToBackground(id);
    });
  }

  async #inPool(signal: AbortSignal): Promise<AgentOutcome> {
    this.#running.begin();
    const { call, worktreeName } = this.#request;
    const worktree = call.isIsolated ? await this.#deps.openWorktree(worktreeName, signal) : undefined;
    if (worktree) this.#log?.add(worktree.note);
    this.#worktreeName = worktree?.name;
    if (worktree) this.#running.note({ worktree: worktree.name });
    try {
      return await this.#workIn(worktree, signal);
    } finally {
      await worktree?.leave();
    }
  }

  async #workIn(worktree: AgentWorktree | undefined, signal: AbortSignal): Promise<AgentOutcome> {
    const { call, scope, context } = this.#request;
    const startedAt = this.#deps.session.app.clock.monotonicMs();
    const elapsed = () => this.#deps.session.app.clock.monotonicMs() - startedAt;
    if (scope.earlier) await prepareEquipment(call.definition, this.#deps, signal);
    const here = { ...scope, type: call.definition.name, ...(worktree && { checkout: worktree.checkout }) };
    const agent = await context.spawnAgent(here, signal).catch(asToolError);
    this.#running.note({ agentId: agent.source.agentId, model: agent.model });
    const activity = new AgentActivity(elapsed, () => this.#reportActivity(activity, elapsed()));
    const uncount = followCost(this.#deps.watchSpend, agent.source.agentId, (costUsd) =>
      this.#running.note({ costUsd }),
    );
    const silence = this.#watchSilence();
    const limit = this.#limitTime();
    const unfollow = agent.follow((sign) => this.#noteSign(sign, activity, silence));
    // The conversation of a continued agent already has the texts of its skills.
    const definition = scope.earlier ? { ...call.definition, skills: [] } : call.definition;
    let equipment: Equipment | undefined;
    let contract: AgentContract | undefined;
    try {
      // The call may have ended, so notices go to the person directly.
      const emit = ({ message }: ToolEvent) => this.#deps.session.notices.notify(message);
      const asked = worktree ? `${worktree.note}\n\n${call.prompt}` : call.prompt;
      equipment = await equipAgent(definition, { agent, prompt: asked }, this.#deps, { signal, emit });
      const known = this.#request.filesBefore;
      contract = await openContract({ agent, expect: call.expect, worktree, known }, signal);
      this.#filesBefore = contract?.filesBefore;
      const prompt = [equipment.prompt, ...this.mailbox.open((message) => agent.send(message))].join("\n\n");
      const { report: ended, check } = (await contract?.run(prompt, signal)) ?? {
        report: await agent.run(prompt, signal),
      };
      this.mailbox.close();
      const isStopped = ended.reason === "aborted";
      const report = isStopped && limit.isOver ? { ...ended, reason: "time_limit", message: limit.words } : ended;
      const who = `${call.definition.name} ${taskName(this.#running.info)}`;
      const answer = agentResult(report, { ...activity.counts, who, durationMs: elapsed() });
      const checked = withCheck(answer, check);
      const commands = this.#endingCommands(agent);
      // The work can be counted only when no process of the agent runs any more.
      if (worktree) await closed(agent);
      const left = await worktree?.leave();
      const result = withLines(checked, [...commands, ...(left ? [`[${left.said}]`] : [])]);
      const outcome = { result, report, ...(check && { check }), ...(left?.kept && { kept: left.kept }) };
      this.#outcome = outcome;
      this.#reportActivity(activity, elapsed());
      // The next request of the parent has the tools that it had before.
      await equipment.giveBack();
      this.#end(result, isStopped);
      return outcome;
    } finally {
      const { lastId } = agent;
      if (lastId !== null) this.#earlier = { agentId: agent.source.agentId, lastId };
      unfollow();
      uncount();
      silence.end();
      limit.end();
      equipment?.end();
      await equipment?.giveBack();
      await contract?.close();
      activity.end();
      await closed(agent);
      this.#takeLateMessages();
    }
  }

  #noteSign(sign: AgentSign, activity: AgentActivity, silence: Pick<StallWatch, "noteLife">): void {
    this.#lines.note(sign);
    activity.note(sign);
    silence.noteLife(activity.isAsking);
  }

  /** Background commands end with the agent; its parent could expect that they still run. */
  #endingCommands({ source }: SpawnedAgent): readonly string[] {
    const own = this.#request.context.tasks.list().filter(({ agentId }) => agentId === source.agentId);
    return own
      .filter(endsWithOwner)
      .map(
        ({ id, title }) =>
          `[${id} (${oneLine(title, MAX_LINE_COLUMNS)}) still ran and was ended with the agent: start it yourself if you need it]`,
      );
  }

  /** A message that came after the last turn is not lost. */
  #takeLateMessages(): void {
    const late = this.mailbox.takeUnread(this);
    if (late.length === 0 || this.#over.signal.aborted) return;
    try {
      this.continueWith({ message: late.join("\n\n") });
    } catch (error) {
      this.#deps.session.notices.notify(`A message to ${this.#running.info.id} was lost: ${errorMessage(error)}`);
    }
  }

  #watchSilence(): StallWatch {
    const { session, stallMs: limitMs } = this.#deps;
    const state = `has shown no activity for ${formatDuration(limitMs)}`;
    let isTold = false;
    return new StallWatch({
      limitMs,
      monotonicMs: () => session.app.clock.monotonicMs(),
      stalled: () => {
        this.#running.remark(state);
        const { id, title } = this.#running.info;
        if (!isTold) session.notices.notify(`Agent ${id} (${title}) ${state}.`);
        isTold = true;
      },
      revived: () => this.#running.remark(undefined),
    });
  }

  #limitTime(): TimeLimit {
    const reached = () => this.#over.abort(new Error("The agent reached its time limit."));
    return new TimeLimit(this.#deps.timeLimitMs, reached);
  }

  /** The final state is set before the agent is closed, because closing may take a while. */
  #end({ answer, phrase, summary, isError, said = "" }: AgentResult, isStopped: boolean): void {
    const status = isStopped ? "cancelled" : isError ? "failed" : "completed";
    const result = firstLineOf(said);
    this.#running.end({ status, state: summary, phrase, answer, ...(result !== "" && !isError && { result }) });
    this.#log?.end(`[${this.#running.info.state}]`);
  }

  #reportActivity(activity: AgentActivity, elapsedMs: number): void {
    const { doing, isAsking, tokens, calls, lastTool } = activity;
    this.#running.note({ activity: doing, isAsking, tokens, calls, ...(lastTool !== undefined && { lastTool }) });
    this.#report?.({ tail: [activity.line], totalLines: 1, bytes: 0, elapsedMs });
  }
}

/** A fault while an agent is closed must not hide its answer. */
async function closed(agent: SpawnedAgent): Promise<void> {
  await agent.close().catch(() => undefined);
}
