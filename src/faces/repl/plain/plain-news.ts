import { joinedLines } from "@quoll/terminal-text/one-line";
import type { Ui } from "../layers/ui-state.ts";
import type { ReplState } from "../repl-state.ts";
import { MODE_SENTENCES } from "../view/shown-facts.ts";
import { activityText } from "../view/status-line.ts";
import { stepLine } from "./plain-rows.ts";
import { ROLES, spokenLine } from "./spoken-text.ts";

type Field = "transcript" | "ui" | "isBusy" | "nowMs" | "mustAnswer" | "operation" | "session" | "keymap" | "isResumed";
/** The state that decides what a plain screen prints. */
export type PlainState = Pick<ReplState, Field>;

/** The time without a word until work is reported, and between two such reports. */
const FIRST_PROGRESS_MS = 10_000;
const PROGRESS_MS = 30_000;

/** Tells the changes since the last update, and that work continues. */
export class PlainNews {
  #told: readonly string[] = [];
  #model = "";
  #mode = "";
  /** When the work began, told something or was last reported. */
  #quietSince: number | undefined;
  #isReported = false;

  /** The conversation was told something, so that nobody wonders whether work continues. */
  spoke(nowMs: number): void {
    if (this.#quietSince !== undefined) this.#quietSince = nowMs;
    this.#isReported = false;
  }

  /** @returns the lines that are due now, about work. */
  of(state: PlainState): readonly string[] {
    const before = this.#told;
    this.#told = newsOf(state);
    const news = this.#told.filter((line) => !before.includes(line));
    return [...news, ...this.#progress(state)];
  }

  /** The model and the mode, which a plain screen shows nowhere else, are told when they change. */
  ofSession({ session: { model, mode } }: PlainState): readonly string[] {
    if (model === "") return [];
    const isFirst = this.#model === "";
    const told = [
      ...(model === this.#model ? [] : [`model ${joinedLines(model)}`]),
      ...(mode === this.#mode ? [] : [`permission mode ${mode}${isFirst ? "" : `: ${MODE_SENTENCES[mode]}`}`]),
    ];
    this.#model = model;
    this.#mode = mode;
    return told.length === 0 ? [] : [`${ROLES.notice}: ${told.join(", ")}.`];
  }

  /** Reports continuing work at intervals. */
  #progress({ isBusy, operation, nowMs, ui, transcript }: PlainState): readonly string[] {
    if (!(isBusy || operation) || ui.asking) {
      this.#quietSince = undefined;
      this.#isReported = false;
      return [];
    }
    this.#quietSince ??= nowMs;
    if (nowMs - this.#quietSince < (this.#isReported ? PROGRESS_MS : FIRST_PROGRESS_MS)) return [];
    this.#quietSince = nowMs;
    this.#isReported = true;
    const doing = isBusy ? activityText({ transcript, isAsked: false, nowMs }) : (operation?.title ?? "");
    return [`${ROLES.working}: ${spokenLine(doing)}.`];
  }
}

/** Lines that are printed when they change: a retry, the step of the task list, the queue, a command's operation. */
function newsOf({ transcript, ui, operation, isBusy }: PlainState): readonly string[] {
  const activity = transcript.turn?.activity;
  const queue = ui.queue.length + ui.unlisted;
  return [
    activity?.kind === "retrying" ? `${ROLES.warning}: ${spokenLine(activity.message)}` : undefined,
    stepLine(transcript),
    operation && `${ROLES.working}: ${spokenLine(operation.title)}.`,
    queue > 0 ? queueLine(ui, isBusy) : undefined,
    // The key that drops a withdrawn prompt edits the line here.
    ui.armed && ui.armed.does !== "drop" && `${ROLES.notice}: ${ui.armed.says}.`,
  ].filter((line) => line !== undefined && line !== false);
}

function queueLine({ queue, unlisted }: Ui, isBusy: boolean): string {
  const newest = queue.at(-1);
  const waiting = `${ROLES.notice}: queued, ${queue.length + unlisted} waiting`;
  if (!isBusy) return `${waiting}: ${joinedLines(newest?.shown ?? "")}. Enter alone sends it.`;
  // The typed line stands right above.
  return `${waiting}. ${newest?.when === "steer" ? "Quoll reads it at its next step" : "It begins after this turn"}.`;
}
