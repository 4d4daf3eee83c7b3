import type { TaskOutput } from "../../../protocol/session-port.ts";
import { reduce, reduceAll } from "../../../protocol/transcript/reduce.ts";
import { emptyTranscript, type Transcript } from "../../../protocol/transcript/transcript.ts";
import type { TextView } from "../layers/ui-state.ts";

/** The view of a watched task after a report about it. `nowMs`: monotonic milliseconds. */
export function withReport(view: TextView, part: TaskOutput, nowMs: number): TextView {
  switch (part.kind) {
    case "lines":
      return { ...view, lines: part.lines };
    case "conversation":
      return { ...view, transcript: reduceAll(emptyTranscript, part.events, nowMs) };
    case "event": {
      const { transcript } = view;
      if (!transcript || isKnown(transcript, part.event)) return view;
      return { ...view, transcript: reduce(transcript, part.event, nowMs) };
    }
  }
}

/** The log contains a call from the answer that makes it on; the call's start may come later. */
function isKnown({ running }: Transcript, event: Extract<TaskOutput, { kind: "event" }>["event"]): boolean {
  return event.type === "tool_started" && running.some(({ use }) => use.id === event.use.id);
}
