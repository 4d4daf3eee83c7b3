import type { EngineEvent } from "../contracts/event.ts";
import type { Questions } from "../contracts/permission.ts";

/** Tells readers of the event stream which questions came and went. */
export class QuestionRelay {
  readonly #questions: Questions;
  readonly #emit: (event: EngineEvent) => void;
  readonly #unsubscribe: () => void;
  #known: ReadonlySet<string> = new Set();

  constructor(questions: Questions, emit: (event: EngineEvent) => void) {
    this.#questions = questions;
    this.#emit = emit;
    this.#unsubscribe = questions.subscribe(() => this.#compare());
  }

  close(): void {
    this.#unsubscribe();
  }

  #compare(): void {
    const before = this.#known;
    const pending = this.#questions.pending;
    this.#known = new Set(pending.map(({ id }) => id));
    for (const id of before) if (!this.#known.has(id)) this.#emit({ type: "question_settled", id });
    for (const question of pending) if (!before.has(question.id)) this.#emit({ type: "question_asked", question });
  }
}
