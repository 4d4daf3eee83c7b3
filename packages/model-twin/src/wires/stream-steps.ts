import type { Step } from "../deliver.ts";
import type { Reply } from "../scenario.ts";

/** A stream event as text, or as the bytes of a binary framing. `isDelta`: counted by faults, pace and pings. */
export type Frame = { readonly text: string | Uint8Array; readonly isDelta: boolean };

/** The frames of one wire's stream: all of a reply's events, and those that a fault or a pause needs. */
export type StreamFrames = {
  /** The events in order; the last one reports that the answer is complete. */
  readonly frames: readonly Frame[];
  readonly ping: string;
  /** The event of an error. `sent`: the number of frames before it. */
  error(errorType: string | undefined, message: string | undefined, sent: number): string | Uint8Array;
};

const write = (text: Frame["text"], paced = false): Step => ({ kind: "write", text, paced });

/** The number of frames before a fault after `limit` deltas: at most those up to the last delta. */
function framesBefore(frames: readonly Frame[], limit: number): number {
  const deltas = [...frames.keys()].filter((index) => frames[index]?.isDelta);
  if (limit === 0) return deltas[0] ?? 1;
  return (deltas[Math.min(limit, deltas.length) - 1] ?? 0) + 1;
}

/** The frames that are sent. */
function sentFrames({ fault }: Reply, frames: readonly Frame[]): readonly Frame[] {
  if (fault && "afterDeltas" in fault && fault.afterDeltas !== undefined) {
    return frames.slice(0, framesBefore(frames, fault.afterDeltas));
  }
  return fault?.kind === "no_stop" ? frames.slice(0, -1) : frames;
}

function ending(reply: Reply, stream: StreamFrames, sent: number): readonly Step[] {
  const { fault } = reply;
  switch (fault?.kind) {
    case "error_event":
      return [write(stream.error(fault.errorType, fault.message, sent))];
    case "cut":
      return "afterDeltas" in fault ? [{ kind: "break" }] : [];
    case "stall":
      return [{ kind: "stall" }];
    default:
      return [];
  }
}

/** Adds the pings, the pace and the faults of a reply to its events. */
export function streamSteps(reply: Reply, stream: StreamFrames): readonly Step[] {
  const { atStart = true, every } = reply.pings ?? {};
  const steps: Step[] = [];
  let deltas = 0;
  const sent = sentFrames(reply, stream.frames);
  for (const [index, frame] of sent.entries()) {
    steps.push(write(frame.text, frame.isDelta));
    if (index === 0 && atStart) steps.push(write(stream.ping));
    if (!frame.isDelta) continue;
    deltas += 1;
    if (every !== undefined && deltas % every === 0) steps.push(write(stream.ping));
  }
  return [...steps, ...ending(reply, stream, sent.length)];
}
