import type { DecidedBy } from "../../contracts/decided-by.ts";
import type { Display, Progress, Todo } from "../../contracts/display.ts";
import type { EngineEvent, TurnReport } from "../../contracts/event.ts";
import type { FirstSteps } from "../../contracts/first-steps.ts";
import type { ToolUseBlock } from "../../contracts/message.ts";
import type { PermissionMode } from "../../contracts/permission-mode.ts";
import type { AnswerNote } from "../../contracts/question.ts";
import { AppendOnly } from "./append-only.ts";
import type { Chunk } from "./chunk.ts";
import { emptySplitter, type Splitter } from "./split-blocks.ts";
import type { TodoChange } from "./todo-changes.ts";

/** A call that has ended. */
export type FinishedTool = {
  readonly use: ToolUseBlock;
  readonly title: string;
  readonly isError: boolean;
  /** 0 in a restored conversation. */
  readonly durationMs: number;
  /** Milliseconds since the epoch; absent in a restored conversation. */
  readonly startedAt?: number;
  /** The beginning of the result as the model got it. */
  readonly excerpt: string;
  /** True if `excerpt` is the whole output. */
  readonly isWhole?: true;
  /** True if a file holds the whole of a result that the model got shortened. */
  readonly isShortened?: true;
  /** Lines above the result in the viewer: the calls of an agent, or a note about a part that is left out. */
  readonly notes?: readonly string[];
  readonly display: Display | undefined;
  /** The decider that denied the call; undefined if it was not denied. */
  readonly refusedBy: DecidedBy | undefined;
  /** The person's answer, if it is more than a plain yes. */
  readonly answer?: AnswerNote;
  /** The images and documents of the result, in words: `image 800×600 PNG, 120 KB`. */
  readonly images?: readonly string[];
  /** Of an update of the model's list of steps: what differs from the update before. */
  readonly todoChanges?: readonly TodoChange[];
  /** True if the person ran the command, so that the output is shown in full. */
  readonly isOwn?: boolean;
};

/** A row that stays on the screen. */
export type Row =
  | {
      readonly kind: "welcome";
      readonly version: string;
      readonly cwd: string;
      readonly model: string;
      readonly mode: PermissionMode;
      /** True if the screen already shows the welcome of a session before. */
      readonly isLater?: boolean;
      readonly first?: FirstSteps;
    }
  /** `messageId`: set if images are attached. */
  | { readonly kind: "user"; readonly text: string; readonly messageId?: string }
  | { readonly kind: "markdown"; readonly chunk: Chunk; readonly first: boolean }
  /** Thinking, shown as one line with its duration. */
  | { readonly kind: "thinking"; readonly text: string; readonly durationMs: number }
  | { readonly kind: "tool"; readonly tool: FinishedTool }
  /** Neighbouring reads and searches, in one row. */
  | { readonly kind: "explorations"; readonly tools: readonly FinishedTool[] }
  /** A list of steps in its final state. */
  | { readonly kind: "todos"; readonly todos: readonly Todo[] }
  | {
      readonly kind: "notice";
      readonly level: "info" | "warning" | "error";
      readonly text: string;
      /** True if the whole transcript shows more. */
      readonly hasMore?: boolean;
    }
  /** The drawn lines, in full, of a row that was shown folded. */
  | { readonly kind: "whole"; readonly lines: readonly string[] }
  | { readonly kind: "answer"; readonly command: string; readonly lines: readonly string[] }
  | {
      readonly kind: "footer";
      readonly report: TurnReport;
      readonly files: number;
      readonly added: number;
      readonly removed: number;
    };

export type RunningTool = {
  readonly use: ToolUseBlock;
  readonly title: string;
  readonly watch: Stopwatch;
  readonly progress: Progress | undefined;
  readonly answer?: AnswerNote;
  /** Set if the call has ended but an earlier call is still running: rows come in call order. */
  readonly finished: FinishedTool | undefined;
};

/** The ids of the calls whose shell commands are running. */
export function commandCalls({ running }: Pick<Transcript, "running">): readonly string[] {
  return running.flatMap(({ use, finished }) => (use.name === "Bash" && !finished ? [use.id] : []));
}

/** Measures a turn or a call without the time in which it waits for the person. Monotonic milliseconds. */
export type Stopwatch = {
  readonly startedAt: number;
  /** The total time waited for the person's answers. */
  readonly waitedMs: number;
  /** The time since which the person's answer is awaited; undefined if no answer is awaited. */
  readonly waitingSince: number | undefined;
};

