import { plural } from "@quoll/terminal-text/plural";
import type { ReplState } from "./repl-state.ts";

type Leaving = {
  /** True if another session follows in the same process. */
  readonly hasNext: boolean;
  /** True if the session has a file. */
  readonly isSaved: boolean | undefined;
};

/** The last lines of a session: the interrupted work, the inputs that were not sent, and how to resume. */
export function leavingLines(
  { transcript, isBusy, ui, session }: Pick<ReplState, "transcript" | "isBusy" | "ui" | "session">,
  { hasNext, isSaved }: Leaving,
): readonly string[] {
  const unsent = ui.queue.length + ui.unlisted;
  const hasSpoken = !session.isEmpty || isBusy;
  return [
    ...(isBusy ? [`Left in the middle of a ${transcript.turn ? "turn" : "command"}.`] : []),
    ...(unsent > 0
      ? [`Not sent: ${plural(unsent, "waiting input")}; ↑ in the next session brings back what you typed.`]
      : []),
    ...(!hasNext && isSaved && hasSpoken ? [`To resume this session: quoll --resume ${session.sessionId}`] : []),
  ];
}
