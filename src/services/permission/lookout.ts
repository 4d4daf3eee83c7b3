import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import type { Decision } from "../../contracts/permission.ts";
import type { SandboxState } from "../../contracts/ports.ts";
import { type CommandPattern, parseCommandPattern } from "./command-pattern.ts";
import { assess, type Guarding, hazardsOf, unreadOf } from "./guarding.ts";
import type { CallFacts, Confining, SandboxPolicy } from "./judgement.ts";
import type { PermissionDeps } from "./permission-deps.ts";
import { RuleSyntaxError } from "./rule-syntax.ts";

/** What was found out about one call before it is judged. */
export type Surroundings = {
  readonly confining: Omit<Confining, "isAgreed"> | undefined;
  readonly guarding: Guarding | undefined;
};

const DEFAULTS: SandboxPolicy = {
  excludedCommands: [],
  allowUnsandboxed: true,
  required: false,
  inBypass: false,
};

/** Finds out what a verdict depends on beside the rules: whether commands can be confined, and what can be brought back. */
export class Lookout {
  readonly #deps: Pick<PermissionDeps, "sandbox" | "guard">;
  readonly #policy: Omit<Confining, "state" | "isAgreed">;

  /** @throws {UserFacingError} (exit 2) a pattern of an excluded command is broken. */
  constructor(deps: Pick<PermissionDeps, "sandbox" | "sandboxPolicy" | "guard">) {
    this.#deps = deps;
    const { excludedCommands, ...policy } = deps.sandboxPolicy ?? DEFAULTS;
    this.#policy = { ...policy, excluded: excludedCommands.map(parseExcluded) };
  }

  /**
   * Never rejects. Not a promise where nothing has to be looked at. What nobody can read counts only where it would run unasked.
   * @param decide What becomes of the call with what is known so far: where it is refused in any case the guard is spared the work.
   */
  lookRound(
    call: CallFacts,
    decide: (around: Surroundings) => Decision,
    signal: AbortSignal,
  ): Surroundings | Promise<Surroundings> {
    const hazards = hazardsOf(call.subjects);
    const mayBeConfined = call.toolName === "Bash" && (this.#deps.sandbox !== undefined || this.#policy.required);
    const unguarded: Guarding | undefined = hazards.length === 0 ? undefined : { hazards, found: { kind: "off" } };
    const { guard } = this.#deps;
    const bare: Surroundings = { confining: undefined, guarding: unguarded };
    const unread = guard ? unreadOf(call.subjects) : [];
    const mayBeUnread = unread.length > 0 && (mayBeConfined || decide(bare) === "allow");
    if (!mayBeConfined && (!unguarded || !guard) && !mayBeUnread) return bare;
    const look = async (): Promise<Surroundings> => {
      const confining = mayBeConfined ? { ...this.#policy, state: await this.#state() } : undefined;
      const plain: Surroundings = { confining, guarding: unguarded };
      if (!guard || (!unguarded && !mayBeUnread) || decide(plain) === "deny") return plain;
      const around = unguarded ? { confining, guarding: await assess(guard, hazards, signal) } : plain;
      if (!mayBeUnread || decide(around) !== "allow") return around;
      return { confining, guarding: await assess(guard, [...hazards, ...unread], signal) };
    };
    return look();
  }

  async #state(): Promise<SandboxState> {
    try {
      return (await this.#deps.sandbox?.()) ?? { kind: undefined, reason: undefined };
    } catch (error) {
      return { kind: undefined, reason: errorMessage(error) };
    }
  }
}

function parseExcluded(text: string): CommandPattern {
  try {
    return parseCommandPattern(text);
  } catch (error) {
    if (!(error instanceof RuleSyntaxError)) throw error;
    const line = `The setting sandbox.excludedCommands: ${JSON.stringify(text)} is broken: ${error.message}.`;
    throw new UserFacingError(line, 2, { cause: error });
  }
}
