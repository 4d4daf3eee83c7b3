import { lazy } from "@quoll/async/lazy";
import { isHookCall, type PermissionAnswer } from "../../contracts/hook.ts";
import type { CallJudge, PermissionRequest, Verdict } from "../../contracts/permission.ts";
import type { OpenedNetwork } from "../../contracts/subject.ts";
import { askJudge, type JudgeRefusals, judgeRequest } from "./auto-mode.ts";
import { applyHookUpdate, decisionOfHook } from "./hook-decision.ts";
import type { CallAssessment } from "./judge/call-assessor.ts";
import { evaluate } from "./judge/evaluate.ts";
import { decidedBy, judgedMessage, staysInside } from "./judge/explain.ts";
import { withoutCopy } from "./judge/hazard-assessment.ts";
import { type CallFacts, type Evaluation, factsOf } from "./judge/judgement.ts";
import type { PermissionService } from "./permission-deps.ts";
import { AcceptedHunks, acceptedOf } from "./question/accepted-hunks.ts";
import type { AskingParts } from "./question/call-offers.ts";
import type { AskedCall, CallQuestions, Permit } from "./question/call-questions.ts";
import { Verdicts } from "./verdicts.ts";

const JUDGE = "the judge of mode auto";
/** The line about an allowed command that needs the network, told once. */
const STAYS_INSIDE = "rules-stay-in-the-sandbox";
const unsureLine = (reason: string) => `${JUDGE} could not say (${reason})`;

/** Loads the code of questions, which most runs without a person never need. The first question loads it otherwise. */
export const loadQuestionCode = lazy(() => import("./question/call-questions.ts"));

type AuthorizerParts = AskingParts & {
  /** The engine whose calls are judged: hooks may change its rules and its mode. */
  readonly engine: Pick<PermissionService, "mode" | "changeRules">;
  /** Shared with the engines of child agents. */
  readonly refusals: JudgeRefusals;
};

/** Decides about the calls of one engine: by the rules and the mode, otherwise by a hook, the judge or a person. */
export class CallAuthorizer {
  readonly #parts: AuthorizerParts;
  readonly #verdicts = new Verdicts();
  readonly #accepted = new AcceptedHunks();
  /** Made for the first call that a person must be asked about. */
  #questions: CallQuestions | undefined;

  constructor(parts: AuthorizerParts) {
    this.#parts = parts;
  }

  async authorize(request: PermissionRequest, signal: AbortSignal): Promise<Verdict> {
    const refreshed = this.#parts.deps.settings.refresh?.();
    if (refreshed) await refreshed;
    const isAccepted = this.#accepted.take(request.toolUseId, request.call.subjects);
    const facts = factsOf(request);
    const decide = (assessment: CallAssessment) => this.#evaluate(facts, assessment).decision;
    // A call that needs no assessment awaits nothing more, so its question appears at once.
    const pending = this.#parts.assessor.assess(facts, decide, signal);
    const assessment = pending instanceof Promise ? await pending : pending;
    return this.#decide(request, assessment, signal, isAccepted);
  }

  /** Settles pending questions that new rules or a new mode answer. */
  settleWaiting(): void {
    this.#questions?.settleWaiting();
  }

