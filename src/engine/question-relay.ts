import type { EngineEvent } from "../contracts/event.ts";
import type { Clock } from "../contracts/ports.ts";
import {
  type AnswerNote,
  answerNote,
  callOf,
  type Question,
  type Questions,
  type Reply,
} from "../contracts/question.ts";
import { isInBackground, type Tasks } from "../contracts/task.ts";

type RelayDeps = {
  readonly questions: Questions;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly toolPorts: { readonly tasks: Pick<Tasks, "list"> };
};
type Known = { readonly question: Question; readonly askedAt: number };

/** Reports an agent's questions and their waiting times to readers of the event stream. */
export class QuestionRelay implements Questions {
  readonly #deps: RelayDeps;
  readonly #emit: (event: EngineEvent) => void;
  readonly #unsubscribe: () => void;
  readonly #agentId: string;
  #known: ReadonlyMap<string, Known> = new Map();
  #answer: { readonly id: string; readonly note: AnswerNote | undefined } | undefined;
  /** The time that each call of this turn waited for answers, by call id, in milliseconds. */
  readonly #waitedMs = new Map<string, number>();
  #turnWaitedMs = 0;
  #waitingSince: number | undefined;

  /** @param agentId The agent whose questions are reported. */
  constructor(deps: RelayDeps, agentId: string, emit: (event: EngineEvent) => void) {
    this.#agentId = agentId;
    this.#deps = deps;
    this.#emit = emit;
    this.#unsubscribe = deps.questions.subscribe(() => this.#compare());
  }

  get pending(): readonly Question[] {
    return this.#deps.questions.pending;
  }

  reply(id: string, reply: Reply): boolean {
    const question = this.pending.find((one) => one.id === id);
    this.#answer = question && { id, note: answerNote(question, reply) };
    const isTaken = this.#deps.questions.reply(id, reply);
    this.#answer = undefined;
    return isTaken;
  }

  subscribe(listener: () => void): () => void {
    return this.#deps.questions.subscribe(listener);
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

  #compare(): void {
    const before = this.#known;
    const now = this.#deps.clock.monotonicMs();
    const pending = this.pending.filter(({ agentId }) => agentId === this.#agentId);
    this.#known = new Map(
      pending.map((question) => [question.id, before.get(question.id) ?? { question, askedAt: now }]),
    );
    this.#countWait(now);
    for (const [id, { question, askedAt }] of before) {
      if (this.#known.has(id)) continue;
      const toolUseId = callOf(question)?.toolUseId;
      if (toolUseId !== undefined) this.#waitedMs.set(toolUseId, this.#waitedOf(toolUseId) + now - askedAt);
      const answer = this.#answer?.id === id ? this.#answer.note : undefined;
      const about = toolUseId !== undefined && { toolUseId };
      this.#emit({ type: "question_settled", id, ...about, ...(answer && { answer }) });
    }
    for (const question of pending) if (!before.has(question.id)) this.#emit({ type: "question_asked", question });
  }

  #waitedOf(toolUseId: string): number {
    return this.#waitedMs.get(toolUseId) ?? 0;
  }

  #isAwaited({ agentId }: Question): boolean {
    return agentId === this.#agentId || !isInBackground(agentId, this.#deps.toolPorts.tasks.list());
  }

  #countWait(now: number): void {
    const isWaiting = this.pending.some((question) => this.#isAwaited(question));
    if (isWaiting) this.#waitingSince ??= now;
    else if (this.#waitingSince !== undefined) {
      this.#turnWaitedMs += now - this.#waitingSince;
      this.#waitingSince = undefined;
    }
  }
}
