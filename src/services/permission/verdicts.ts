import type { DecidedBy } from "../../contracts/decided-by.ts";
import type { PermissionRequest, Verdict } from "../../contracts/permission.ts";
import { makeGrant } from "../../contracts/subject.ts";
import { decidedBy, refusalMessage, rejectionMessage } from "./judge/explain.ts";
import type { Evaluation } from "./judge/judgement.ts";
import type { Permit } from "./question/call-questions.ts";

type Denial = Extract<Verdict, { decision: "deny" }>;

/** Makes the verdicts of one engine. After many refusals, a refusal tells the model to change its approach. */
export class Verdicts {
  readonly #denials = new DenialCounter();

  allow({ toolUseId, toolName }: PermissionRequest, permit: Permit, notes: readonly string[]) {
    const { decidedBy, confinement, opened, hasSandbox } = permit;
    this.#denials.allowed(toolName);
    const grant = makeGrant({
      toolUseId,
      confinement,
      ...(opened && { opened }),
      ...(hasSandbox && confinement === "none" && { isOutside: true }),
      decidedBy,
      notes,
    });
    return { decision: "allow", grant } as const;
  }

  /** @param unanswered True if the call was refused because nobody could be asked. */
  deny(toolName: string, decidedBy: DecidedBy, message: string, unanswered = false): Denial {
    return { decision: "deny", decidedBy, message: `${message}${this.#denials.denied(toolName)}`, unanswered };
  }

  /** Refuses a call that the rules or the mode forbid. */
  forbid(toolName: string, evaluation: Evaluation): Denial {
    return this.deny(toolName, decidedBy(evaluation), refusalMessage(evaluation, toolName));
  }

  /** Refuses a call to which the person said no, perhaps with a message for the model. */
  reject(toolName: string, message?: string): Denial {
    const reason = message?.trim();
    return this.deny(toolName, { kind: "person", ...(reason && { reason }) }, rejectionMessage(reason));
  }
}

/** After this many refusals, in a row for one tool or in a session, the model is told to change its approach. */
const MAX_DENIALS_IN_A_ROW = 3;
const MAX_DENIALS_IN_SESSION = 20;

/** Counts refusals per tool. Tool names are few, so the map stays small. */
class DenialCounter {
  readonly #inARow = new Map<string, number>();
  #total = 0;

  /** @returns a hint for the model after the refusal; usually empty. */
  denied(toolName: string): string {
    const row = (this.#inARow.get(toolName) ?? 0) + 1;
    this.#inARow.set(toolName, row);
    this.#total += 1;
    if (row >= MAX_DENIALS_IN_A_ROW)
      return `\n${row} calls of ${toolName} in a row were refused: change your approach, or stop and say what you need.`;
    if (this.#total >= MAX_DENIALS_IN_SESSION)
      return `\n${this.#total} calls were refused in this session: change your approach, or stop and say what you need.`;
    return "";
  }

  allowed(toolName: string): void {
    this.#inARow.delete(toolName);
  }
}
