import { isHookCall, type PermissionAnswer } from "../../contracts/hook.ts";
import type {
  CallJudge,
  CallToMatch,
  ConsentStatus,
  PathRule,
  PermissionRequest,
  RuleChange,
  RuleDescription,
  Verdict,
} from "../../contracts/permission.ts";
import type { PermissionMode } from "../../contracts/permission-mode.ts";
import type { RuleSource } from "../../contracts/settings.ts";
import type { OpenedNetwork } from "../../contracts/subject.ts";
import { realPathOrSelf } from "../../platform/paths.ts";
import { AgentTree, scopeRules } from "./agent-tree.ts";
import { askJudge, assertAutoMode, JudgeRefusals, judgeRequest } from "./auto-mode.ts";
import { ConfinedConsent } from "./confined-consent.ts";
import type { Explanation } from "./explanation.ts";
import { decisionOfHook } from "./hook-decision.ts";
import { applyHookUpdate } from "./hook-updates.ts";
import { type CallAssessment, CallAssessor } from "./judge/call-assessor.ts";
import { evaluate } from "./judge/evaluate.ts";
import { describeDecision, judgedMessage, staysInside } from "./judge/explain.ts";
import { withoutCopy } from "./judge/hazard-assessment.ts";
import { type CallFacts, type Evaluation, factsOf, type Situation } from "./judge/judgement.ts";
import { isSecret } from "./judge/secrets.ts";
import { foldersOf, narrowedDeps } from "./narrowed-deps.ts";
import type {
  LentRules,
  NarrowedPermissions,
  PermissionDeps,
  PermissionScope,
  PermissionService,
} from "./permission-deps.ts";
import { AcceptedHunks, acceptedOf } from "./question/accepted-hunks.ts";
import type { AskedCall, Permit } from "./question/asked-call.ts";
import { CallOffers } from "./question/call-offers.ts";
import { callQuestion, unansweredCall } from "./question/call-question.ts";
import { KeptAnswers } from "./question/kept-answers.ts";
import { type PendingQuestion, PendingQuestions } from "./question/pending-questions.ts";
import { matchesCondition } from "./rules/condition-match.ts";
import { isKeptBack } from "./rules/hidden-paths.ts";
import { pathRulesOf } from "./rules/path-rules.ts";
import type { Rule } from "./rules/rule.ts";
import { RuleBook } from "./rules/rule-book.ts";
import { Verdicts } from "./verdicts.ts";

const JUDGE = "the judge of mode auto";
/** The line about an allowed command that needs the network, told once. */
const STAYS_INSIDE = "rules-stay-in-the-sandbox";
const unsureLine = (reason: string) => `${JUDGE} could not say (${reason})`;
const NOT_ASSESSED: CallAssessment = { confining: undefined, hazardAssessment: undefined };

/**
 * Creates the engine that judges every tool call.
 * @throws {UserFacingError} (exit 2) a rule is invalid, or the mode is forbidden.
 */
export function createPermissionEngine(deps: PermissionDeps): PermissionService {
  return new RuleEngine(deps);
}

class RuleEngine implements NarrowedPermissions {
  readonly #deps: PermissionDeps;
  readonly #book: RuleBook;
  readonly #assessor: CallAssessor;
  readonly #verdicts = new Verdicts();
  readonly #refusals: JudgeRefusals;
  readonly #parts = new AcceptedHunks();
  readonly #consent: ConfinedConsent;
  readonly #pending: PendingQuestions;
  readonly #tree: AgentTree;
  readonly #offers: CallOffers;
  readonly #kept: KeptAnswers;
  #paths: { readonly of: readonly Rule[]; readonly rules: readonly PathRule[] } | undefined;

