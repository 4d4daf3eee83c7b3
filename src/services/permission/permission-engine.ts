import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type {
  CallJudge,
  ConsentStatus,
  PathRule,
  PermissionMode,
  PermissionRequest,
  Remedy,
  RuleChange,
  RuleDescription,
  Verdict,
} from "../../contracts/permission.ts";
import type { SandboxState } from "../../contracts/ports.ts";
import { makeGrant, type Subject } from "../../contracts/subject.ts";
import { realPathOrSelf } from "../../platform/paths.ts";
import { askJudge, JudgeRefusals, judgeRequest } from "./auto-mode.ts";
import { ConfinedConsent } from "./confined-consent.ts";
import { DenialCounter } from "./denial-counter.ts";
import { evaluate } from "./evaluate.ts";
import { describeDecision, judgedMessage, refusalMessage, rejectionMessage, unansweredMessage } from "./explain.ts";
import { explainCall } from "./explain-call.ts";
import type { Explanation } from "./explanation.ts";
import { withoutCopy } from "./guarding.ts";
import { type CallFacts, type Confinement, type Evaluation, factsOf, type Situation } from "./judgement.ts";
import { Lookout, type Surroundings } from "./lookout.ts";
import { makeQuestion } from "./make-question.ts";
import { tightensMatch } from "./match-rule.ts";
import { pathRulesOf } from "./path-rules.ts";
import type { PermissionDeps, PermissionService } from "./permission-deps.ts";
import { READ_TOOLS, type Rule } from "./rule.ts";
import { RuleBook } from "./rule-book.ts";
import { isSecret } from "./secrets.ts";
import { type SuggestionContext, suggestRules } from "./suggest.ts";
import { TakenParts, takenOf } from "./taken-parts.ts";

export type { PermissionDeps, PermissionService } from "./permission-deps.ts";

const JUDGE = "the judge of mode auto";

/**
 * Makes the engine that judges every call.
 * @throws {UserFacingError} (exit 2) a rule is broken, or the mode may not be used.
 */
export function createPermissionEngine(deps: PermissionDeps): PermissionService {
  return new RuleEngine(deps);
}

/** How a question was settled when no person did it: the rules or the mode changed meanwhile. */
type Recheck = { readonly call: CallFacts; readonly around: Surroundings; settled?: Evaluation };

/** A call that somebody must decide about; `more` is a reason beside the judgements. */
type Asked = {
  readonly request: PermissionRequest;
  readonly around: Surroundings;
  readonly evaluation: Evaluation;
  readonly more: string | undefined;
};

/** What lets a call run. */
type Permit = { readonly by: string; readonly confinement: Confinement };

class RuleEngine implements PermissionService {
  readonly #deps: PermissionDeps;
  readonly #book: RuleBook;
  readonly #lookout: Lookout;
  readonly #denials = new DenialCounter();
  readonly #refusals = new JudgeRefusals();
  readonly #parts = new TakenParts();
  readonly #consent: ConfinedConsent;
  readonly #waiting = new Map<string, Recheck>();
  #mode: PermissionMode = "default";
  #paths: { readonly of: readonly Rule[]; readonly rules: readonly PathRule[] } | undefined;

