import type { Answer, Refusal, Step } from "../deliver.ts";
import type { Reply } from "../scenario.ts";

/** How a reply's body travels, streamed or not. */
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

/** How a reply goes that is no answer at all; undefined for any other. */
export function withoutAnswer({ fault }: Reply): Refusal | undefined {
  if (fault?.kind === "silence") return { kind: "silence" };
  return fault?.kind === "hang_up" ? { kind: "hang_up", reset: fault.reset } : undefined;
}

const withoutEnd = (step: Step): Step => (step.kind === "write" ? { ...step, text: step.text.slice(0, -1) } : step);

/**
 * A JSON answer as its reply wants it. Without a stream there are no deltas: faults that count them strike at the head of the body,
 * and a missing end is a missing last character. An `error_event` is the wire's own to tell.
 */
export function wholeDelivery(answer: Answer, reply: Reply): Answer {
  const { fault } = reply;
  const delivered = { ...answer, ...deliveryOf(reply) };
  if (fault?.kind === "stall") return { ...delivered, steps: [{ kind: "stall" }] };
  if (fault?.kind === "cut" && "afterDeltas" in fault) return { ...delivered, steps: [{ kind: "break" }] };
  return fault?.kind === "no_stop" ? { ...delivered, steps: answer.steps.map(withoutEnd) } : delivered;
}