  constructor(deps: PermissionDeps, parent?: RuleEngine, scope?: PermissionScope) {
    this.#deps = deps;
    // If a child agent had a separate counter, the judge could decide again after too many refusals.
    this.#refusals = parent ? parent.#refusals : new JudgeRefusals();
    const { workspace, home, isTrusted, isCaseInsensitive = false, managedRulesOnly = false } = deps;
    const paths = { roots: workspace.roots, home, realPath: realPathOrSelf, isCaseInsensitive };
    const context = { ...paths, isTrusted, managedRulesOnly };
    this.#book = parent
      ? parent.#book.narrow(scopeRules(scope ?? {}, workspace.projectRoot), scope?.checkout)
      : new RuleBook(deps.rules, context, workspace.projectRoot);
    for (const warning of this.#book.warnings) deps.warn(warning);
    this.#assessor = new CallAssessor(deps, parent ? parent.#assessor : undefined);
    this.#consent = parent ? parent.#consent : new ConfinedConsent(deps.consent, () => this.pathRules());
    this.#kept = new KeptAnswers({
      ...{ book: this.#book, consent: this.#consent },
      persist: (rules, outside) => deps.persist(rules, outside),
      exclude: (patterns) => this.#assessor.exclude(patterns),
      warn: (line) => deps.warn(line),
      changed: () => this.#settleWaiting(),
    });
    this.#offers = new CallOffers({
      ...{ home, workspace, placeInProject: deps.placeInProject, book: this.#book, consent: this.#consent },
      isManagedOnly: managedRulesOnly,
      situation: (assessment) => this.#situation(assessment),
    });
    const evaluateCall = (call: CallFacts, assessment: CallAssessment) => this.#evaluate(call, assessment);
    this.#pending = new PendingQuestions({ broker: deps.broker, evaluate: evaluateCall });
    const member = {
      ownMode: () => deps.state.mode,
      ownPathRules: () => this.#ownPathRules(),
      settleWaiting: () => this.#pending.settle(),
    };
    this.#tree = new AgentTree(member, parent ? parent.#tree : undefined);
    if (!parent) this.#assertAllowed(deps.state.mode);
  }

  get mode(): PermissionMode {
    return this.#tree.modes[0];
  }

  /** @throws {UserFacingError} the mode is forbidden; the current mode stays. */
  set mode(mode: PermissionMode) {
    const { state } = this.#deps;
    if (this.#tree.isRoot && (mode !== "auto" || state.mode !== "auto")) this.#assertAllowed(mode);
    state.mode = mode;
    this.#settleWaiting();
  }

  /** @throws {UserFacingError} (exit 2) the mode is forbidden. */
  #assertAllowed(mode: PermissionMode): void {
    if (mode === "bypassPermissions") this.#deps.checkBypass();
    if (mode === "auto") assertAutoMode(this.#deps, this.#book.rules);
  }

  async authorize(request: PermissionRequest, signal: AbortSignal): Promise<Verdict> {
    const refreshed = this.#deps.refresh?.();
    if (refreshed) await refreshed;
    const isAccepted = this.#parts.take(request.toolUseId, request.call.subjects);
    const facts = factsOf(request);
    const decide = (assessment: CallAssessment) => this.#evaluate(facts, assessment).decision;
    // A call that needs no assessment awaits nothing more, so its question appears at once.
    const pending = this.#assessor.assess(facts, decide, signal);
    const assessment = pending instanceof Promise ? await pending : pending;
    return this.#decide(request, assessment, signal, isAccepted);
  }

  narrow(scope: PermissionScope): NarrowedPermissions {
    const child = new RuleEngine(narrowedDeps(this.#deps, scope), this, scope);
    child.#tree.open(scope.checkout !== undefined);
    return child;
  }

  close(): void {
    this.#tree.close();
  }

  hiddenTools(names: readonly string[]): ReadonlySet<string> {
    return this.#book.hiddenTools(names);
  }

  describe(): readonly RuleDescription[] {
    return this.#book.describe(this.mode);
  }

  matches(text: string, call: CallToMatch): boolean {
    return matchesCondition(text, call, this.#book);
  }

  isHidden(path: string): boolean {
    if (isKeptBack(path, this.#book.rules)) return true;
    if (!isSecret(path)) return false;
    return !this.mayRead(path);
  }

  mayRead(path: string): boolean {
    const call: CallFacts = { toolName: "Read", level: "read", subjects: [{ action: "read", path }] };
    return this.#evaluate(call, NOT_ASSESSED).decision === "allow";
  }

  pathRules(): readonly PathRule[] {
    return this.#tree.pathRules();
  }

  #ownPathRules(): readonly PathRule[] {
    const { rules } = this.#book;
    if (this.#paths?.of !== rules) this.#paths = { of: rules, rules: pathRulesOf(rules, this.#deps.workspace.roots) };
    return this.#paths.rules;
  }

  grantRules(texts: readonly string[], source: string): readonly string[] {
    const refused = this.#book.grant(texts, source);
    this.#settleWaiting();
    return refused;
  }

  changeRules(change: RuleChange, source: string): readonly string[] {
    const refused = this.#book.change(change, source);
    this.#settleWaiting();
    return refused;
  }

  lendRules({ allow, deny }: LentRules, source: string): () => void {
    const warn = (line: string) => this.#deps.warn(line);
    const ends = [
      this.#book.lend(deny, { decision: "deny", source, warn }),
      this.#book.lend(allow, { decision: "allow", source, warn }),
    ];
    this.#settleWaiting();
    return () => {
      for (const end of ends) end();
    };
  }

  reloadRules(rules: readonly RuleSource[], managedRulesOnly: boolean): void {
    for (const warning of this.#book.reload(rules, managedRulesOnly)) this.#deps.warn(warning);
    this.#settleWaiting();
  }

  consent(): ConsentStatus {
    return this.#consent.status();
  }

  async revokeConsent(): Promise<readonly string[]> {
    return this.#consent.revoke();
  }

  async explain(request: PermissionRequest, signal: AbortSignal = new AbortController().signal): Promise<Explanation> {
    const facts = factsOf(request);
    const assessment = await this.#assessor.assess(facts, () => "ask", signal);
    const { home, workspace, placeInProject } = this.#deps;
    const { explainCall } = await import("./explain-call.ts");
    return explainCall({
      call: facts,
      title: request.call.title,
      situation: this.#situation(assessment),
      hazardAssessment: assessment.hazardAssessment,
      awaitingTrust: this.#book.awaitingTrust,
      mayAgree: this.#consent.isPossible,
      compile: (texts) => this.#book.compile(texts),
      suggestions: { ...workspace, placeInProject, toolName: facts.toolName, home, lasts: "always", namesAny: true },
    });
  }

  async #decide(
    request: PermissionRequest,
    assessment: CallAssessment,
    signal: AbortSignal,
    isAccepted = false,
  ): Promise<Verdict> {
    const { toolName, hook } = request;
    const facts = factsOf(request);
    const evaluation = this.#evaluate(facts, assessment);
    const { decision, confinement, opened, hasSandbox } = evaluation;
    const place = { confinement, opened, hasSandbox };
    if (decision === "deny") return this.#verdicts.forbid(toolName, evaluation);
    if (isAccepted) return this.#finish(request, assessment, { by: "the user's answer (a part)", ...place }, signal);
    if (hook?.decision === "ask")
      return this.#ask({ request, assessment, evaluation, more: `a hook asks: ${hook.reason}` }, signal);
    if (hook?.decision === "allow" && evaluation.onlyLacksRule && this.mode !== "plan")
      return this.#finish(
        request,
        assessment,
        { ...place, by: "a hook", confinement: evaluation.confinementAfterYes },
        signal,
      );
    if (decision === "allow") {
      if (opened) this.#deps.tellOnce?.(STAYS_INSIDE, staysInside(evaluation));
      return this.#finish(request, assessment, { by: describeDecision(evaluation), ...place }, signal);
    }
    const { judge } = this.#deps;
    const more = this.#refusals.exhausted;
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
    const { isTrusted, userWords, agent } = this.#deps;
    const facts = { rules: this.#book.rules, isTrusted, userWords: userWords?.() ?? [], agent };
    const { opened: asked } = this.#evaluate(factsOf(request), assessment);
    const answer = await askJudge(judge, () => judgeRequest(request, facts, asked), signal);
    if (signal.aborted) return this.#verdicts.reject(request.toolName);
    // The mode and the rules may have changed in the meantime: check that the judge may still decide about this call.
    const evaluation = this.#evaluate(factsOf(request), assessment);
    if (!evaluation.isForJudge) return this.#decide(request, assessment, signal);
    switch (answer.verdict) {
      case "yes":
        this.#refusals.allowed();
        return this.#finish(
          request,
          assessment,
          { by: JUDGE, confinement: evaluation.confinement, opened: evaluation.opened },
          signal,
        );
      case "no":
        this.#refusals.refused();
        return this.#judgedNo(request, answer.reason, signal);
      case "unsure":
        return this.#ask({ request, assessment, evaluation, more: unsureLine(answer.reason) }, signal);
    }
  }

  async #judgedNo(request: PermissionRequest, reason: string, signal: AbortSignal): Promise<Verdict> {
    const told = await this.#deps.hooks?.denied(request, reason, signal);
    return this.#verdicts.deny(request.toolName, `${JUDGE} (${reason})`, judgedMessage(reason, told?.retry ?? false));
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
    if (evaluation.decision === "deny") return this.#verdicts.forbid(request.toolName, evaluation);
    const current = evaluation.decision === "ask" ? { ...asked, evaluation } : asked;
    const decision = decisionOfHook(current, answer, this.mode);
    if (!decision) return undefined;
    if (decision.kind === "deny") {
      const verdict = this.#verdicts.deny(request.toolName, decision.by, decision.message);
      return decision.endsTurn ? { ...verdict, endsTurn: true } : verdict;
    }
    const { permit, updatedInput, updates } = decision;
    for (const update of updates) applyHookUpdate(update, this, this.#deps.warn);
    if (!updatedInput) return this.#finish(request, assessment, permit, signal);
    return { ...this.#verdicts.allow(request, permit, []), updatedInput, isPart: false };
  }

  async #ask(asked: AskedCall, signal: AbortSignal): Promise<Verdict> {
    // Without such a hook the caller does not wait, so the question appears at once.
    const answer = this.#deps.hooks?.request(asked.request, signal);
    const verdict = answer && (await this.#verdictOfHook(asked, await answer, signal));
    return verdict ?? this.#askPerson(asked, signal);
  }

  async #askPerson(asked: AskedCall, signal: AbortSignal): Promise<Verdict> {
    if (!this.#deps.canAsk) return this.#unanswered(asked);
    const { request, assessment, evaluation } = asked;
    const call = factsOf(request);
    const question = callQuestion(asked, { deps: this.#deps, mode: this.mode, offers: this.#offers });
    const pending: PendingQuestion = { call, assessment };
    // A later rule or mode must not answer a question that a hook asked for.
    if (request.hook?.decision !== "ask") this.#pending.add(question.id, pending);
    const reply = await this.#deps.broker.ask(question, signal).finally(() => this.#pending.delete(question.id));
    if (pending.settled) {
      const { confinement, opened, hasSandbox } = pending.settled;
      // No person saw this call, so its unreadable parts now count as hazards.
      const now = await this.#assessor.assess(call, (found) => this.#evaluate(call, found).decision, signal);
      return this.#finish(
        request,
        now,
        { by: describeDecision(pending.settled), confinement, opened, hasSandbox },
        signal,
      );
    }
    if (reply.decision === "reject") {
      const verdict = this.#verdicts.reject(request.toolName, reply.message);
      return reply.endsTurn ? { ...verdict, endsTurn: true } : verdict;
    }
    // A deny rule may have appeared while the person thought. A mode that has begun since does not undo their yes.
    const now = this.#evaluate(call, assessment);
    if (now.judgements.some(({ decision, cause }) => decision === "deny" && cause.kind !== "mode"))
      return this.#verdicts.forbid(request.toolName, now);
    const accepted = acceptedOf(request, reply);
    if (accepted.kind === "nothing")
      return this.#verdicts.deny(request.toolName, "the user's answer", accepted.message);
    this.#refusals.forget();
    const keeping = this.#kept.keep(reply, question.body, assessment);
    if (keeping) await keeping;
    const permit = {
      by: `the user's answer (${reply.decision})`,
      confinement: evaluation.confinementAfterYes,
      opened: namedByPerson(evaluation.opened),
      hasSandbox: evaluation.hasSandbox,
    };
    if (accepted.kind === "all") return this.#finish(request, assessment, permit, signal);
    // The person replaced the input, so only deny rules can still refuse the new input.
    this.#parts.remember(request.toolUseId, accepted.kind === "part" ? request.call.subjects : undefined);
    return {
      ...this.#verdicts.allow(request, permit, []),
      updatedInput: accepted.input,
      isPart: accepted.kind === "part",
    };
  }

  #unanswered(asked: AskedCall): Verdict {
    const { by, message, remedy } = unansweredCall(asked, this.#offers);
    return { ...this.#verdicts.deny(asked.request.toolName, by, message, true), ...(remedy && { remedy }) };
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
      if (signal.aborted) return this.#verdicts.reject(request.toolName);
      return this.#decide(request, { ...assessment, hazardAssessment: withoutCopy(hazardAssessment, error) }, signal);
    }
  }

  #evaluate(call: CallFacts, assessment: CallAssessment): Evaluation {
    return evaluate(call, this.#situation(assessment));
  }

  #situation({ confining: found, hazardAssessment }: CallAssessment): Situation {
    const confining = found && { ...found, isAgreed: this.#consent.holds(found.state) };
    const [mode, ...otherModes] = this.#tree.modes;
    const { rules } = this.#book;
    return Object.assign(foldersOf(this.#deps), {
      mode,
      otherModes,
      rules,
      confining,
      backup: hazardAssessment?.found,
    });
  }

  /** Settles pending questions that the new rules or the new mode answer. */
  #settleWaiting(): void {
    this.#tree.settleAll();
  }
}

/** A person saw the hosts in the question, so they may be on a private network. */
function namedByPerson(opened: OpenedNetwork | undefined): OpenedNetwork | undefined {
  return opened && { ...opened, hosts: opened.hosts.map((host) => ({ ...host, isOwn: true })) };
}
