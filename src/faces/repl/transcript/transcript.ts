import type { Display, Progress, Todo } from "../../../contracts/display.ts";
import type { TurnReport } from "../../../contracts/event.ts";
import type { ToolUseBlock } from "../../../contracts/message.ts";
import type { AnswerNote } from "../../../contracts/question.ts";
import type { Chunk } from "../markdown/chunk.ts";
import { emptySplitter, type Splitter } from "../markdown/split-blocks.ts";
import { AppendOnly } from "./append-only.ts";

/** A call that came to its end. */
export type FinishedTool = {
  readonly use: ToolUseBlock;
  readonly title: string;
  readonly isError: boolean;
  /** 0 in a restored conversation. */
  readonly durationMs: number;
  /** The beginning of what the model was told. */
  readonly excerpt: string;
  readonly display: Display | undefined;
  /** What refused it, when it was refused. */
  readonly refusedBy: string | undefined;
  /** What the person said about it, where that is more than yes. */
  readonly answer?: AnswerNote;
  /** The person ran it: its output is what they want to see. */
  readonly isOwn?: boolean;
};

/** What stands on the screen for good. */
export type Row =
  | { readonly kind: "welcome"; readonly version: string; readonly cwd: string }
  | { readonly kind: "user"; readonly text: string }
  | { readonly kind: "markdown"; readonly chunk: Chunk; readonly first: boolean }
  | { readonly kind: "tool"; readonly tool: FinishedTool }
  /** Neighbouring reads and searches, in one line. */
  | { readonly kind: "explorations"; readonly tools: readonly FinishedTool[] }
  | { readonly kind: "notice"; readonly level: "info" | "warning" | "error"; readonly text: string }
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
  readonly refusedBy: string | undefined;
  readonly answer?: AnswerNote;
  /** Set when it has ended but an earlier call still runs: rows come in call order. */
  readonly finished: FinishedTool | undefined;
};

/** Times a turn or a call without the time that it waits for the person. Monotonic milliseconds. */
export type Stopwatch = {
  readonly startedAt: number;
  /** How long it waited for the person's answers. */
  readonly waitedMs: number;
  /** Since when it waits for one; undefined while it doesn't. */
  readonly waitingSince: number | undefined;
};

export function startWatch(nowMs: number): Stopwatch {
  return { startedAt: nowMs, waitedMs: 0, waitingSince: undefined };
}

/** The same watch where nothing changes. */
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

export type Activity =
  | { readonly kind: "waiting" }
  | { readonly kind: "thinking" }
  | { readonly kind: "writing" }
  | { readonly kind: "preparing"; readonly toolName: string }
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
  readonly files: ReadonlySet<string>;
  readonly added: number;
  readonly removed: number;
};

/** `settled` rows never change again; all else is drawn anew with each frame. Appending is O(1). */
export type Transcript = {
  readonly settled: AppendOnly<Row>;
  readonly text: Splitter;
  /** True once a part of the open text is settled: what follows has no mark of its own. */
  readonly textStarted: boolean;
  /** True once the current request sent any text: its message then brings nothing new. */
  readonly textSeen: boolean;
  /** The last answer came without its usage: it was interrupted. */
  readonly isCutOff: boolean;
  readonly running: readonly RunningTool[];
  /** Reads and searches that ended, kept open for their neighbours. */
  readonly explorations: readonly FinishedTool[];
  readonly todos: readonly Todo[];
  readonly turn: Turn | undefined;
  readonly context:
    | { readonly usedTokens: number; readonly windowTokens: number; readonly warnTokens?: number }
    | undefined;
};

export const emptyTranscript: Transcript = {
  settled: AppendOnly.of(),
  text: emptySplitter,
  textStarted: false,
  textSeen: false,
  isCutOff: false,
  running: [],
  explorations: [],
  todos: [],
  turn: undefined,
  context: undefined,
};

/** An instant event of the face itself: it is settled behind whatever was open. */
export type FaceRow = Exclude<Row, { kind: "markdown" | "tool" | "explorations" | "footer" }>;
