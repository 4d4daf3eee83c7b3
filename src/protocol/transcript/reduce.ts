import type { Todo } from "../../contracts/display.ts";
import type { EngineEvent, TurnReport } from "../../contracts/event.ts";
import { cacheMissedLine, toolsChangedLine } from "../../contracts/event-lines.ts";
import { textOf, type UserMessage } from "../../contracts/message.ts";
import type { Chunk } from "./chunk.ts";
import { noticeText } from "./notice-text.ts";
import { pauseThinking, takeThinking, thinkingRow } from "./reduce-thinking.ts";
import { discardTool, finishTool, noteAnswer, settleExplorations, startTool, withProgress } from "./reduce-tools.ts";
import { countWritten, NOTHING_WRITTEN } from "./reduce-written.ts";
import { emptySplitter, endBlocks, splitBlocks } from "./split-blocks.ts";
import {
  type Activity,
  type FaceRow,
  type Row,
  type ScreenEvent,
  setWaiting,
  startWatch,
  type Transcript,
  type Turn,
} from "./transcript.ts";

/**
 * The transcript after an event.
 *
 * Invariant: `settled` only grows; no row in it ever changes. The function is pure: the time is an argument, `nowMs`
 * (monotonic milliseconds).
 */
export function reduce(state: Transcript, event: ScreenEvent, nowMs: number): Transcript {
  if (event.type === "row") return addRow(state, event.row);
  if (event.type === "turn_lost") return { ...state, turn: undefined };
  const taken = take(ENDS_THINKING.has(event.type) ? endThinking(state, nowMs) : state, event, nowMs);
  return countWritten(taken, event, nowMs);
}

/** The transcript after events of the past, whose times are unknown. @param nowMs As for `reduce`. */
export function reduceAll(state: Transcript, events: readonly ScreenEvent[], nowMs: number): Transcript {
  return events.reduce((now, event) => reduce(now, event, nowMs), state);
}

function take(state: Transcript, event: EngineEvent, nowMs: number): Transcript {
  switch (event.type) {
    case "turn_started":
      return startTurn(state, event, nowMs);
    case "request_started":
      return { ...act(state, { kind: "waiting" }), textSeen: false, holdsText: event.holdsText ?? false };
    case "text_delta":
      return state.holdsText ? act(state, { kind: "writing" }) : takeText(act(state, { kind: "writing" }), event.text);
    case "thinking_delta":
      return takeThinking(act(state, { kind: "thinking" }), event.text, nowMs);
    case "tool_input_delta":
      return act(endText(state), { kind: "preparing", toolName: event.toolName });
    case "restarted":
      return restart(state, event.reason);
    case "retry":
      return act(state, retrying(event, nowMs));
    case "notice":
      return addRow(state, { kind: "notice", level: event.level ?? "warning", text: noticeText(event.message) });
    case "assistant_message":
      return endAnswer(state, event);
    case "tool_started":
    case "tool_progress":
    case "tool_finished":
    case "tool_discarded":
      return takeToolEvent(state, event, nowMs);
    case "todos_changed":
    case "context_changed":
    case "budget_changed":
    case "hook_status":
      return takeStatus(state, event);
    case "turn_finished":
      return finishTurn(state, event.report);
    case "words_added":
    case "input_receipt":
      return addWords(state, event);
    case "compaction_started":
    case "compaction_progress":
    case "compacted":
      return takeCompaction(state, event);
    case "tools_changed":
    case "cache_missed":
      return addRow(state, noticeRow(cacheLine(event)));
    case "continued":
      return withContinued(state, event.reason);
    case "conversation_changed":
      return event.by === "clear" ? { ...forgetContext(state), todos: [], shownTodos: [] } : forgetContext(state);
    case "question_settled":
      return event.answer && event.toolUseId !== undefined ? noteAnswer(state, event.toolUseId, event.answer) : state;
    // Questions, mode, model and whether it is busy are read from the engine; a result says that its call was denied; the other events are for other readers.
    case "tool_results":
    case "queue_changed":
    case "task_started":
    case "task_changed":
    case "task_ended":
    case "permission_denied":
    case "question_asked":
    case "mode_changed":
    case "busy_changed":
    case "model_changed":
      return state;
  }
}

