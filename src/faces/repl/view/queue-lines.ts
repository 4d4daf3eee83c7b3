import { joinedLines } from "@quoll/terminal-text/one-line";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import type { Transcript } from "../../../protocol/transcript/transcript.ts";
import type { Ui, Waiting } from "../layers/ui-state.ts";
import { spread } from "./layout.ts";
import { GLYPHS, type Theme } from "./theme.ts";

const MAX_ROWS = 3;
/** In a lower window the transcript needs these rows more. */
const LOW_WINDOW_ROWS = 14;
const MAX_ROWS_IF_LOW = 2;
/** The maximum length of a line, because no window shows more. */
const MAX_CHARS = 1_000;

const LABELS: Readonly<Record<Waiting["when"], string>> = {
  steer: "steer:",
  next: "next:",
  later: "later:",
  shell: "then:",
  early: "next:",
};

type QueueView = {
  readonly ui: Pick<Ui, "queue" | "unlisted">;
  readonly transcript: Pick<Transcript, "turn">;
  readonly isBusy: boolean;
};
type Style = { readonly theme: Theme; readonly columns: number; readonly rows: number };

/** The waiting inputs, above the prompt: the first few, one line each, and the number of others. */
export function queueLines({ ui, transcript, isBusy }: QueueView, { theme, columns, rows }: Style): readonly string[] {
  const { queue, unlisted } = ui;
  const shown = queue.slice(0, rows < LOW_WINDOW_ROWS ? MAX_ROWS_IF_LOW : MAX_ROWS);
  const left = queue.length - shown.length + unlisted;
  return shown.map((waiting, at) => {
    // Without a running turn, no input can steer: the input becomes the next turn, or waits for the person.
    const time = waiting.when === "steer" && !transcript.turn ? "next" : waiting.when;
    const label = isBusy ? LABELS[time] : "waits:";
    const text = joinedLines(waiting.shown.slice(0, MAX_CHARS));
    const line = truncateText(`${theme.accent(GLYPHS.next)} ${theme.dim(label)} ${text}`, columns);
    const isLast = at === shown.length - 1;
    return isLast && left > 0 ? spread(line, theme.dim(`+${left} more`), columns) : line;
  });
}
