import type { Answer, Refusal, Step } from "../deliver.ts";
import type { Reply } from "../scenario.ts";

/** How a reply's body is sent, streamed or not. */
export function deliveryOf({
  paceMs,
  cutBytes,
  fault,
}: Reply): Pick<Answer, "paceMs" | "cutBytes" | "breakAfterBytes" | "breaksByReset"> {
  return {
    paceMs,
    cutBytes,
    breaksByReset: fault?.kind === "cut" && fault.reset,
    breakAfterBytes: fault?.kind === "cut" && "afterBytes" in fault ? fault.afterBytes : undefined,
  };
}

/** How a reply without an answer is sent; undefined for any other reply. */
export function withoutAnswer({ fault }: Reply): Refusal | undefined {
  if (fault?.kind === "silence") return { kind: "silence" };
  return fault?.kind === "hang_up" ? { kind: "hang_up", reset: fault.reset } : undefined;
}

const withoutEnd = (step: Step): Step => (step.kind === "write" ? { ...step, text: step.text.slice(0, -1) } : step);

/**
 * A JSON answer with the faults of its reply. Without a stream there are no deltas: faults that count deltas occur
 * at the start of the body, and a missing end is a missing last character. The wire itself sends an `error_event`.
 */
export function wholeDelivery(answer: Answer, reply: Reply): Answer {
  const { fault } = reply;
  const delivered = { ...answer, ...deliveryOf(reply) };
  if (fault?.kind === "stall") return { ...delivered, steps: [{ kind: "stall" }] };
  if (fault?.kind === "cut" && "afterDeltas" in fault) return { ...delivered, steps: [{ kind: "break" }] };
  return fault?.kind === "no_stop" ? { ...delivered, steps: answer.steps.map(withoutEnd) } : delivered;
}
