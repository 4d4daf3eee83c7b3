import { joinedLines } from "@quoll/terminal-text/one-line";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { plural } from "@quoll/terminal-text/plural";
import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import type { Todo } from "../../../contracts/display.ts";
import { restingTodos } from "../../../protocol/transcript/reduce.ts";
import type { Row, RunningTool, Transcript } from "../../../protocol/transcript/transcript.ts";
import { joinedHints } from "../keymap/key-help.ts";
import type { Block, Layer, Room } from "../layers/layer.ts";
import { newestWaiting } from "../layers/prompt-layer.ts";
import { NO_PREVIEW, type PreviewView, type Ui, type Waiting } from "../layers/ui-state.ts";
import { isCallOfTask } from "../tasks/shown-tasks.ts";
import { type BegunRows, withoutBegun } from "./begun-rows.ts";
import { SPREAD_GAP, spread } from "./layout.ts";
import type { QuestionPreview } from "./question-preview.ts";
import { footerParts, type RowStyle, rowLines } from "./row-lines.ts";
import { asideLines, type StatusView, statusLine } from "./status-line.ts";
import { GLYPHS, type Theme } from "./theme.ts";
import { hintsOf, opensTranscript } from "./theme-hints.ts";
import { openTodoLines } from "./todo-lines.ts";
import { explorationLines, runningToolLines, type ShownCall } from "./tool-lines.ts";
import { openTextLines, retryLines } from "./watch-lines.ts";

export type FrameView = StatusView & {
  readonly ui: Pick<Ui, "queue" | "unlisted" | "asking" | "foldsTodos">;
  /** Settled rows that can't be printed yet. */
  readonly unprinted: readonly Row[];
  /** The last printed row. */
  readonly printed: Row | undefined;
  /** The printed rows of what follows: of the first unprinted row, or of the streaming text. */
  readonly begun?: BegunRows;
  /** The lines of the streaming text, if they are drawn already. */
  readonly open?: readonly string[];
  /** The open layers, topmost first. */
  readonly layers: readonly Layer[];
};

export type FrameStyle = RowStyle & {
  readonly rows: number;
  readonly questions: QuestionPreview;
  /** True if open text may take the whole window, because there is no history in which it could leave copies. */
  readonly isTall?: boolean;
};

export type Frame = {
  readonly lines: readonly string[];
  readonly cursor: { readonly x: number; readonly y: number } | undefined;
  /** Measurements of the drawn preview of the question. */
  readonly preview: PreviewView;
  /** True while a list or a panel is open, below which the conversation comes back when it closes. */
  readonly isPanel?: boolean;
  /** For a panel in place of the prompt: how many of the first lines are of the conversation. */
  readonly openRows?: number;
};

export const emptyFrame: Frame = { lines: [], cursor: undefined, preview: NO_PREVIEW };

/**
 * Open text takes at most a third of the window: if the window becomes lower, the terminal moves the text into its
 * history, and it is printed again when it is settled.
 */
const OPEN_SHARE = 3;
const MIN_OPEN_ROWS = 6;
const MIN_ROWS_FOR_OWN = 12;
/** More running calls of agents share one row. */
const MAX_AGENT_ROWS = 2;

/**
 * The frame below the printed transcript: at most `rows − 1` lines, so that the terminal never scrolls a part of it
 * away. A frame that is too tall is cut at the top, with a note.
 */
export function liveFrame(view: FrameView, style: FrameStyle): Frame {
  const { theme, columns, rows } = style;
  const most = Math.max(1, rows - 1);
  const shown = visibleLayers(view.layers);
  const isCovered = shown.at(-1) !== view.layers.at(-1);
  const status = statusLine({ ...view, isCovered }, theme, columns);
  const isAnswer = isCovered || shown.some(({ place }) => place === "above");
  // A question or a list takes precedence over rows that can wait.
  const steps = isAnswer ? [] : openTodoLines(shownTodos(view), view.ui.foldsTodos, theme, columns);
  const waiting = [...steps, ...asideLines({ ...view, isCovered }, style), ...queueLines(view, style)];
  const bottom = drawLayers(shown, { ...style, maxRows: Math.max(1, rows - 2) });
  const own = isAnswer ? [] : ownLines(view, style);
  const lists = isAnswer && bottom.lines.length + waiting.length + 1 > most ? [] : waiting;
  const room = most - 1 - own.length - bottom.lines.length - lists.length;
  const top = clampTop(topLines(view, style), room, style);
  const lines = [...top, ...lists, ...bottom.lines, ...own, status];
  const cut = Math.max(0, lines.length - most);
  const isPanel = shown.some((layer) => layer.isPanel);
  const y = bottom.cursor && bottom.cursor.y + top.length + lists.length - cut;
  return {
    lines: lines.slice(cut),
    cursor: bottom.cursor && y !== undefined && y >= 0 ? { x: Math.min(bottom.cursor.x, columns - 1), y } : undefined,
    preview: bottom.preview ?? NO_PREVIEW,
    ...(isPanel && { isPanel }),
    ...(isPanel && isAnswer && !endsInCommand(view) && { openRows: Math.max(0, top.length - cut) }),
  };
}

