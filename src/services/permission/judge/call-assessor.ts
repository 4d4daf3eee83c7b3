import { errorMessage, UserFacingError } from "../../../contracts/errors.ts";
import type { Decision } from "../../../contracts/permission.ts";
import type { SandboxState } from "../../../contracts/ports.ts";
import { commandFault, isExactSpec, tidyCommandSpec } from "../rules/command-faults.ts";
import { type CommandPattern, parseCommandPattern } from "../rules/command-pattern.ts";
import { RuleSyntaxError } from "../rules/rule-syntax.ts";
import { assessHazards, type HazardAssessment, hazardsOf, unreadOf } from "./hazard-assessment.ts";
import type { CallFacts, Confining, JudgedFolders, SandboxPolicy } from "./judgement.ts";

/** The facts about one call that its judgement needs in addition to the rules. */
export type CallAssessment = {
  readonly confining: Omit<Confining, "isAgreed"> | undefined;
  readonly hazardAssessment: HazardAssessment | undefined;
};

const DEFAULTS: SandboxPolicy = {
  excludedCommands: [],
  allowUnsandboxed: true,
  required: false,
  inBypass: false,
};

/** Finds out whether commands can be confined and whether a backup is possible before a destructive call. */
export class CallAssessor {
  readonly #folders: Pick<JudgedFolders, "sandbox" | "guard">;
  readonly #policy: Omit<Confining, "state" | "isAgreed">;
  /** Grows by answers; shared with the engines of child agents. */
  readonly #excluded: CommandPattern[];

  /** @throws {UserFacingError} (exit 2) a pattern in `excludedCommands` is invalid. */
  constructor(
    folders: Pick<JudgedFolders, "sandbox" | "guard">,
    { excludedCommands, ...policy }: SandboxPolicy = DEFAULTS,
    parent?: CallAssessor,
  ) {
    this.#folders = folders;
    this.#excluded = parent ? parent.#excluded : excludedCommands.map(parseExcluded);
    this.#policy = { ...policy, excluded: this.#excluded };
  }

  /** From now on, commands that match these patterns run outside the sandbox. */
  exclude(patterns: readonly string[]): void {
    this.#excluded.push(...patterns.map(parseExcluded));
  }

  /**
   * Never rejects. Returns a promise only when the sandbox or the guard must be asked. Unreadable commands count as
   * hazards only where they would run without a question.
   * @param decide Decides the call from the facts so far: the guard is not asked about a call that is denied anyway.
   */
  assess(
    call: CallFacts,
    decide: (assessment: CallAssessment) => Decision,
    signal: AbortSignal,
  ): CallAssessment | Promise<CallAssessment> {
    const hazards = hazardsOf(call.subjects);
    const mayBeConfined = call.toolName === "Bash" && (this.#folders.sandbox !== undefined || this.#policy.required);
    const unguarded: HazardAssessment | undefined =
      hazards.length === 0 ? undefined : { hazards, found: { kind: "off" } };
    const { guard } = this.#folders;
    const bare: CallAssessment = { confining: undefined, hazardAssessment: unguarded };
    const unread = guard ? unreadOf(call.subjects) : [];
    const mayBeUnread = unread.length > 0 && (mayBeConfined || decide(bare) === "allow");
    if (!mayBeConfined && (!unguarded || !guard) && !mayBeUnread) return bare;
    const look = async (): Promise<CallAssessment> => {
      const confining = mayBeConfined ? { ...this.#policy, state: await this.#state() } : undefined;
      const plain: CallAssessment = { confining, hazardAssessment: unguarded };
      if (!guard || (!unguarded && !mayBeUnread) || decide(plain) === "deny") return plain;
      const assessment = unguarded
        ? { confining, hazardAssessment: await assessHazards(guard, hazards, signal) }
        : plain;
      if (!mayBeUnread || decide(assessment) !== "allow") return assessment;
      return { confining, hazardAssessment: await assessHazards(guard, [...hazards, ...unread], signal) };
    };
    return look();
  }

  async #state(): Promise<SandboxState> {
    try {
      return (await this.#folders.sandbox?.()) ?? { kind: undefined, reason: undefined };
    } catch (error) {
      return { kind: undefined, reason: errorMessage(error) };
    }
  }
}

function parseExcluded(text: string): CommandPattern {
  try {
    const spec = tidyCommandSpec(text);
    const fault = commandFault(spec, isExactSpec(spec));
    if (fault !== undefined) throw new RuleSyntaxError(fault);
    return parseCommandPattern(spec);
  } catch (error) {
    if (!(error instanceof RuleSyntaxError)) throw error;
    const line = `sandbox.excludedCommands: ${JSON.stringify(text)} is invalid: ${error.message}.`;
    throw new UserFacingError(line, 2, { cause: error });
  }
}
