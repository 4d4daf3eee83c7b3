import type { TaskReport } from "../../../contracts/task-control.ts";
import { reduce } from "../../../protocol/transcript/reduce.ts";
import { watchedTranscript } from "../../../protocol/transcript/restore-transcript.ts";
import type { Transcript } from "../../../protocol/transcript/transcript.ts";
import type { TextView } from "../layers/ui-state.ts";

/** The view of a watched task after a report about it. `nowMs`: monotonic milliseconds. */
export function withReport(view: TextView, part: TaskReport, nowMs: number): TextView {
  switch (part.kind) {
    case "lines":
      return { ...view, lines: part.lines };
    case "conversation":
      return { ...view, transcript: watchedTranscript(part.entries, part.isOpen, nowMs) };
    case "event": {
      const { transcript } = view;
      if (!transcript || isKnown(transcript, part.event)) return view;
      return { ...view, transcript: reduce(transcript, part.event, nowMs) };
    }
  }
}

/** The log contains a call from the answer that makes it on; the call's start may come later. */
function isKnown({ running }: Transcript, event: Extract<TaskReport, { kind: "event" }>["event"]): boolean {
  return event.type === "tool_started" && running.some(({ use }) => use.id === event.use.id);
}
