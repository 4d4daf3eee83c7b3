import { MAIN_AGENT } from "../../../contracts/agent.ts";
import type { DecidedBy } from "../../../contracts/decided-by.ts";
import { errorMessage } from "../../../contracts/errors.ts";
import { splitSuggestions } from "../../../contracts/outside-pattern.ts";
import type { PermissionRequest, Remedy } from "../../../contracts/permission.ts";
import type { PermissionMode } from "../../../contracts/permission-mode.ts";
import type { SandboxState } from "../../../contracts/ports.ts";
import type { PermissionBody, Reply } from "../../../contracts/question.ts";
import type { OpenedNetwork } from "../../../contracts/subject.ts";
import type { CallAssessment } from "../judge/call-assessor.ts";
import { evaluate } from "../judge/evaluate.ts";
import { decidedBy, unansweredMessage } from "../judge/explain.ts";
import { type CallFacts, type Confinement, type Evaluation, factsOf } from "../judge/judgement.ts";
import type { Deciders } from "../permission-deps.ts";
import { type AskingParts, CallOffers } from "./call-offers.ts";
import { makeQuestion, type PermissionQuestion } from "./make-question.ts";

/** The end of a question: a person's reply, or the evaluation under new rules or a new mode that made it superfluous. */
export type Answer =
  | { readonly kind: "reply"; readonly question: PermissionQuestion; readonly reply: Reply }
  | { readonly kind: "settled"; readonly evaluation: Evaluation };

/** Asks a person about the calls of one engine. Only a call that must be asked loads this code. */
export class CallQuestions {
  readonly #parts: AskingParts;
  readonly #offers: CallOffers;
  readonly #kept: KeptAnswers;
  readonly #pending: PendingQuestions;

  constructor(parts: AskingParts) {
    this.#parts = parts;
    this.#offers = new CallOffers(parts);
    this.#kept = new KeptAnswers(parts);
    this.#pending = new PendingQuestions({
      questions: parts.deps.deciders.questions,
      evaluate: (call, assessment) => evaluate(call, parts.situation(assessment)),
    });
  }

  /** Shows the question and waits for its end. An abort counts as a rejection. */
  async ask(asked: AskedCall, mode: PermissionMode, signal: AbortSignal): Promise<Answer> {
    const { request, assessment } = asked;
    const question = this.#question(asked, mode);
    const pending: PendingQuestion = { call: factsOf(request), assessment };
    // A later rule or mode must not answer a question that a hook asked for.
    if (request.hook?.decision !== "ask") this.#pending.add(question.id, pending);
    const { questions } = this.#parts.deps.deciders;
    const reply = await questions.ask(question, signal).finally(() => this.#pending.delete(question.id));
    return pending.settled ? { kind: "settled", evaluation: pending.settled } : { kind: "reply", question, reply };
  }

  /** Settles the questions that new rules or a new mode answer. */
  settleWaiting(): void {
    this.#pending.settle();
  }

  /**
   * Stores the part of a reply that applies to later calls.
   * @returns undefined if the caller need not wait.
   */
  keep(reply: Reply, { body }: PermissionQuestion, assessment: CallAssessment): Promise<void> | undefined {
    return this.#kept.keep(reply, body, assessment);
  }

  /** The refusal of a call for which nobody can be asked, and the change that would allow it. */
  unanswered({ request, assessment, evaluation, more }: AskedCall): {
    readonly decidedBy: DecidedBy;
    readonly message: string;
    readonly remedy: Remedy | undefined;
  } {
    const call = factsOf(request);
    const suggestions = this.#offers.rules(call, assessment, evaluation, { lasts: "always", namesAny: true });
    const hook = request.hook?.decision === "ask" ? request.hook : undefined;
    return {
      decidedBy: hook ? { kind: "hook", reason: `it asks: ${hook.reason}` } : decidedBy(evaluation),
      message: unansweredMessage(evaluation, suggestions, more),
      remedy: hook ? undefined : this.#offers.remedy(call, assessment, suggestions),
    };
  }

  #question({ request, assessment, evaluation, more }: AskedCall, mode: PermissionMode): PermissionQuestion {
    const { deciders, agent, folders } = this.#parts.deps;
    const call = factsOf(request);
    return makeQuestion({
      id: deciders.ids.next(),
      agent: agent.source ?? MAIN_AGENT,
      request,
      evaluation,
      hazardAssessment: assessment.hazardAssessment,
      sandbox: sandboxShown(assessment, mode),
      more,
      projectRoot: folders.workspace.projectRoot,
      suggestions: this.#offers.rules(call, assessment, evaluation, { lasts: "always" }),
      sessionRules: this.#offers.rules(call, assessment, evaluation, { lasts: "session" }),
      scopeOf: (state, hosts) => this.#parts.consent.scope(state, hosts),
      consent: request.hook?.decision === "ask" ? undefined : this.#offers.consent(call, assessment),
    });
  }
}

