import { errorMessage } from "../../../contracts/errors.ts";
import { splitSuggestions } from "../../../contracts/outside-pattern.ts";
import type { PermissionBody, Reply } from "../../../contracts/question.ts";
import type { ConfinedConsent } from "../confined-consent.ts";
import type { CallAssessment } from "../judge/call-assessor.ts";
import type { PermissionDeps } from "../permission-deps.ts";
import type { RuleBook } from "../rules/rule-book.ts";

export type KeptDeps = Pick<PermissionDeps, "persist" | "warn"> & {
  readonly book: Pick<RuleBook, "keep" | "remember">;
  readonly consent: Pick<ConfinedConsent, "agree">;
  /** From now on, commands that match these patterns run outside the sandbox. */
  exclude(patterns: readonly string[]): void;
  /** Called when an answer has changed the rules or the consent. */
  changed(): void;
};

/** Stores the part of an answer that applies to later calls: rules, or the consent to confined commands. */
export class KeptAnswers {
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
    if (reply.decision === "session") this.#remember(splitSuggestions(sessionRules));
    if (reply.decision === "confined" && consent !== undefined) return this.#agree(reply.lasts, assessment);
    return undefined;
  }

  async #persist(suggestions: readonly string[]): Promise<void> {
    if (suggestions.length === 0) return;
    const { persist, book, exclude, changed, warn } = this.#deps;
    const { rules, outside } = splitSuggestions(suggestions);
    try {
      const file = await persist(rules, outside);
      book.keep(rules, file);
      exclude(outside);
      changed();
    } catch (error) {
      warn(`${errorMessage(error)} The call was allowed once.`);
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
    if (problem !== undefined) this.#deps.warn(problem);
    this.#deps.changed();
  }
}
