import { splitSuggestions } from "../../../contracts/outside-pattern.ts";
import type { Remedy } from "../../../contracts/permission.ts";
import type { ConfinedConsent } from "../confined-consent.ts";
import type { CallAssessment, CallAssessor } from "../judge/call-assessor.ts";
import { evaluate } from "../judge/evaluate.ts";
import type { CallFacts, Evaluation, Situation } from "../judge/judgement.ts";
import type { PermissionDeps } from "../permission-deps.ts";
import { parseCommandPattern } from "../rules/command-pattern.ts";
import type { RuleBook } from "../rules/rule-book.ts";
import { type SuggestionContext, suggestRules } from "./suggest.ts";

/** The parts of an engine that questions about its calls use. */
export type AskingParts = {
  readonly deps: PermissionDeps;
  readonly book: RuleBook;
  readonly consent: ConfinedConsent;
  readonly assessor: CallAssessor;
  situation(assessment: CallAssessment): Situation;
  /** Called when an answer has changed the rules or the consent. */
  changed(): void;
};

/**
 * Computes the offers of a question in addition to yes and no, and the remedy for a call that no person could answer.
 */
export class CallOffers {
  readonly #parts: AskingParts;

  constructor(parts: AskingParts) {
    this.#parts = parts;
  }

  /** Rules that would have allowed the call. */
  rules(
    call: CallFacts,
    assessment: CallAssessment,
    evaluation: Evaluation,
    wanted: Pick<SuggestionContext, "lasts" | "namesAny">,
  ): readonly string[] {
    const { deps, book } = this.#parts;
    const { home, workspace, placeInProject } = deps.folders;
    const { projectRoot, roots, isBroad } = workspace;
    const backup = assessment.hazardAssessment?.found;
    const place = { toolName: call.toolName, projectRoot, roots, isBroad, home, backup, placeInProject };
    const texts = suggestRules(evaluation, { ...place, ...wanted });
    if (texts.length === 0) return [];
    const situation = this.#parts.situation(assessment);
    const { rules, outside } = splitSuggestions(texts);
    // A rule that leaves the sandbox as it is changes nothing where only the managed file may allow anything.
    if (outside.length > 0 && deps.settings.managedRulesOnly) return [];
    const added = {
      ...situation,
      rules: [...situation.rules, ...book.compile(rules)],
      confining: situation.confining && {
        ...situation.confining,
        excluded: [...situation.confining.excluded, ...outside.map(parseCommandPattern)],
      },
    };
    // With the patterns among the excluded commands, the model's wish to run the call outside needs no question.
    return evaluate(call, added).decision === "allow" ? texts : [];
  }

  /**
   * The text of the offer to run confined commands without a question; undefined if accepting would not let this call
   * run.
   */
  consent(call: CallFacts, assessment: CallAssessment): string | undefined {
    const words = assessment.confining && this.#parts.consent.offer(assessment.confining.state);
    return words !== undefined && this.#wouldRun(call, assessment) ? words : undefined;
  }

  /** The change that would let the same call run in a later session in which nobody can answer. */
  remedy(call: CallFacts, assessment: CallAssessment, rules: readonly string[]): Remedy | undefined {
    const { rules: allowed, outside } = splitSuggestions(rules);
    const isNarrow = allowed.length > 0 && outside.length === 0;
    if (this.#parts.consent.isPossible && this.#wouldRun(call, assessment))
      return { kind: "confined", ...(isNarrow && { rules: allowed }) };
    if (rules.length === 0) return this.#hosts(call, assessment);
    const mode = this.#editMode(call, assessment);
    return { kind: "rules", rules: allowed, ...(outside.length > 0 && { outside }), ...(mode && { mode }) };
  }

  /** The mode for edits, if the call is an edit that would run in this mode. */
  #editMode(call: CallFacts, assessment: CallAssessment): "acceptEdits" | undefined {
    const { otherModes = [], ...situation } = this.#parts.situation(assessment);
    if (call.level !== "write" || otherModes.length > 0) return undefined;
    return evaluate(call, { ...situation, mode: "acceptEdits" }).decision === "allow" ? "acceptEdits" : undefined;
  }

  /** The hosts that would let the call run if the person's settings opened them to every command. */
  #hosts(call: CallFacts, assessment: CallAssessment): Remedy | undefined {
    const { confining, ...situation } = this.#parts.situation(assessment);
    if (confining?.state.kind === undefined) return undefined;
    const hosts = (evaluate(call, { ...situation, confining }).opened?.hosts ?? []).map(({ host }) => host);
    if (hosts.length === 0) return undefined;
    const opened = { ...confining, state: { ...confining.state, hasNetwork: true }, allowedDomains: hosts };
    const { decision } = evaluate(call, { ...situation, confining: opened });
    return decision === "allow" ? { kind: "rules", rules: [], hosts } : undefined;
  }

  /** True if the call would run without a question once a person agrees to that for confined commands. */
  #wouldRun(call: CallFacts, assessment: CallAssessment): boolean {
    const { confining, ...situation } = this.#parts.situation(assessment);
    if (!confining) return false;
    const { decision, confinement } = evaluate(call, { ...situation, confining: { ...confining, isAgreed: true } });
    return decision === "allow" && confinement === "sandbox";
  }
}
