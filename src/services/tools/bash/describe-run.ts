import type { Display } from "../../../contracts/tool.ts";
import type { TaskInfo } from "./background-tasks.ts";
import type { CommandRun } from "./run-command.ts";

const SHOWN_DURATION_MS = 1_000;
const MAX_LISTED = 5;
/** What a screen may show of a command's output; it takes fewer of one that the model runs. */
const MAX_DISPLAY_LINES = 40;
const NO_OUTPUT = "(no output)";

export type RunNotes = {
  /** The output as the model gets it; empty when there was none. */
  readonly text: string;
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
  readonly maxOutputBytes: number;
  /** The task that took over what was left running. */
  readonly left: TaskInfo | undefined;
  /** What became of the working folder, if anything. */
  readonly folderNote: string | undefined;
  /** What may be behind a failure: the sandbox, a variable that was kept back. One line each. */
  readonly hints: readonly string[];
};

/** The result of a command as the model reads it: what it printed, then how it ended and what else changed. */
export function describeRun(run: CommandRun, notes: RunNotes): string {
  const lines = [notes.text === "" ? NO_OUTPUT : notes.text, `[${howItEnded(run, notes)}]`];
  if (notes.left) {
    const { id, logPath } = notes.left;
    lines.push(
      `[left running: ${listed(run.leftBehind)}. It is task ${id}; its output goes on in ${logPath}; it ends with the session or TaskStop]`,
    );
  }
  if (notes.folderNote !== undefined) lines.push(`[${notes.folderNote}]`);
  lines.push(...notes.hints.map((hint) => `[${hint}]`));
  return lines.join("\n");
}

function listed(processes: readonly string[]): string {
  const more = processes.length - MAX_LISTED;
  return [...processes.slice(0, MAX_LISTED), ...(more > 0 ? [`${more} more`] : [])].join("; ");
}

function howItEnded({ endedBy, exit, durationMs }: CommandRun, notes: RunNotes): string {
  const after = durationMs > SHOWN_DURATION_MS ? ` after ${seconds(durationMs)}` : "";
  if (endedBy === "interrupt") return `interrupted by the user${after}; the output stops there`;
  if (endedBy === "timeout")
    return `timed out after ${seconds(notes.timeoutMs)} and was ended; the output stops there. ${timeoutAdvice(notes)}`;
  if (endedBy === "too much output")
    return `ended${after}: it printed more than ${notes.maxOutputBytes} bytes; make it print less, or into a file that it cuts`;
  if (exit?.signal !== undefined) return `ended by signal ${exit.signal}${after}`;
  return `exit code ${exit?.exitCode ?? "unknown"}${after}`;
}

function timeoutAdvice({ timeoutMs, maxTimeoutMs }: RunNotes): string {
  const longer = timeoutMs < maxTimeoutMs ? `Give a longer timeout (up to ${maxTimeoutMs} ms), or start` : "Start";
  return `${longer} it with run_in_background.`;
}

export function isFailure({ endedBy, exit }: CommandRun): boolean {
  return endedBy !== "itself" || exit?.exitCode !== 0;
}

/** @param clean Takes lines out of what is shown. */
export function displayOf(
  command: string,
  { endedBy, exit, follower }: CommandRun,
  clean: (text: string) => string,
): Display {
  const lines = follower.lastLines(MAX_DISPLAY_LINES);
  const tail = lines.length === 0 ? lines : clean(lines.join("\n")).split("\n");
  return {
    kind: "command",
    command,
    exitCode: exit?.exitCode,
    signal: exit?.signal,
    timedOut: endedBy === "timeout",
    tail,
    totalLines: follower.totalLines - (lines.length - tail.length),
  };
}

export function seconds(ms: number): string {
  return `${ms < 10_000 ? (ms / 1000).toFixed(1) : Math.round(ms / 1000)} s`;
}