const ENDS_THINKING: ReadonlySet<EngineEvent["type"]> = new Set([
  "text_delta",
  "tool_input_delta",
  "tool_started",
  "assistant_message",
  "restarted",
  "retry",
  "turn_finished",
]);

/** Between reads and searches the row waits, so that they stay one group. */
function endThinking(before: Transcript, nowMs: number): Transcript {
  const paused = pauseThinking(before, nowMs);
  if (paused === before || paused.explorations.length > 0) return paused;
  const { state, row } = thinkingRow(paused);
  return row ? addRow(state, row) : state;
}

/** The engine's state contains the size until the next answer. */
function forgetContext(state: Transcript): Transcript {
  return { ...state, context: undefined };
}

type ToolEvent = Extract<EngineEvent, { type: "tool_started" | "tool_progress" | "tool_finished" | "tool_discarded" }>;

function takeToolEvent(state: Transcript, event: ToolEvent, nowMs: number): Transcript {
  switch (event.type) {
    case "tool_started":
      return startTool(endText(state), event, nowMs);
    case "tool_progress":
      return withProgress(state, event.toolUseId, event.progress);
    case "tool_finished":
      return finishTool(state, event);
    case "tool_discarded":
      return discardTool(state, event.toolUseId);
  }
}

function cacheLine(event: Extract<EngineEvent, { type: "tools_changed" | "cache_missed" }>): string {
  return event.type === "tools_changed" ? toolsChangedLine(event) : cacheMissedLine(event);
}

function retrying(event: Extract<EngineEvent, { type: "retry" }>, nowMs: number): Activity {
  const { attempt, maxAttempts, delayMs, message } = event;
  return { kind: "retrying", attempt, maxAttempts, until: nowMs + delayMs, message };
}

type Answer = Extract<EngineEvent, { type: "assistant_message" }>;

function endAnswer(state: Transcript, { message, displayText }: Answer): Transcript {
  const text = state.textSeen ? "" : (displayText ?? textOf(message.content));
  return endText(text === "" ? state : takeText(state, text));
}

type StatusType = "todos_changed" | "context_changed" | "budget_changed" | "hook_status";
type StatusEvent = Extract<EngineEvent, { type: StatusType }>;

/** A fact that the status line or the list of steps shows. */
function takeStatus(state: Transcript, event: StatusEvent): Transcript {
  if (event.type === "todos_changed") return { ...state, todos: event.todos, hasOldTodos: false };
  if (event.type === "context_changed") return changeContext(state, event);
  if (event.type === "hook_status") return { ...state, hookText: event.text };
  return state.turn ? { ...state, turn: { ...state.turn, budget: event } } : state;
}

function changeContext(
  state: Transcript,
  { usedTokens, windowTokens, warnTokens }: Extract<EngineEvent, { type: "context_changed" }>,
): Transcript {
  return { ...state, context: { usedTokens, windowTokens, ...(warnTokens !== undefined && { warnTokens }) } };
}

type Continued = Extract<EngineEvent, { type: "continued" }>;

/** Recoveries that no other event reports, and that a person should know about. */
const CONTINUED_BECAUSE: { readonly [Reason in Continued["reason"]]?: string } = {
  loop_told: "The model repeats the same calls with the same results; Quoll told it so.",
  output_continued: "The answer reached its maximum length; the model continues it.",
  empty_answer: "The answer was empty; Quoll asks the model once more.",
  missing_calls: "The answer ended as if it made a call, but it made none; Quoll asks the model once more.",
  media_left_out: "The model's server takes fewer images and documents in a request. Quoll leaves out the oldest ones.",
  images_reduced:
    "The model's server refused an image. Quoll sends it again, smaller, or leaves it out if that did not help.",
};

function withContinued(state: Transcript, reason: Continued["reason"]): Transcript {
  const text = CONTINUED_BECAUSE[reason];
  return text === undefined ? state : addRow(state, { kind: "notice", level: "info", text });
}

const MAX_HOOK_CHARS = 300;