/** The sandbox state when it matters for this call. */
function sandboxShown({ confining }: CallAssessment, mode: PermissionMode): SandboxState | undefined {
  if (mode === "bypassPermissions" && confining?.inBypass !== true) return undefined;
  return confining?.state;
}

/** A pending question. `settled` contains the evaluation if a change of rules or mode answered the question. */
type PendingQuestion = { readonly call: CallFacts; readonly assessment: CallAssessment; settled?: Evaluation };

type PendingDeps = Pick<Deciders, "questions"> & {
  evaluate(call: CallFacts, assessment: CallAssessment): Evaluation;
};

/** The questions of one agent that a change of rules or mode may answer before a person does. */
class PendingQuestions {
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
      if (!this.#deps.questions.reply(id, { decision: "once" })) delete question.settled;
    }
  }
}

/** Stores the part of an answer that applies to later calls: rules, or the consent to confined commands. */
class KeptAnswers {
  readonly #parts: AskingParts;

  constructor(parts: AskingParts) {
    this.#parts = parts;
  }

  /** @returns undefined if the caller need not wait. */
  keep(
    reply: Reply,
    { suggestions, sessionRules, consent }: PermissionBody,
    assessment: CallAssessment,
  ): Promise<void> | undefined {
    if (reply.decision === "always") return this.#persist(suggestions);
    if (reply.decision === "session") this.#remember(splitSuggestions(reply.isNarrow ? suggestions : sessionRules));
    if (reply.decision === "confined" && consent !== undefined) return this.#agree(reply.lasts, assessment);
    return undefined;
  }

  async #persist(suggestions: readonly string[]): Promise<void> {
    if (suggestions.length === 0) return;
    const { deps, book, assessor, changed } = this.#parts;
    const { rules, outside } = splitSuggestions(suggestions);
    try {
      const file = await deps.settings.persist(rules, outside);
      book.keep(rules, file);
      assessor.exclude(outside);
      changed();
    } catch (error) {
      deps.notices.notify(`${errorMessage(error)} The call was allowed once.`);
    }
  }

  #remember({ rules, outside }: ReturnType<typeof splitSuggestions>): void {
    this.#parts.book.remember(rules);
    this.#parts.assessor.exclude(outside);
    this.#parts.changed();
  }

  async #agree(lasts: "session" | "always", { confining }: CallAssessment): Promise<void> {
    if (!confining) return;
    const problem = await this.#parts.consent.agree(lasts, confining.state);
    if (problem !== undefined) this.#parts.deps.notices.notify(problem);
    this.#parts.changed();
  }
}

/** A call that needs an answer; `more` is a reason in addition to the judgements. */
export type AskedCall = {
  readonly request: PermissionRequest;
  readonly assessment: CallAssessment;
  readonly evaluation: Evaluation;
  readonly more: string | undefined;
};

/** Why a call may run, where it runs, and with which network. */
export type Permit = {
  readonly decidedBy: DecidedBy;
  readonly confinement: Confinement;
  readonly opened?: OpenedNetwork | undefined;
  /** True if there is a sandbox. */
  readonly hasSandbox?: boolean | undefined;
};
