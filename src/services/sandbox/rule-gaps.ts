import { ToolFailedError, UnansweredError } from "../../contracts/errors.ts";
import type { PathRule } from "../../contracts/permission.ts";
import type { Asker, NewQuestion } from "../../contracts/question.ts";

export type RuledPath = { readonly path: string; readonly rule: PathRule };

/** A rule that the sandbox can't fully enforce, with the reason. */
export type RuleGap = {
  readonly rule: string;
  readonly why: string;
  /** True when only installed packages and caches are not searched: they rarely hold files that a rule hides. */
  readonly isMinor: boolean;
};

export type RuledPaths = {
  readonly mounts: readonly RuledPath[];
  readonly gaps: readonly RuleGap[];
  /** Ask rules for paths that this command names: the person allowed it to create files there. */
  readonly opened: ReadonlySet<PathRule>;
};

export const NO_RULES: RuledPaths = { mounts: [], gaps: [], opened: new Set() };

/** Asks, once per session and rule, whether commands may run although the sandbox can't fully enforce the rule. */
export class RuleGaps {
  readonly #deps: { readonly asker?: Asker | undefined; readonly onNotice?: ((line: string) => void) | undefined };
  /** Answers by rule: whether commands may run. */
  readonly #answers = new Map<string, Promise<boolean>>();

  constructor(deps: { readonly asker?: Asker | undefined; readonly onNotice?: ((line: string) => void) | undefined }) {
    this.#deps = deps;
  }

  /**
   * Shows a one-line warning instead of a question outside a session, and for minor gaps (packages and caches).
   * @throws {UnansweredError} nobody can answer.
   * @throws {ToolFailedError} the person refused.
   */
  async settle(gaps: readonly RuleGap[], signal: AbortSignal): Promise<void> {
    const { asker } = this.#deps;
    for (const gap of gaps) {
      if (asker && !asker.canAsk && !gap.isMinor) throw unanswered(gap);
      let answer = this.#answers.get(gap.rule);
      if (!answer) {
        answer = this.#ask(gap, signal);
        this.#answers.set(gap.rule, answer);
      }
      if (await answer) continue;
      if (signal.aborted) this.#answers.delete(gap.rule);
      throw new ToolFailedError(
        `Not run: the sandbox can't fully enforce the rule ${gap.rule} (${gap.why}), and the user does not want commands to run that way.`,
      );
    }
  }

  async #ask(gap: RuleGap, signal: AbortSignal): Promise<boolean> {
    const { asker, onNotice } = this.#deps;
    if (!asker?.canAsk) {
      onNotice?.(`The sandbox can't fully enforce the rule ${gap.rule}: ${gap.why}.`);
      return true;
    }
    return (await asker.ask(gapQuestion(gap), signal)).decision !== "reject";
  }
}

function unanswered({ rule, why }: RuleGap): UnansweredError {
  const fault = `the sandbox can't fully enforce the rule ${rule} (${why})`;
  return new UnansweredError(
    `Not run: ${fault}, and nobody can be asked. No other command in the sandbox runs either.`,
    {
      kind: "sandbox",
      rule,
      reason: `${fault}: use a narrower rule, such as a path without wildcards`,
    },
  );
}

function gapQuestion({ rule, why }: RuleGap): NewQuestion {
  return {
    title: "Run commands anyway, in this session?",
    body: {
      kind: "gap",
      preview: { kind: "text", text: `The sandbox can't fully enforce the rule ${rule}.` },
      reason: `${why.charAt(0).toUpperCase()}${why.slice(1)}.`,
      hazards: ["programs can reach files that the rule covers when the command does not name them"],
    },
  };
}