function addWords(
  state: Transcript,
  event: Extract<EngineEvent, { type: "words_added" | "input_receipt" }>,
): Transcript {
  if (event.type === "input_receipt") {
    const { state: to, when, prompt: text } = event.receipt;
    // A prompt gets its row when its turn begins.
    return to === "taken" && when === "shell" ? addRow(state, { kind: "user", text }) : state;
  }
  const { by, prompt, message } = event;
  if (by === "user") return addRow(state, userRow(prompt, message));
  return by === "hook" ? addRow(state, hookRow(prompt)) : state;
}

function hookRow(words: string): FaceRow {
  const shown = words.length > MAX_HOOK_CHARS ? `${words.slice(0, MAX_HOOK_CHARS)} …` : words;
  return { kind: "notice", level: "info", text: `A hook told the model: ${shown.replace(/\s*\n\s*/g, " ")}` };
}

const COMPACTED_BECAUSE = {
  full: "The context was nearly full. ",
  too_long: "The prompt was too long. ",
  cold: "",
  idle: "The prompt cache would have expired soon. ",
  manual: "",
  chosen: "",
} as const;

type Compacting = Extract<EngineEvent, { type: "compaction_started" | "compaction_progress" | "compacted" }>;

function takeCompaction(state: Transcript, event: Compacting): Transcript {
  if (event.type === "compacted")
    return addRow(withoutTokens(state, event.freedTokens), noticeRow(`${COMPACTED_BECAUSE[event.why]}${event.note}`));
  const writtenTokens = event.type === "compaction_progress" ? event.writtenTokens : 0;
  return act(state, { kind: "compacting", writtenTokens });
}

function withoutTokens(state: Transcript, freedTokens: number): Transcript {
  const { context } = state;
  if (!context) return state;
  return { ...state, context: { ...context, usedTokens: Math.max(0, context.usedTokens - freedTokens) } };
}

function noticeRow(text: string): FaceRow {
  return { kind: "notice", level: "info", text: noticeText(text) };
}

/**
 * Settles a row of the face's own, after all open rows. The row waits while an answer streams, so that no word is
 * split.
 */
export function addRow(state: Transcript, row: FaceRow): Transcript {
  if (isTextOpen(state)) return { ...state, held: [...state.held, row] };
  return appendRows(settleExplorations(state), row);
}

function userRow(text: string, { id, content }: UserMessage): FaceRow {
  return { kind: "user", text, ...(content.some(({ type }) => type === "image") && { messageId: id }) };
}

type TurnStarted = Extract<EngineEvent, { type: "turn_started" }>;

/** @param nowMs Monotonic milliseconds. */
function newTurn(nowMs: number): Turn {
  const watch = startWatch(nowMs);
  return { watch, activity: { kind: "waiting" }, written: NOTHING_WRITTEN, files: new Set(), added: 0, removed: 0 };
}

function startTurn(state: Transcript, { prompt, message }: TurnStarted, nowMs: number): Transcript {
  const turn = newTurn(nowMs);
  // A turn without words of the person has no row for them.
  const ended = endText(state);
  if (prompt === "") return { ...ended, turn };
  return { ...addRow(ended, userRow(prompt, message)), turn, hasOldTodos: state.todos.length > 0 };
}

function act(state: Transcript, activity: Activity): Transcript {
  const { turn } = state;
  if (
    !turn ||
    (turn.activity.kind === activity.kind && !["preparing", "retrying", "compacting"].includes(activity.kind))
  ) {
    return state;
  }
  return { ...state, turn: { ...turn, activity } };
}

function takeText(state: Transcript, text: string): Transcript {
  if (text === "") return state;
  const open = state.textStarted ? state : settleExplorations(state);
  const { state: splitter, chunks } = splitBlocks(open.text, text);
  return { ...settleChunks(open, chunks), text: splitter, textSeen: true };
}

/** The open text is complete: it is settled, followed by the rows that arrived in the meantime. */
export function endText(state: Transcript): Transcript {
  if (!isTextOpen(state)) return state;
  const settled = settleChunks(state, endBlocks(state.text));
  return appendRows({ ...settled, text: emptySplitter, textStarted: false, held: [] }, ...state.held);
}

