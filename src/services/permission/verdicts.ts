import type { DecidedBy } from "../../contracts/decided-by.ts";
import type { PermissionRequest, Verdict } from "../../contracts/permission.ts";
import { makeGrant } from "../../contracts/subject.ts";
import { decidedBy, refusalMessage, rejectionMessage } from "./judge/explain.ts";
import type { Evaluation } from "./judge/judgement.ts";
import type { Permit } from "./question/asked-call.ts";
import { DenialCounter } from "./question/denial-counter.ts";

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
