import { ToolFailedError, UnansweredError } from "../../contracts/errors.ts";
import type { Asker, Question } from "../../contracts/permission.ts";
import type { RuleGap } from "./ruled.ts";

/** Asks, once a session for each rule that can't be carried out in full, whether commands run in the sandbox all the same. */
export class RuleGaps {
  readonly #deps: { readonly asker?: Asker | undefined; readonly warn?: ((line: string) => void) | undefined };
  /** By rule: whether commands run. */
  readonly #answers = new Map<string, Promise<boolean>>();

  constructor(deps: { readonly asker?: Asker | undefined; readonly warn?: ((line: string) => void) | undefined }) {
    this.#deps = deps;
  }

  /**
   * Where nobody can be asked the person is told in one line: outside of a session, and of packages and caches.
   * @throws {UnansweredError} nobody can answer.
   * @throws {ToolFailedError} the person does not want it.
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
        `This was not run: the rule ${gap.rule} can't be carried out in full in the sandbox (${gap.why}), and the user does not want commands to run so.`,
      );
    }
  }

  async #ask(gap: RuleGap, signal: AbortSignal): Promise<boolean> {
    const { asker, warn } = this.#deps;
    if (!asker?.canAsk) {
      warn?.(`The rule ${gap.rule} can't be carried out in full in the sandbox: ${gap.why}.`);
      return true;
    }
    return (await asker.ask(gapQuestion(gap), signal)).decision !== "reject";
  }
}

function unanswered({ rule, why }: RuleGap): UnansweredError {
  const fault = `the rule ${rule} can't be carried out in full in the sandbox (${why})`;
  return new UnansweredError(
    `This was not run: ${fault}, and nobody can be asked. No other confined command runs either.`,
    `${fault}: replace it by a narrower rule, such as a path without wildcards`,
  );
}

function gapQuestion({ rule, why }: RuleGap): Omit<Question, "id"> {
  return {
    kind: "gap",
    toolUseId: "",
    toolName: "",
    title: "Run commands all the same, in this session?",
    preview: { kind: "text", text: `The rule ${rule} can't be carried out in full in the sandbox.` },
    reason: `${why.charAt(0).toUpperCase()}${why.slice(1)}.`,
    hazards: ["a command's programs can reach what the rule means there, if its words don't name it"],
    suggestions: [],
    sessionRules: [],
  };
}