function isTextOpen({ text, textStarted }: Transcript): boolean {
  return text !== emptySplitter || textStarted;
}

function settleChunks(state: Transcript, chunks: readonly Chunk[]): Transcript {
  if (chunks.length === 0) return state;
  const rows = chunks.map((chunk, at): Row => ({ kind: "markdown", chunk, first: !state.textStarted && at === 0 }));
  return { ...state, settled: state.settled.append(...rows), textStarted: true };
}

/** The stream broke: the open text is dropped. Settled text is already printed, so a row reports the break. */
function restart(state: Transcript, reason: string): Transcript {
  const hadText = state.textSeen || state.text !== emptySplitter;
  const voided: Transcript = { ...state, text: emptySplitter, textStarted: false, textSeen: false, held: [] };
  if (!hadText) return voided;
  const text = noticeText(`The answer was interrupted and starts again: ${reason}`);
  return appendRows(settleExplorations(voided), ...state.held, { kind: "notice", level: "warning", text });
}

/**
 * Stops the clocks of the turn and calls that wait for the person, and starts the clocks of those that continue.
 * @param asking The ids of calls whose questions are waiting.
 */
export function waitForPerson(state: Transcript, asking: ReadonlySet<string>, nowMs: number): Transcript {
  const { turn } = state;
  const running = state.running.map((tool) => {
    const watch = setWaiting(tool.watch, asking.size > 0 && asking.has(tool.use.id), nowMs);
    return watch === tool.watch ? tool : { ...tool, watch };
  });
  if (!turn) return { ...state, running };
  return { ...state, running, turn: { ...turn, watch: setWaiting(turn.watch, asking.size > 0, nowMs) } };
}

function finishTurn(state: Transcript, report: TurnReport): Transcript {
  let ended = settleExplorations(endText(state));
  // A call without an end (after a crash of the loop) does not stay running on the screen.
  for (const { use } of ended.running) ended = discardTool(ended, use.id);
  ended = settleExplorations(ended);
  const problem = describeOutcome(report);
  if (problem) ended = appendRows(ended, problem);
  const { files, added, removed } = ended.turn ?? { files: new Set(), added: 0, removed: 0 };
  const durationMs = Math.max(0, report.durationMs - report.waitedMs);
  const footer: Row = { kind: "footer", report: { ...report, durationMs }, files: files.size, added, removed };
  // Its updates have told each step of a list that is done.
  const isDone = ended.todos.every(({ status }) => status === "completed");
  // A whole turn without a word about the list was about something else.
  const isLeft = ended.hasOldTodos && report.outcome.reason === "completed";
  const steps = isDone || isLeft ? { todos: [], shownTodos: [] } : {};
  return { ...appendRows(ended, footer), ...steps, turn: undefined, thinking: undefined };
}

/** The list of steps stays in the transcript in its current state, and is no longer shown below it. */
export function settleTodos(state: Transcript): Transcript {
  const { todos } = state;
  if (todos.length === 0) return state;
  return { ...addRow(state, { kind: "todos", todos: restingTodos(todos) }), todos: [], shownTodos: [] };
}

/** A list of steps that nothing works on: the step that was begun is open. */
export function restingTodos(todos: readonly Todo[]): readonly Todo[] {
  return todos.map((todo) => (todo.status === "in_progress" ? { ...todo, status: "pending" } : todo));
}

function describeOutcome({ outcome, text }: TurnReport): Row | undefined {
  switch (outcome.reason) {
    case "completed":
      return undefined;
    case "aborted":
      return { kind: "notice", level: "info", text: "Interrupted." };
    case "step_limit":
      return { kind: "notice", level: "warning", text: `Stopped at the limit of ${outcome.steps} steps.` };
    case "budget":
    case "stopped_short":
      // An answer that itself says why it is incomplete is shown only once.
      if (outcome.message === text) return undefined;
      return { kind: "notice", level: "warning", text: noticeText(outcome.message) };
    case "failed":
      return { kind: "notice", level: "error", text: noticeText(outcome.message) };
  }
}

function appendRows(state: Transcript, ...rows: readonly Row[]): Transcript {
  return { ...state, settled: state.settled.append(...rows) };
}
