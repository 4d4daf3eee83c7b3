import type { Display } from "../../../contracts/display.ts";
import type { TaskInfo } from "../../../contracts/task.ts";
import { firstFew } from "../../../contracts/words.ts";
import type { CommandRun } from "./run-command.ts";

const SHOWN_DURATION_MS = 1_000;
const MAX_LISTED = 5;
/** The maximum number of output lines for a screen; a screen shows fewer for the model's commands. */
const MAX_DISPLAY_LINES = 40;
const NO_OUTPUT = "(no output)";
const EXIT_CODE = "exit code";
/** The last line of a command that succeeded; a slow one has its duration there. */
const EXIT_ZERO = new RegExp(`\\n\\[${EXIT_CODE} 0(?: after [^\\]\\n]+)?\\]$`);

export type RunNotes = {
  /** The output for the model; empty if there was none. */
  readonly text: string;
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
  readonly maxOutputBytes: number;
  /** The meaning of exit code 1 if it is an answer and no failure; for exit code 0, the failure of an earlier part of the pipe. */
  readonly answer: string | undefined;
  /** The task that took over processes that were left running. */
  readonly left: TaskInfo | undefined;
  /** Changes of the working folder, if any. */
  readonly folderNote: string | undefined;
  /** Possible reasons of a failure: the sandbox, a withheld variable. One line each. */
  readonly hints: readonly string[];
  /** True if the model has a tool with this name. */
  hasTool(name: string): boolean;
};

/** A command's result for the model: the output, then the exit code and other changes. */
export function describeRun(run: CommandRun, notes: RunNotes): string {
  const lines = [notes.text === "" ? NO_OUTPUT : notes.text, `[${howItEnded(run, notes)}]`];
  if (notes.left) {
    const { id, outputFile } = notes.left;
    const end = notes.hasTool("TaskStop") ? "the session or TaskStop" : "the session";
    const what = run.endedBy === "released" ? "this command" : listed(run.leftBehind);
    lines.push(`[left running: ${what}. It is task ${id}; its output continues in ${outputFile}; it ends with ${end}]`);
  }
  lines.push(
    ...sandboxEnd(run.endedWithSandbox).map((line) => `[${line}. To keep it, use run_in_background without &]`),
  );
  if (notes.folderNote !== undefined) lines.push(`[${notes.folderNote}]`);
  lines.push(...notes.hints.map((hint) => `[${hint}]`));
  return lines.join("\n");
}

/** @param names Of the processes that a confined command left running. */
export function sandboxEnd(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const shown = names.map((name) => (name === "bash" ? "a part of this command" : name));
  return [`ended with the sandbox, because the command itself had ended: ${listed(shown)}`];
}

/** Removes the last line of a result of `describeRun` that says no more than exit code 0 and how long the command ran. */
export function withoutExitZero(text: string): string {
  return text.replace(EXIT_ZERO, "");
}

function howItEnded({ endedBy, exit, durationMs }: CommandRun, notes: RunNotes): string {
  const after = durationMs > SHOWN_DURATION_MS ? ` after ${seconds(durationMs)}` : "";
  if (endedBy === "interrupt") return `interrupted by the user${after}; the output stops there`;
  if (endedBy === "released") return `moved to the background by the user${after}; you are told its end`;
  if (endedBy === "timeout")
    return `timed out after ${seconds(notes.timeoutMs)} and was ended; the output stops there. ${timeoutAdvice(notes)}`;
  if (endedBy === "too much output")
    return `ended${after}: it printed more than ${notes.maxOutputBytes} bytes; make it print less, or into a file that it cuts`;
  if (exit?.signal !== undefined) return `ended by signal ${exit.signal}${after}`;
  const meaning = notes.answer === undefined || notes.answer === "" ? "" : ` (${notes.answer})`;
  return `${EXIT_CODE} ${exit?.exitCode ?? "unknown"}${meaning}${after}`;
}

function timeoutAdvice({ timeoutMs, maxTimeoutMs }: RunNotes): string {
  const longer = timeoutMs < maxTimeoutMs ? `Give a longer timeout (up to ${maxTimeoutMs} ms), or start` : "Start";
  return `${longer} it with run_in_background.`;
}

export function isFailure({ endedBy, exit }: CommandRun): boolean {
  return endedBy !== "released" && (endedBy !== "itself" || exit?.exitCode !== 0);
}

type Shown = Pick<RunNotes, "left"> & {
  /** Removes lines from the shown output. */
  clean(text: string): string;
  /** A line in place of an output that is no text. */
  readonly instead?: string | undefined;
  /** Where the command ran, if that is worth a line. */
  readonly place: readonly string[];
};

export function displayOf(
  command: string,
  { endedBy, exit, follower }: CommandRun,
  { left, clean, instead, place }: Shown,
): Display {
  const lines = instead === undefined ? follower.lastLines(MAX_DISPLAY_LINES) : [instead];
  const tail = lines.length === 0 ? lines : clean(lines.join("\n")).split("\n");
  return {
    kind: "command",
    command,
    exitCode: exit?.exitCode,
    signal: exit?.signal,
    timedOut: endedBy === "timeout",
    tail,
    totalLines: instead === undefined ? follower.totalLines - (lines.length - tail.length) : 1,
    ...(endedBy === "released" && left && { taskId: left.id }),
    ...(place.length > 0 && { place }),
  };
}

export function seconds(ms: number): string {
  return `${ms < 10_000 ? (ms / 1000).toFixed(1) : Math.round(ms / 1000)} s`;
}

function listed(processes: readonly string[]): string {
  return firstFew(processes, MAX_LISTED).join("; ");
}
