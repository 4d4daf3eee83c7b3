import { joinedLines } from "@quoll/terminal-text/one-line";
import type { Ui } from "../layers/ui-state.ts";
import type { ReplState } from "../repl-state.ts";
import { stepLine } from "./plain-rows.ts";
import { ROLES, spokenLine } from "./spoken-text.ts";

type Field = "transcript" | "ui" | "isBusy" | "nowMs" | "mustAnswer" | "operation" | "completions" | "session";
/** The state that decides what a plain screen prints. */
export type PlainState = Pick<ReplState, Field>;

/** Lines that are printed when they change: a retry, the step of the task list, the queue, a command's operation. */
export function newsOf({ transcript, ui, operation, isBusy }: PlainState): readonly string[] {
  const activity = transcript.turn?.activity;
  const queue = ui.queue.length + ui.unlisted;
  return [
    activity?.kind === "retrying" ? `${ROLES.warning}: ${spokenLine(activity.message)}` : undefined,
    stepLine(transcript),
    operation && `${ROLES.working}: ${spokenLine(operation.title)}.`,
    queue > 0 ? queueLine(ui, isBusy) : undefined,
    ui.armed && `${ROLES.notice}: ${ui.armed.says}.`,
  ].filter((line) => line !== undefined);
}

function queueLine({ queue, unlisted }: Ui, isBusy: boolean): string {
  const newest = queue.at(-1);
  const count = queue.length + unlisted;
  const text = joinedLines(newest?.shown ?? "");
  const when = !isBusy
    ? "Enter alone sends it"
    : newest?.when === "steer"
      ? "Quoll reads it at its next step"
      : "it begins after this turn";
  return `${ROLES.notice}: queued, ${count} waiting: ${text}. ${when}.`;
}
