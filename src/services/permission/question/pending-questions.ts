import type { CallAssessment } from "../judge/call-assessor.ts";
import type { CallFacts, Evaluation } from "../judge/judgement.ts";
import type { PermissionDeps } from "../permission-deps.ts";

/** A pending question. `settled` contains the evaluation if a change of rules or mode answered the question. */
export type PendingQuestion = { readonly call: CallFacts; readonly assessment: CallAssessment; settled?: Evaluation };

type PendingDeps = Pick<PermissionDeps, "broker"> & {
  evaluate(call: CallFacts, assessment: CallAssessment): Evaluation;
};

/** The questions of one agent that a change of rules or mode may answer before a person does. */
export class PendingQuestions {
  readonly #deps: PendingDeps;
  readonly #pending = new Map<string, PendingQuestion>();

  constructor(deps: PendingDeps) {
    this.#deps = deps;
  }

  add(id: string, question: PendingQuestion): void {
    this.#pending.set(id, question);
  }

  delete(id: string): void {
    this.#pending.delete(id);
  }

  /** Settles the questions that the new rules or the new mode answer. */
  settle(): void {
    for (const [id, question] of [...this.#pending]) {
      const evaluation = this.#deps.evaluate(question.call, question.assessment);
      if (evaluation.decision !== "allow") continue;
      question.settled = evaluation;
      if (!this.#deps.broker.reply(id, { decision: "once" })) delete question.settled;
    }
  }
}