/** True if the newest row is a command of the person, or what one said: a list that it opened is often about that. */
function endsInCommand({ printed, unprinted, transcript }: FrameView): boolean {
  const kind = (transcript.held.at(-1) ?? unprinted.at(-1) ?? printed)?.kind;
  return kind === "notice" || kind === "answer" || kind === "whole" || (kind === "user" && !transcript.turn);
}

/** The steps as they are now: only a turn works on one, and not on a list from before its prompt. */
function shownTodos({ transcript: { todos, turn, hasOldTodos } }: FrameView): readonly Todo[] {
  return turn && !hasOldTodos ? todos : restingTodos(todos);
}

/** The person's custom lines, if the window has room for them. */
function ownLines({ ownLines = [] }: FrameView, { theme, columns, rows }: FrameStyle): readonly string[] {
  if (rows < MIN_ROWS_FOR_OWN) return [];
  const shown = ownLines.map((line) => truncateText(`  ${line}`, columns));
  return theme.level === 0 ? shown.map(stripAnsi) : shown;
}

/** The activity: streaming text and running calls. A blank line separates the activity from the prompt. */
function topLines(view: FrameView, style: FrameStyle): readonly string[] {
  const { transcript, nowMs } = view;
  const lines: string[] = [];
  let before = view.printed;
  for (const row of view.unprinted) {
    lines.push(...rowLines(row, before, style));
    before = row;
  }
  const open = view.open ?? openTextLines(transcript, before, style);
  const { held } = transcript;
  const below = held.flatMap((row, at) => rowLines(row, held[at - 1], style));
  const most = style.isTall ? style.rows : Math.max(MIN_OPEN_ROWS, Math.floor(style.rows / OPEN_SHARE));
  const rest = withoutBegun([...lines, ...open], view.begun ?? []);
  const text = clampTop([...rest, ...(below.length > 0 ? ["", ...below] : [])], most, style);
  const tools = [
    ...explorationLines(transcript.explorations, style),
    ...runningCalls(view).flatMap((tool) => runningToolLines(tool, nowMs, style)),
  ];
  const trouble = retryLines(transcript, style);
  const hasBelow = tools.length > 0 || trouble.length > 0;
  const gap = hasBelow && open.length === 0 && before?.kind === "user" ? [""] : [];
  const all = [...text, ...gap, ...tools, ...trouble];
  // A blank line separates the prompt and the transcript; a footer without a text already is one.
  return all.length > 0 || (view.printed && !isBlank(view.printed)) ? [...all, ""] : [];
}

function isBlank(row: Row): boolean {
  return row.kind === "footer" && footerParts(row).length === 0;
}

/** The running calls. The strip already shows the time and progress of agents, so several of them share one row. */
function runningCalls({ transcript: { running }, tasks = [] }: FrameView): readonly ShownCall[] {
  const isOfTask = ({ use, finished }: RunningTool) => !finished && isCallOfTask(tasks, use.id);
  const agents = running.filter(isOfTask);
  return running.flatMap((tool) => {
    if (!isOfTask(tool)) return [tool];
    if (agents.length <= MAX_AGENT_ROWS) return [{ ...tool, progress: undefined, hasRow: true }];
    const title = `${agents.length} agents`;
    return tool === agents[0] ? [{ ...tool, title, progress: undefined, hasRow: true }] : [];
  });
}

function clampTop(lines: readonly string[], room: number, { theme, columns }: RowStyle): readonly string[] {
  if (lines.length <= room) return lines;
  if (room <= 0) return [];
  if (room === 1) return lines.slice(-1);
  const hidden = lines.length - room + 1;
  const note = truncateText(`… ${plural(hidden, "line")} above${opensTranscript(theme)}`, columns);
  return [theme.dim(note), ...lines.slice(-(room - 1))];
}