  async #decide(
    request: PermissionRequest,
    assessment: CallAssessment,
    signal: AbortSignal,
    isAccepted = false,
  ): Promise<Verdict> {
    const { hook } = request;
    const facts = factsOf(request);
    const evaluation = this.#evaluate(facts, assessment);
    const { decision, confinement, opened, hasSandbox } = evaluation;
    const place = { confinement, opened, hasSandbox };
    if (decision === "deny") return this.#verdicts.forbid(request, evaluation);
    if (isAccepted)
      return this.#finish(request, assessment, { decidedBy: { kind: "person", answer: "a part" }, ...place }, signal);
    if (!loadQuestionCode.value && (decision === "ask" || hook?.decision === "ask")) {
      await loadQuestionCode();
      // The rules and the mode may have changed in the meantime.
      return this.#decide(request, assessment, signal);
    }
    if (hook?.decision === "ask")
      return this.#ask({ request, assessment, evaluation, more: `a hook asks: ${hook.reason}` }, signal);
    if (hook?.decision === "allow" && evaluation.onlyLacksRule && this.#parts.engine.mode !== "plan")
      return this.#finish(
        request,
        assessment,
        { ...place, decidedBy: { kind: "hook" }, confinement: evaluation.confinementAfterYes },
        signal,
      );
    if (decision === "allow") {
      if (opened) this.#parts.deps.notices.notifyOnce?.(STAYS_INSIDE, staysInside(evaluation));
      return this.#finish(request, assessment, { decidedBy: decidedBy(evaluation), ...place }, signal);
    }
    const { judge } = this.#parts.deps.deciders;
    const more = this.#parts.refusals.exhausted;
    if (evaluation.isForJudge && judge && more === undefined) return this.#judge(judge, request, assessment, signal);
    const caller = isHookCall(request.toolUseId) ? "a hook makes this call" : undefined;
    return this.#ask({ request, assessment, evaluation, more: evaluation.isForJudge ? more : caller }, signal);
  }

  async #judge(
    judge: CallJudge,
    request: PermissionRequest,
    assessment: CallAssessment,
    signal: AbortSignal,
  ): Promise<Verdict> {
    const { deps, book } = this.#parts;
    const { isTrusted } = deps.settings;
    const userWords = deps.deciders.userWords?.() ?? [];
    const facts = { rules: book.rules, isTrusted, userWords, agent: deps.agent.source };
    const { opened: asked } = this.#evaluate(factsOf(request), assessment);
    const answer = await askJudge(judge, () => judgeRequest(request, facts, asked), signal);
    if (signal.aborted) return this.#verdicts.reject(request);
    // The mode and the rules may have changed in the meantime: check that the judge may still decide about this call.
    const evaluation = this.#evaluate(factsOf(request), assessment);
    if (!evaluation.isForJudge) return this.#decide(request, assessment, signal);
    switch (answer.verdict) {
      case "yes":
        this.#parts.refusals.allowed();
        return this.#finish(
          request,
          assessment,
          { decidedBy: { kind: "judge" }, confinement: evaluation.confinement, opened: evaluation.opened },
          signal,
        );
      case "no":
        this.#parts.refusals.refused();
        return this.#judgedNo(request, answer.reason, signal);
      case "unsure":
        return this.#ask({ request, assessment, evaluation, more: unsureLine(answer.reason) }, signal);
    }
  }

  async #judgedNo(request: PermissionRequest, reason: string, signal: AbortSignal): Promise<Verdict> {
    const told = await this.#parts.deps.deciders.hooks?.denied(request, reason, signal);
    return this.#verdicts.deny(request, { kind: "judge", reason }, judgedMessage(reason, told?.retry ?? false));
  }

  /** The verdict from the answer of a hook that replaces a person; undefined if there is none. */
  async #verdictOfHook(
    asked: AskedCall,
    answer: PermissionAnswer | undefined,
    signal: AbortSignal,
  ): Promise<Verdict | undefined> {
    const { request, assessment } = asked;
    // The rules and the mode may have changed while the hook ran.
    const evaluation = this.#evaluate(factsOf(request), assessment);
    if (evaluation.decision === "deny") return this.#verdicts.forbid(request, evaluation);
    const current = evaluation.decision === "ask" ? { ...asked, evaluation } : asked;
    const decision = decisionOfHook(current, answer, this.#parts.engine.mode);
    if (!decision) return undefined;
    if (decision.kind === "deny") {
      const verdict = this.#verdicts.deny(request, decision.decidedBy, decision.message);
      return decision.endsTurn ? { ...verdict, endsTurn: true } : verdict;
    }
    const { permit, updatedInput, updates } = decision;
    for (const update of updates) applyHookUpdate(update, this.#parts.engine, this.#parts.deps.notices.notify);
    if (!updatedInput) return this.#finish(request, assessment, permit, signal);
    return { ...this.#verdicts.allow(request, permit, []), updatedInput, isPart: false };
  }

  async #ask(asked: AskedCall, signal: AbortSignal): Promise<Verdict> {
    // Without such a hook the caller does not wait, so the question appears at once.
    const answer = this.#parts.deps.deciders.hooks?.request(asked.request, signal);
    const verdict = answer && (await this.#verdictOfHook(asked, await answer, signal));
    return verdict ?? this.#askPerson(asked, signal);
  }

  async #askPerson(asked: AskedCall, signal: AbortSignal): Promise<Verdict> {
    const { CallQuestions: Questions } = loadQuestionCode.value ?? (await loadQuestionCode());
    const questions = this.#questions ?? new Questions(this.#parts);
    this.#questions = questions;
    const { request, assessment, evaluation } = asked;
    if (!this.#parts.deps.deciders.canAsk) {
      const { decidedBy, message, remedy } = questions.unanswered(asked);
      return { ...this.#verdicts.deny(request, decidedBy, message, true), ...(remedy && { remedy }) };
    }
    const call = factsOf(request);
    const answer = await questions.ask(asked, this.#parts.engine.mode, signal);
    if (answer.kind === "settled") {
      const { confinement, opened, hasSandbox } = answer.evaluation;
      // No person saw this call, so its unreadable parts now count as hazards.
      const now = await this.#parts.assessor.assess(call, (found) => this.#evaluate(call, found).decision, signal);
      const permit = { decidedBy: decidedBy(answer.evaluation), confinement, opened, hasSandbox };
      return this.#finish(request, now, permit, signal);
    }
    const { reply, question } = answer;
    if (reply.decision === "reject") {
      const verdict = this.#verdicts.reject(request, reply.message);
      return reply.endsTurn ? { ...verdict, endsTurn: true } : verdict;
    }
    // A deny rule may have appeared while the person thought. A mode that has begun since does not undo their yes.
    const now = this.#evaluate(call, assessment);
    if (now.judgements.some(({ decision, cause }) => decision === "deny" && cause.kind !== "mode"))
      return this.#verdicts.forbid(request, now);
    const accepted = acceptedOf(request, reply);
    if (accepted.kind === "nothing") return this.#verdicts.deny(request, { kind: "person" }, accepted.message);
    this.#parts.refusals.forget();
    const keeping = questions.keep(reply, question, assessment);
    if (keeping) await keeping;
    const permit = {
      decidedBy: { kind: "person", answer: reply.decision } as const,
      confinement: evaluation.confinementAfterYes,
      opened: namedByPerson(evaluation.opened),
      hasSandbox: evaluation.hasSandbox,
    };
    if (accepted.kind === "all") return this.#finish(request, assessment, permit, signal);
    // The person replaced the input, so only deny rules can still refuse the new input.
    this.#accepted.remember(request.toolUseId, accepted.kind === "part" ? request.call.subjects : undefined);
    return {
      ...this.#verdicts.allow(request, permit, []),
      updatedInput: accepted.input,
      isPart: accepted.kind === "part",
    };
  }

  /** Makes the backup that the call needs, then lets it run. If the backup fails, judges the call without it. */
  async #finish(
    request: PermissionRequest,
    assessment: CallAssessment,
    permit: Permit,
    signal: AbortSignal,
  ): Promise<Verdict> {
    const { hazardAssessment } = assessment;
    if (!hazardAssessment?.backup) return this.#verdicts.allow(request, permit, []);
    try {
      return this.#verdicts.allow(request, permit, await hazardAssessment.backup.make(signal));
    } catch (error) {
      if (signal.aborted) return this.#verdicts.reject(request);
      return this.#decide(request, { ...assessment, hazardAssessment: withoutCopy(hazardAssessment, error) }, signal);
    }
  }

  #evaluate(call: CallFacts, assessment: CallAssessment): Evaluation {
    return evaluate(call, this.#parts.situation(assessment));
  }
}

/** A person saw the hosts in the question, so they may be on a private network. */
function namedByPerson(opened: OpenedNetwork | undefined): OpenedNetwork | undefined {
  return opened && { ...opened, hosts: opened.hosts.map((host) => ({ ...host, isOwn: true })) };
}
