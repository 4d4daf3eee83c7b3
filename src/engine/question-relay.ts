import type { EngineEvent } from "../contracts/event.ts";
import type { Questions } from "../contracts/question.ts";

/** Tells readers of the event stream which questions of an agent came and went. */
export class QuestionRelay {
  readonly #questions: Questions;
  readonly #emit: (event: EngineEvent) => void;
  readonly #unsubscribe: () => void;
  readonly #agentId: string;
  #known: ReadonlySet<string> = new Set();

  /** @param agentId Whose questions are told. */
  constructor(questions: Questions, agentId: string, emit: (event: EngineEvent) => void) {
    this.#agentId = agentId;
    this.#questions = questions;
    this.#emit = emit;
    this.#unsubscribe = questions.subscribe(() => this.#compare());
  }

  close(): void {
    this.#unsubscribe();
  }

  #compare(): void {
    const before = this.#known;
    const pending = this.#questions.pending.filter(({ agentId }) => agentId === this.#agentId);
    this.#known = new Set(pending.map(({ id }) => id));
    for (const id of before) if (!this.#known.has(id)) this.#emit({ type: "question_settled", id });
    for (const question of pending) if (!before.has(question.id)) this.#emit({ type: "question_asked", question });
  }
}
