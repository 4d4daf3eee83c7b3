import { formatCount } from "@quoll/terminal-text/format-amount";
import { writtenTokens } from "../../../protocol/transcript/reduce-written.ts";
import { openChunk, openLength, ownChunk } from "../../../protocol/transcript/split-blocks.ts";
import type { Row, Transcript } from "../../../protocol/transcript/transcript.ts";
import { drawableOf } from "./drawable-of.ts";
import { type RowStyle, rowLines } from "./row-lines.ts";
import { describeActivity } from "./status-line.ts";
import { GLYPHS } from "./theme.ts";
import { explorationLines, runningToolLines } from "./tool-lines.ts";

/** The maximum number of rows, newest first; a watched agent is followed at its end. */
const MAX_ROWS = 2_000;

type Drawn = { readonly columns: number; readonly theme: RowStyle["theme"]; readonly lines: readonly string[] };

/** A settled row never changes, so it is drawn once for each width. */
const drawn = new WeakMap<Row, Drawn>();

export type Watched = {
  readonly transcript: Transcript;
  /** Monotonic milliseconds. */
  readonly nowMs: number;
  /** How the agent ended; undefined while it works. */
  readonly end?: string | undefined;
};

/** The conversation of a watched agent, in the form of the main conversation. */
export function watchLines({ transcript, nowMs, end }: Watched, style: RowStyle): readonly string[] {
  const { settled, explorations, running, held } = transcript;
  const rows = settled.slice(Math.max(0, settled.length - MAX_ROWS));
  const last = rows.at(-1);
  return [
    ...rows.flatMap((row, at) => settledLines(row, rows[at - 1], style)),
    ...openTextLines(transcript, last, style),
    ...held.flatMap((row, at) => rowLines(row, held[at - 1] ?? last, style)),
    ...(explorations.length + running.length > 0 && last?.kind === "user" ? [""] : []),
    ...explorationLines(explorations, style),
    ...running.flatMap((tool) => runningToolLines(tool, nowMs, style)),
    ...retryLines(transcript, style),
    ...(end === undefined && running.length === 0 ? activityLines(transcript, nowMs, style) : []),
    ...(end === undefined ? [] : rowLines({ kind: "notice", level: "info", text: end }, last, style)),
  ];
}

/** The main conversation has this line below the prompt: it moves while an answer streams. */
function activityLines(transcript: Transcript, nowMs: number, { theme }: RowStyle): readonly string[] {
  const { turn } = transcript;
  if (!turn) return [];
  const written = writtenTokens(turn, nowMs);
  const counted = written === 0 ? "" : ` · ↓${formatCount(written)} tok`;
  const doing = describeActivity({ transcript, isAsked: false, nowMs });
  return ["", `${theme.accent(GLYPHS.running)} ${theme.dim(`${doing}${counted}`)}`];
}

function settledLines(row: Row, before: Row | undefined, style: RowStyle): readonly string[] {
  const { columns, theme, markdown } = style;
  const known = drawn.get(row);
  if (known?.columns === columns && known.theme === theme) return known.lines;
  const lines = rowLines(row, before, style);
  // Code is drawn without colours until its highlighter is loaded.
  const drawable = drawableOf(row);
  if (!drawable || markdown.isReady(drawable)) drawn.set(row, { columns, theme, lines });
  return lines;
}

/** The maximum length of open text that is drawn in each frame; drawing more would be slow and of little use. */
const MAX_OPEN_CHARS = 16_384;

/** The reason for the retry, which disappears when the model answers. */
export function retryLines({ turn }: Transcript, style: RowStyle): readonly string[] {
  if (turn?.activity.kind !== "retrying") return [];
  return rowLines({ kind: "notice", level: "warning", text: turn.activity.message }, undefined, style);
}

/** The streaming text; of a very long text only the end. `before`: the row above the text. */
export function openTextLines(transcript: Transcript, before: Row | undefined, style: RowStyle): readonly string[] {
  const { text, textStarted } = transcript;
  const chunk =
    openLength(text) > MAX_OPEN_CHARS
      ? ({ kind: "code", gap: false, language: "", lines: text.lines.slice(-40) } as const)
      : openChunk(text);
  if (!chunk) return [];
  const shown = chunk.kind === "code" ? chunk : { ...chunk, text: closedCode(chunk.text) };
  return rowLines({ kind: "markdown", chunk: shown, first: !textStarted }, before, style);
}

/** The first lines of `lines`, which are those of the streaming text, that stay as they are whatever text follows. */
export function certainLines(
  { text, textStarted }: Transcript,
  lines: readonly string[],
  before: Row | undefined,
  style: RowStyle,
): readonly string[] {
  const open = openLength(text) > MAX_OPEN_CHARS ? undefined : ownChunk(text);
  const chunk = open && style.markdown.certainPart(open);
  if (!chunk) return [];
  const certain = rowLines({ kind: "markdown", chunk, first: !textStarted }, before, style);
  let same = 0;
  while (same < certain.length && certain[same] === lines[same]) same += 1;
  // The next word may still have room in the last line of prose.
  return lines.slice(0, chunk.kind === "code" ? same : Math.max(0, Math.min(same, certain.length - 1)));
}

/** Ends inline code that is still arriving: it is drawn as code from its first character on. */
function closedCode(text: string): string {
  if (openSigns(text) === "") return text;
  const shown = text.replace(/`+$/, "");
  return shown + openSigns(shown);
}

/** The backticks that begin code and have no end yet in the last paragraph; "" in a code block. */
function openSigns(text: string): string {
  let open = "";
  for (const [signs] of text.slice(text.lastIndexOf("\n\n") + 1).matchAll(/`+/g))
    if (open === "" || open === signs) open = open === "" ? signs : "";
  return open.length < 3 ? open : "";
}