const MAX_ROWS = 3;
/** In a lower window the transcript needs these rows more. */
const LOW_WINDOW_ROWS = 14;
const MAX_ROWS_IF_LOW = 2;
/** The maximum length of a line, because no window shows more. */
const MAX_CHARS = 1_000;

const LABELS: Readonly<Record<Waiting["when"], string>> = {
  steer: "after this step:",
  next: "next:",
  later: "later:",
  shell: "then:",
  early: "next:",
};

type QueueView = Pick<FrameView, "isBusy" | "layers"> & {
  readonly ui: Pick<Ui, "queue" | "unlisted">;
  readonly transcript: Pick<Transcript, "turn">;
};
type Style = { readonly theme: Theme; readonly columns: number; readonly rows: number };

/**
 * The waiting inputs, above the prompt: the first few, one line each, the number of others, and the key that takes the
 * newest back.
 */
function queueLines(view: QueueView, { theme, columns, rows }: Style): readonly string[] {
  const { ui, transcript, isBusy } = view;
  const { queue, unlisted } = ui;
  const shown = queue.slice(0, rows < LOW_WINDOW_ROWS ? MAX_ROWS_IF_LOW : MAX_ROWS);
  const left = queue.length - shown.length + unlisted;
  const newest = isUpFree(view.layers) ? newestWaiting(ui) : undefined;
  const atNewest = newest === undefined ? -1 : shown.indexOf(newest);
  const hints = hintsOf(theme, "prompt");
  return shown.map((waiting, at) => {
    // Without a running turn, no input can be read in it: the input becomes the next turn, or waits for the person.
    const time = waiting.when === "steer" && !transcript.turn ? "next" : waiting.when;
    const label = isBusy ? LABELS[time] : "waits:";
    const text = joinedLines(waiting.shown.slice(0, MAX_CHARS));
    const whole = `${theme.accent(GLYPHS.next)} ${theme.dim(label)} ${text}`;
    const line = truncateText(whole, columns);
    const isLast = at === shown.length - 1;
    const more = isLast && left > 0 ? `+${left} more` : "";
    const isHidden = isLast && newest !== undefined && atNewest === -1;
    const key =
      at === atNewest ? hints("to edit", "prompt.up") : isHidden ? hints("to edit the last", "prompt.up") : "";
    const beside = joinedHints(more, key);
    // A hint alone cuts no text that fits without it.
    const cuts = textWidth(whole) <= columns && textWidth(whole) + SPREAD_GAP + textWidth(beside) > columns;
    return beside === "" || (more === "" && cuts) ? line : spread(line, theme.dim(beside), columns);
  });
}

/** True if the prompt is empty and has the keys that withdraw an input: no list and no question is open. */
function isUpFree(layers: readonly Layer[]): boolean {
  const above = layers.slice(0, -1).flatMap(({ contexts }) => contexts);
  return layers.at(-1)?.draft === "empty" && above.every((context) => context === "operation");
}

/** The visible layers, from the top down to the first layer that hides the layers below it. */
function visibleLayers(layers: readonly Layer[]): readonly Layer[] {
  const at = layers.findIndex(({ place }) => place === "whole");
  return layers.slice(0, at + 1);
}

/** Draws the layers together: the layer that hides others first, then the others in the remaining rows. */
function drawLayers(layers: readonly Layer[], room: Room): Block {
  let all: Block = { lines: [] };
  for (const layer of [...visibleLayers(layers)].reverse()) {
    const drawn = layer.lines({ ...room, maxRows: Math.max(1, room.maxRows - all.lines.length) });
    all = joined(all, drawn, layer.place);
  }
  return all;
}

function joined(below: Block, drawn: Block, place: Layer["place"]): Block {
  const isAbove = place === "above";
  const lines = isAbove ? [...drawn.lines, ...below.lines] : [...below.lines, ...drawn.lines];
  const shift = isAbove ? drawn.lines.length : 0;
  const cursor = below.cursor ? { x: below.cursor.x, y: below.cursor.y + shift } : drawn.cursor;
  const preview = drawn.preview ?? below.preview;
  return { lines, ...(cursor && { cursor }), ...(preview && { preview }) };
}
