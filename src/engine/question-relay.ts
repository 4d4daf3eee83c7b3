import type { AgentSource } from "../contracts/agent.ts";
import type { EngineEvent } from "../contracts/event.ts";
import type { Clock, Ids } from "../contracts/ports.ts";
import {
  answerNote,
  callOf,
  type Question,
  type QuestionChange,
  type Questions,
  wordsWithYes,
} from "../contracts/question.ts";
import { isInBackground, type Tasks } from "../contracts/task.ts";
import type { InputQueue } from "./input-queue.ts";
import { allowedAndSaid } from "./system-reminders.ts";

type RelayDeps = {
  readonly questions: Pick<Questions, "pending" | "subscribe">;
  /** The agent whose questions are reported. */
  readonly agent: Pick<AgentSource, "agentId">;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly ids: Ids;
  readonly toolPorts: { readonly tasks: Pick<Tasks, "list"> };
};

/**
 * Reports an agent's questions and their waiting times to readers of the event stream. Words that a person gave with a
 * yes become an input of the running turn.
 */
export class QuestionRelay {
  readonly #deps: RelayDeps;
  readonly #emit: (event: EngineEvent) => void;
  readonly #unsubscribe: () => void;
  readonly #agentId: string;
  readonly #inputs: Pick<InputQueue, "add">;
  /** When each open question of the agent was asked, by id. */
  readonly #askedAt = new Map<string, number>();
  /** The time that each call of this turn waited for answers, by call id, in milliseconds. */
  readonly #waitedMs = new Map<string, number>();
  #turnWaitedMs = 0;
  #waitingSince: number | undefined;

  constructor(deps: RelayDeps, inputs: Pick<InputQueue, "add">, emit: (event: EngineEvent) => void) {
    this.#agentId = deps.agent.agentId;
    this.#deps = deps;
    this.#inputs = inputs;
    this.#emit = emit;
    this.#unsubscribe = deps.questions.subscribe((change) => this.#note(change));
  }

  startTurn(): void {
    this.#waitedMs.clear();
    this.#turnWaitedMs = 0;
    if (this.#waitingSince !== undefined) this.#waitingSince = this.#deps.clock.monotonicMs();
  }

  /** Returns the event with the call's own duration: a person may take longer to answer than the call takes to run. */
  withoutWait(event: EngineEvent): EngineEvent {
    if (event.type !== "tool_finished") return event;
    const waitedMs = this.#waitedOf(event.result.toolUseId);
    return { ...event, durationMs: Math.max(0, Math.round(event.durationMs - waitedMs)) };
  }

  /** Milliseconds of this turn in which at least one question waited that no agent in the background asked. */
  get turnWaitedMs(): number {
    const open = this.#waitingSince === undefined ? 0 : this.#deps.clock.monotonicMs() - this.#waitingSince;
    return this.#turnWaitedMs + open;
  }

  close(): void {
    this.#unsubscribe();
  }

  #note(change: QuestionChange): void {
    const { question } = change;
    const now = this.#deps.clock.monotonicMs();
    this.#countWait(now);
    if (question.agentId !== this.#agentId) return;
    const { id } = question;
    if (change.type === "asked") {
      this.#askedAt.set(id, now);
      this.#emit({ type: "question_asked", question });
      return;
    }
    const toolUseId = callOf(question)?.toolUseId;
    const waitedMs = now - (this.#askedAt.get(id) ?? now);
    this.#askedAt.delete(id);
    if (toolUseId !== undefined) this.#waitedMs.set(toolUseId, this.#waitedOf(toolUseId) + waitedMs);
    const answer = change.reply && answerNote(question, change.reply);
    const words = change.reply && wordsWithYes(change.reply);
    if (words !== undefined) this.#queue(question, words);
    this.#emit({
      type: "question_settled",
      id,
      ...(toolUseId !== undefined && { toolUseId }),
      ...(answer && { answer }),
    });
  }

  /** The turn takes the input after the result of the call. A prompt has the same path: hooks, log, transcript. */
  #queue(question: Question, words: string): void {
    const prompt = allowedAndSaid(callOf(question)?.toolName, words);
    this.#inputs.add({ id: this.#deps.ids.next(), input: { prompt, typed: words }, when: "steer" });
  }

  #waitedOf(toolUseId: string): number {
    return this.#waitedMs.get(toolUseId) ?? 0;
  }

  #isAwaited({ agentId }: Question): boolean {
    return agentId === this.#agentId || !isInBackground(agentId, this.#deps.toolPorts.tasks.list());
  }

  #countWait(now: number): void {
    const isWaiting = this.#deps.questions.pending.some((question) => this.#isAwaited(question));
    if (isWaiting) this.#waitingSince ??= now;
    else if (this.#waitingSince !== undefined) {
      this.#turnWaitedMs += now - this.#waitingSince;
      this.#waitingSince = undefined;
    }
  }
}