  constructor(deps: PermissionDeps) {
    this.#deps = deps;
    const { workspace, home, isTrusted, isCaseInsensitive = false, managedRulesOnly = false } = deps;
    const paths = { roots: workspace.roots, home, realPath: realPathOrSelf, isCaseInsensitive };
    this.#book = new RuleBook(deps.rules, { ...paths, isTrusted, managedRulesOnly }, workspace.projectRoot);
    for (const warning of this.#book.warnings) deps.warn(warning);
    this.#lookout = new Lookout(deps);
    this.#consent = new ConfinedConsent(deps.consent, () => this.pathRules());
    this.#enter(deps.mode);
  }

  get mode(): PermissionMode {
    return this.#mode;
  }

  /** @throws {UserFacingError} the mode may not be used; nothing changes. */
  set mode(mode: PermissionMode) {
    this.#enter(mode);
    this.#settleWaiting();
  }

  #enter(mode: PermissionMode): void {
    if (mode === "bypassPermissions") this.#deps.checkBypass();
    if (mode === "auto" && this.#mode !== "auto") {
      if (!this.#deps.judge) {
        throw new UserFacingError(
          "The mode auto can't be used here: it needs a model that judges calls, and settings may forbid it (disableAutoMode). Choose another mode.",
          2,
        );
      }
      const wide = this.#book.rules.filter(({ wide }) => wide !== undefined).map(({ text }) => text);
      if (wide.length > 0) {
        this.#deps.warn(
          `In mode auto these rules don't count, since they would pass the judge by: ${wide.join(", ")}.`,
        );
      }
    }
    this.#mode = mode;
  }

  async authorize(request: PermissionRequest, signal: AbortSignal): Promise<Verdict> {
    const isTaken = this.#parts.take(request.toolUseId, request.call.subjects);
    const facts = factsOf(request);
    const decide = (around: Surroundings) => this.#evaluate(facts, around).decision;
    // Nothing is awaited for a call that needs no looking round: its question stands at once.
    const looking = this.#lookout.lookRound(facts, decide, signal);
    const around = looking instanceof Promise ? await looking : looking;
    return this.#decide(request, around, signal, isTaken);
  }

  hiddenTools(names: readonly string[]): ReadonlySet<string> {
    return this.#book.hiddenTools(names);
  }

  describe(): readonly RuleDescription[] {
    return this.#book.describe(this.#mode);
  }

  isHidden(path: string): boolean {
    const subject: Subject = { action: "read", path };
    const isTightened = (toolName: string) =>
      this.#book.rules.some((rule) => rule.decision !== "allow" && tightensMatch(rule, { toolName, subject }));
    if ([...READ_TOOLS].some(isTightened)) return true;
    if (!isSecret(path)) return false;
    const call: CallFacts = { toolName: "Read", level: "read", subjects: [subject] };
    return this.#evaluate(call, { confining: undefined, guarding: undefined }).decision !== "allow";
  }

  pathRules(): readonly PathRule[] {
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

  consent(): ConsentStatus {
    return this.#consent.status();
  }

  async revokeConsent(): Promise<readonly string[]> {
    return this.#consent.revoke();
  }

  async explain(request: PermissionRequest, signal: AbortSignal = new AbortController().signal): Promise<Explanation> {
    const facts = factsOf(request);
    const around = await this.#lookout.lookRound(facts, () => "ask", signal);
    const { home, workspace } = this.#deps;
    return explainCall({
      call: facts,
      title: request.call.title,
      situation: this.#situation(around),
      guarding: around.guarding,
      awaitingTrust: this.#book.awaitingTrust,
      mayAgree: this.#consent.isPossible,
      compile: (texts) => this.#book.compile(texts),
      suggestions: { ...workspace, toolName: facts.toolName, home, lasts: "always", namesAny: true },
    });
  }

  async #decide(
    request: PermissionRequest,
    around: Surroundings,
    signal: AbortSignal,
    isTaken = false,
  ): Promise<Verdict> {
    const { toolName, hook } = request;
    const facts = factsOf(request);
    const evaluation = this.#evaluate(facts, around);
    const { decision, confinement } = evaluation;
    if (decision === "deny") {
      return this.#deny(toolName, describeDecision(evaluation), refusalMessage(evaluation, toolName));
    }
    if (isTaken) return this.#finish(request, around, { by: "the user's answer (a part)", confinement }, signal);
    if (hook?.decision === "ask")
      return this.#ask({ request, around, evaluation, more: `a hook asks: ${hook.reason}` }, signal);
    if (hook?.decision === "allow" && evaluation.onlyLacksRule && this.#mode !== "plan")
      return this.#finish(request, around, { by: "a hook", confinement: evaluation.confinementAfterYes }, signal);
    if (decision === "allow") {
      return this.#finish(request, around, { by: describeDecision(evaluation), confinement }, signal);
    }
    const { judge } = this.#deps;
    const more = this.#refusals.exhausted;
    if (evaluation.isForJudge && judge && more === undefined) return this.#judge(judge, request, around, signal);
    return this.#ask({ request, around, evaluation, more: evaluation.isForJudge ? more : undefined }, signal);
  }

  async #judge(
    judge: CallJudge,
    request: PermissionRequest,
    around: Surroundings,
    signal: AbortSignal,
  ): Promise<Verdict> {
    const { isTrusted, userWords } = this.#deps;
    const facts = { rules: this.#book.rules, isTrusted, userWords: userWords?.() ?? [] };
    const answer = await askJudge(judge, () => judgeRequest(request, facts), signal);
    if (signal.aborted) return this.#deny(request.toolName, "the user's answer", rejectionMessage(undefined));
    // The mode and the rules may be others by now: what was judged must still be the judge's to allow.
    const evaluation = this.#evaluate(factsOf(request), around);
    if (!evaluation.isForJudge) return this.#decide(request, around, signal);
    switch (answer.verdict) {
      case "yes":
        this.#refusals.allowed();
        return this.#finish(request, around, { by: JUDGE, confinement: evaluation.confinement }, signal);
      case "no":
        this.#refusals.refused();
        return this.#deny(request.toolName, `${JUDGE} (${answer.reason})`, judgedMessage(answer.reason));
      case "unsure":
        return this.#ask({ request, around, evaluation, more: `${JUDGE} could not say (${answer.reason})` }, signal);
    }
  }

  async #ask({ request, around, evaluation, more }: Asked, signal: AbortSignal): Promise<Verdict> {
    const { broker, canAsk, ids } = this.#deps;
    const call = factsOf(request);
    if (!canAsk) {
      const suggestions = this.#suggestions(call, around, evaluation, { lasts: "always", namesAny: true });
      const message = unansweredMessage(evaluation, suggestions, more);
      const isAskedByHook = request.hook?.decision === "ask";
      const remedy = isAskedByHook ? undefined : this.#remedy(call, around, suggestions);
      return {
        ...this.#deny(request.toolName, describeDecision(evaluation), message, true),
        ...(remedy && { remedy }),
      };
    }
    const consent = request.hook?.decision === "ask" ? undefined : this.#offer(call, around);
    const question = makeQuestion({
      id: ids.next(),
      request,
      evaluation,
      guarding: around.guarding,
      sandbox: this.#sandboxShown(around),
      more,
      projectRoot: this.#deps.workspace.projectRoot,
      suggestions: this.#suggestions(call, around, evaluation, { lasts: "always" }),
      sessionRules: this.#suggestions(call, around, evaluation, { lasts: "session" }),
      consent,
    });
    const recheck: Recheck = { call, around };
    // What a hook wants asked, neither a rule nor a mode that comes meanwhile answers.
    if (request.hook?.decision !== "ask") this.#waiting.set(question.id, recheck);
    const reply = await broker.ask(question, signal).finally(() => this.#waiting.delete(question.id));
    if (recheck.settled) {
      const { confinement } = recheck.settled;
      // Nobody has looked at it: what can't be read in it counts by now.
      const now = await this.#lookout.lookRound(call, (found) => this.#evaluate(call, found).decision, signal);
      return this.#finish(request, now, { by: describeDecision(recheck.settled), confinement }, signal);
    }
    if (reply.decision === "reject") {
      const verdict = this.#deny(request.toolName, "the user's answer", rejectionMessage(reply.message));
      return reply.endsTurn ? { ...verdict, endsTurn: true } : verdict;
    }
    const taken = takenOf(request, reply);
    if (taken.kind === "nothing") return this.#deny(request.toolName, "the user's answer", taken.message);
    this.#refusals.forget();
    if (reply.decision === "always") await this.#persist(question.suggestions);
    if (reply.decision === "session") this.#remember(question.sessionRules);
    if (reply.decision === "confined" && consent !== undefined) await this.#agree(reply.lasts, around);
    const permit = { by: `the user's answer (${reply.decision})`, confinement: evaluation.confinementAfterYes };
    if (taken.kind === "all") return this.#finish(request, around, permit, signal);
    // Another input altogether is what whoever answers wants to run: only rules that deny still speak against it.
    this.#parts.remember(request.toolUseId, taken.kind === "part" ? request.call.subjects : undefined);
    return { ...this.#allow(request, permit, []), updatedInput: taken.input, isPart: taken.kind === "part" };
  }

  /** Makes the way back, if the call needs one, and lets it run. A way back that can't be made is none: then it is judged anew. */
  async #finish(
    request: PermissionRequest,
    around: Surroundings,
    permit: Permit,
    signal: AbortSignal,
  ): Promise<Verdict> {
    const { guarding } = around;
    if (!guarding?.wayBack) return this.#allow(request, permit, []);
    try {
      return this.#allow(request, permit, await guarding.wayBack.make(signal));
    } catch (error) {
      if (signal.aborted) return this.#deny(request.toolName, "the user's answer", rejectionMessage(undefined));
      return this.#decide(request, { ...around, guarding: withoutCopy(guarding, error) }, signal);
    }
  }

  /** The words of the offer that confined commands need no question; undefined where a yes to it would not let this call run. */
  #offer(call: CallFacts, around: Surroundings): string | undefined {
    const words = around.confining && this.#consent.offer(around.confining.state);
    return words !== undefined && this.#wouldRun(call, around) ? words : undefined;
  }

  /** What lets the same call run in a later session where nobody can answer. */
  #remedy(call: CallFacts, around: Surroundings, rules: readonly string[]): Remedy | undefined {
    if (this.#consent.isPossible && this.#wouldRun(call, around)) return { kind: "confined" };
    return rules.length > 0 ? { kind: "rules", rules } : undefined;
  }

  /** Whether a call runs unasked once somebody agrees that confined commands need no question. */
  #wouldRun(call: CallFacts, around: Surroundings): boolean {
    const { confining, ...situation } = this.#situation(around);
    if (!confining) return false;
    const { decision, confinement } = evaluate(call, { ...situation, confining: { ...confining, isAgreed: true } });
    return decision === "allow" && confinement === "sandbox";
  }

  async #agree(lasts: "session" | "always", { confining }: Surroundings): Promise<void> {
    if (!confining) return;
    const problem = await this.#consent.agree(lasts, confining.state);
    if (problem !== undefined) this.#deps.warn(problem);
    this.#settleWaiting();
  }

  /** The sandbox as far as it plays a part for a call. */
  #sandboxShown({ confining }: Surroundings): SandboxState | undefined {
    if (this.#mode === "bypassPermissions" && confining?.inBypass !== true) return undefined;
    return confining?.state;
  }

  #evaluate(call: CallFacts, around: Surroundings): Evaluation {
    return evaluate(call, this.#situation(around));
  }

  #situation({ confining: found, guarding }: Surroundings): Situation {
    const confining = found && { ...found, isAgreed: this.#consent.holds(found.state) };
    const { workspace, freeReadRoots, ownFolders, isCaseInsensitive = false } = this.#deps;
    const { roots, isBroad } = workspace;
    const fixed = { roots, isBroad, freeReadRoots, ownFolders, isCaseInsensitive };
    return { ...fixed, mode: this.#mode, rules: this.#book.rules, confining, wayBack: guarding?.found };
  }

  /** Only rules that would really have allowed the call are offered. */
  #suggestions(
    call: CallFacts,
    around: Surroundings,
    evaluation: Evaluation,
    wanted: Pick<SuggestionContext, "lasts" | "namesAny">,
  ): readonly string[] {
    const { home, workspace } = this.#deps;
    const { projectRoot, roots, isBroad } = workspace;
    const place = { toolName: call.toolName, projectRoot, roots, isBroad, home, wayBack: around.guarding?.found };
    const texts = suggestRules(evaluation, { ...place, ...wanted });
    if (texts.length === 0) return [];
    const situation = this.#situation(around);
    const added = { ...situation, rules: [...situation.rules, ...this.#book.compile(texts)] };
    return evaluate(call, added).decision === "allow" ? texts : [];
  }

  async #persist(rules: readonly string[]): Promise<void> {
    if (rules.length === 0) return;
    try {
      const file = await this.#deps.persist(rules);
      this.#book.keep(rules, file);
      this.#settleWaiting();
    } catch (error) {
      this.#deps.warn(`${errorMessage(error)} It was allowed this once.`);
    }
  }

  #remember(texts: readonly string[]): void {
    this.#book.remember(texts);
    this.#settleWaiting();
  }

  /** Questions that the new rules or the new mode answer are not asked any longer. */
  #settleWaiting(): void {
    for (const [id, recheck] of [...this.#waiting]) {
      const evaluation = this.#evaluate(recheck.call, recheck.around);
      if (evaluation.decision !== "allow") continue;
      recheck.settled = evaluation;
      if (!this.#deps.broker.reply(id, { decision: "once" })) delete recheck.settled;
    }
  }

  #allow({ toolUseId, toolName }: PermissionRequest, { by, confinement }: Permit, notes: readonly string[]) {
    this.#denials.allowed(toolName);
    return { decision: "allow", grant: makeGrant({ toolUseId, confinement, by, notes }) } as const;
  }

  #deny(toolName: string, by: string, message: string, unanswered = false): Extract<Verdict, { decision: "deny" }> {
    return { decision: "deny", by, message: `${message}${this.#denials.denied(toolName)}`, unanswered };
  }
}