export function startWatch(nowMs: number): Stopwatch {
  return { startedAt: nowMs, waitedMs: 0, waitingSince: undefined };
}

/** Returns the same object if nothing changes. */
export function setWaiting(watch: Stopwatch, isWaiting: boolean, nowMs: number): Stopwatch {
  const { waitingSince, waitedMs } = watch;
  if (isWaiting === (waitingSince !== undefined)) return watch;
  if (isWaiting) return { ...watch, waitingSince: nowMs };
  return { ...watch, waitedMs: waitedMs + nowMs - (waitingSince ?? nowMs), waitingSince: undefined };
}

/** Milliseconds. */
export function elapsedOf({ startedAt, waitedMs, waitingSince }: Stopwatch, nowMs: number): number {
  return (waitingSince ?? nowMs) - startedAt - waitedMs;
}

/** The second that the status line's clock shows. */
export function secondOf(watch: Stopwatch, nowMs: number): number {
  return Math.round(Math.max(0, elapsedOf(watch, nowMs)) / 1_000);
}

export type Activity =
  | { readonly kind: "waiting" }
  | { readonly kind: "thinking" }
  | { readonly kind: "writing" }
  | { readonly kind: "preparing"; readonly toolName: string }
  | { readonly kind: "compacting"; readonly writtenTokens: number }
  | {
      readonly kind: "retrying";
      readonly attempt: number;
      readonly maxAttempts: number;
      /** Monotonic milliseconds. */
      readonly until: number;
      readonly message: string;
    };

export type Turn = {
  readonly watch: Stopwatch;
  readonly activity: Activity;
  /** The budget of a turn that continues until its tokens are spent. */
  readonly budget?: { readonly spentTokens: number; readonly totalTokens: number };
  /** The model's output so far: tokens of ended answers, and characters of the open answer. */
  readonly written: {
    readonly tokens: number;
    readonly openChars: number;
    /** Those that had come when this second of the turn began. */
    readonly shownChars: number;
    readonly second: number;
  };
  readonly files: ReadonlySet<string>;
  readonly added: number;
  readonly removed: number;
};

/** Thinking of the running turn that does not have a row yet. */
export type Thinking = {
  readonly text: string;
  readonly durationMs: number;
  /** Monotonic milliseconds; undefined while the model does something else. */
  readonly since: number | undefined;
};

/** `settled` rows never change again; the rest is redrawn in each frame. Appending is O(1). */
export type Transcript = {
  readonly settled: AppendOnly<Row>;
  readonly text: Splitter;
  /** True after a part of the open text was settled: the rest gets no mark. */
  readonly textStarted: boolean;
  /** Rows that arrived while the text was open: they are settled below it. */
  readonly held: readonly FaceRow[];
  /** True after the current request streamed text: its message then adds no text. */
  readonly textSeen: boolean;
  /** True while hooks decide which text of the current request is shown: its deltas are not shown. */
  readonly holdsText: boolean;
  readonly running: readonly RunningTool[];
  /** Ended reads and searches, kept open for their neighbours. */
  readonly explorations: readonly FinishedTool[];
  readonly thinking?: Thinking | undefined;
  readonly todos: readonly Todo[];
  /** True if the list is from before the newest prompt, whose turn has not written it again. */
  readonly hasOldTodos: boolean;
  /** The list of steps that a row showed last. */
  readonly shownTodos: readonly Todo[];
  readonly turn: Turn | undefined;
  /** The status line of a slow hook. */
  readonly hookText?: string | undefined;
  readonly context:
    | { readonly usedTokens: number; readonly windowTokens: number; readonly warnTokens?: number }
    | undefined;
};

export const emptyTranscript: Transcript = {
  settled: AppendOnly.of(),
  text: emptySplitter,
  textStarted: false,
  held: [],
  textSeen: false,
  holdsText: false,
  running: [],
  explorations: [],
  todos: [],
  hasOldTodos: false,
  shownTodos: [],
  turn: undefined,
  context: undefined,
};

/** A row of the face itself: it is settled after all open rows. */
export type FaceRow = Exclude<Row, { kind: "markdown" | "tool" | "explorations" | "footer" }>;

/** An event that changes the transcript of a screen. */
export type ScreenEvent =
  | EngineEvent
  | { readonly type: "row"; readonly row: FaceRow }
  /** A saved turn whose end is not in the log, so it gets no footer. */
  | { readonly type: "turn_lost" };

/** True while the answer's text streams, and nothing else runs. */
export function isWriting({ turn, running }: Pick<Transcript, "turn" | "running">): boolean {
  return turn?.activity.kind === "writing" && running.length === 0;
}
