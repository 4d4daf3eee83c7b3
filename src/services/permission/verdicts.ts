import { withAdvice, withoutAdvice } from "../../contracts/advice.ts";
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
  deny(call: DeniedCall, decidedBy: DecidedBy, message: string, unanswered = false): Denial {
    return { decision: "deny", decidedBy, message: this.#denials.message(call, message), unanswered };
  }

  /** Refuses a call that the rules or the mode forbid. */
  forbid(call: DeniedCall, evaluation: Evaluation): Denial {
    return this.deny(call, decidedBy(evaluation), refusalMessage(evaluation, call.toolName));
  }

  /** Refuses a call to which the person said no, perhaps with a message for the model. */
  reject(call: DeniedCall, message?: string): Denial {
    const reason = message?.trim();
    return this.deny(call, { kind: "person", ...(reason && { reason }) }, rejectionMessage(reason));
  }
}

type DeniedCall = Pick<PermissionRequest, "toolName" | "messageId">;

/** After refusals in this many messages in a row for one tool, or of so many calls, the model is told to change its approach. */
const MAX_DENIALS_IN_A_ROW = 3;
const MAX_DENIALS_IN_SESSION = 20;

/** Counts refusals per tool. Tool names are few, so the map stays small. */
class DenialCounter {
  /** The messages in a row with a refusal, by tool. */
  readonly #inARow = new Map<string, number>();
  #total = 0;
  /** The message of the last refusal, the tools that were refused in it, and the advice that the model has got. */
  #last: { readonly id: string | undefined; readonly tools: Set<string>; readonly advice: Set<string> } | undefined;

  /** The refusal as the model gets it: each advice once in the results of one message, perhaps with a hint. */
  message({ toolName, messageId }: DeniedCall, text: string): string {
    if (messageId === undefined || this.#last?.id !== messageId)
      this.#last = { id: messageId, tools: new Set(), advice: new Set() };
    const { tools, advice } = this.#last;
    const facts = withoutAdvice(text);
    const given = text.slice(facts.length);
    const said = advice.has(given) ? facts : text;
    advice.add(given);
    const hint = this.#hint(toolName, tools);
    tools.add(toolName);
    if (hint === undefined) return said;
    return said === facts ? withAdvice(facts, hint) : `${said} ${hint}`;
  }

  #hint(toolName: string, tools: ReadonlySet<string>): string | undefined {
    const row = (this.#inARow.get(toolName) ?? 0) + (tools.has(toolName) ? 0 : 1);
    this.#inARow.set(toolName, row);
    this.#total += 1;
    if (row >= MAX_DENIALS_IN_A_ROW && !tools.has(toolName))
      return `Calls of ${toolName} were refused ${row} times in a row: change your approach, or stop and say what you need.`;
    if (this.#total >= MAX_DENIALS_IN_SESSION && tools.size === 0)
      return `${this.#total} calls were refused in this session: change your approach, or stop and say what you need.`;
    return undefined;
  }

  allowed(toolName: string): void {
    this.#inARow.delete(toolName);
  }
}
