import { type AgentSource, MAIN_AGENT } from "../../../contracts/agent.ts";
import type { DecidedBy } from "../../../contracts/decided-by.ts";
import { errorMessage } from "../../../contracts/errors.ts";
import { splitSuggestions } from "../../../contracts/outside-pattern.ts";
import type { PermissionRequest, Remedy } from "../../../contracts/permission.ts";
import type { PermissionMode } from "../../../contracts/permission-mode.ts";
import type { SandboxState } from "../../../contracts/ports.ts";
import type { PermissionBody, Reply } from "../../../contracts/question.ts";
import type { OpenedNetwork } from "../../../contracts/subject.ts";
import type { ConfinedConsent } from "../confined-consent.ts";
import type { CallAssessment } from "../judge/call-assessor.ts";
import { evaluate } from "../judge/evaluate.ts";
import { decidedBy, unansweredMessage } from "../judge/explain.ts";
import { type CallFacts, type Confinement, type Evaluation, factsOf } from "../judge/judgement.ts";
import type { Deciders, PermissionNotices, PermissionSettings } from "../permission-deps.ts";
import type { RuleBook } from "../rules/rule-book.ts";
import { CallOffers, type OfferDeps } from "./call-offers.ts";
import { makeQuestion, type PermissionQuestion } from "./make-question.ts";

export type QuestionDeps = OfferDeps &
  KeptDeps &
  Pick<Deciders, "ids" | "questions"> & { readonly agent: AgentSource | undefined };

/** The end of a question: a person's reply, or the evaluation under new rules or a new mode that made it superfluous. */
export type Answer =
  | { readonly kind: "reply"; readonly question: PermissionQuestion; readonly reply: Reply }
  | { readonly kind: "settled"; readonly evaluation: Evaluation };

/** Asks a person about the calls of one engine. Only a call that must be asked loads this code. */
export class CallQuestions {
  readonly #deps: QuestionDeps;
  readonly #offers: CallOffers;
  readonly #kept: KeptAnswers;
  readonly #pending: PendingQuestions;

  constructor(deps: QuestionDeps) {
    this.#deps = deps;
    this.#offers = new CallOffers(deps);
    this.#kept = new KeptAnswers(deps);
    this.#pending = new PendingQuestions({
      questions: deps.questions,
      evaluate: (call, assessment) => evaluate(call, deps.situation(assessment)),
    });
  }

  /** Shows the question and waits for its end. An abort counts as a rejection. */
  async ask(asked: AskedCall, mode: PermissionMode, signal: AbortSignal): Promise<Answer> {
    const { request, assessment } = asked;
    const question = this.#question(asked, mode);
    const pending: PendingQuestion = { call: factsOf(request), assessment };
    // A later rule or mode must not answer a question that a hook asked for.
    if (request.hook?.decision !== "ask") this.#pending.add(question.id, pending);
    const reply = await this.#deps.questions.ask(question, signal).finally(() => this.#pending.delete(question.id));
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
    const { ids, agent, workspace } = this.#deps;
    const call = factsOf(request);
    return makeQuestion({
      id: ids.next(),
      agent: agent ?? MAIN_AGENT,
      request,
      evaluation,
      hazardAssessment: assessment.hazardAssessment,
      sandbox: sandboxShown(assessment, mode),
      more,
      projectRoot: workspace.projectRoot,
      suggestions: this.#offers.rules(call, assessment, evaluation, { lasts: "always" }),
      sessionRules: this.#offers.rules(call, assessment, evaluation, { lasts: "session" }),
      scopeOf: (state, hosts) => this.#deps.consent.scope(state, hosts),
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

type KeptDeps = Pick<PermissionSettings, "persist"> &
  Pick<PermissionNotices, "notify"> & {
    readonly book: Pick<RuleBook, "keep" | "remember">;
    readonly consent: Pick<ConfinedConsent, "agree">;
    /** From now on, commands that match these patterns run outside the sandbox. */
    exclude(patterns: readonly string[]): void;
    /** Called when an answer has changed the rules or the consent. */
    changed(): void;
  };

/** Stores the part of an answer that applies to later calls: rules, or the consent to confined commands. */
class KeptAnswers {
  readonly #deps: KeptDeps;

  constructor(deps: KeptDeps) {
    this.#deps = deps;
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
    const { persist, book, exclude, changed, notify } = this.#deps;
    const { rules, outside } = splitSuggestions(suggestions);
    try {
      const file = await persist(rules, outside);
      book.keep(rules, file);
      exclude(outside);
      changed();
    } catch (error) {
      notify(`${errorMessage(error)} The call was allowed once.`);
    }
  }

  #remember({ rules, outside }: ReturnType<typeof splitSuggestions>): void {
    this.#deps.book.remember(rules);
    this.#deps.exclude(outside);
    this.#deps.changed();
  }

  async #agree(lasts: "session" | "always", { confining }: CallAssessment): Promise<void> {
    if (!confining) return;
    const problem = await this.#deps.consent.agree(lasts, confining.state);
    if (problem !== undefined) this.#deps.notify(problem);
    this.#deps.changed();
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
