import { formatCount, formatSeconds } from "@quoll/terminal-text/format-amount";
import { joinedLines } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import type { OperationProgress } from "../../../contracts/command-result.ts";
import { preparingText } from "../../../protocol/transcript/preparing-text.ts";
import { writtenTokens } from "../../../protocol/transcript/reduce-written.ts";
import { elapsedOf, isWriting, type RunningTool } from "../../../protocol/transcript/transcript.ts";
import { joinedHints } from "../keymap/key-help.ts";
import { isCallOfTask, type ShownTask } from "../tasks/shown-tasks.ts";
import { MARK_COLUMNS, SPREAD_GAP } from "./layout.ts";
import {
  briefFacts,
  keptColumns,
  knownCost,
  lastingFacts,
  leastFacts,
  restingFacts,
  runningFacts,
  type SessionFacts,
} from "./shown-facts.ts";
import { GLYPHS, spinnerAt, type Theme } from "./theme.ts";
import { hintAfter, hintsOf } from "./theme-hints.ts";
import { activityOf } from "./tool-verbs.ts";

/** The progress of a command's operation. */
export type ShownOperation = {
  readonly title: string;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  readonly progress?: OperationProgress;
};

export type StatusView = SessionFacts & {
  readonly isBusy: boolean;
  /** Set while a reason is typed or a duration is chosen: a key then returns to the answers. */
  readonly leadsBack?: keyof typeof LEADS_BACK | undefined;
  /** True if a question waits until the person pauses. */
  readonly isHeld?: boolean;
  /** True if a panel above the prompt takes the keys. */
  readonly isCovered?: boolean;
  /** True if Ctrl+B lets the turn continue without the work that it waits for. */
  readonly canRelease?: boolean;
  /** True if text was typed during a turn, and can be sent in two ways. */
  readonly isTyping?: boolean;
  /** True if an input waits for the person although no turn runs. */
  readonly isWaiting?: boolean;
  /** The activity of a running command. */
  readonly operation?: ShownOperation | undefined;
  /** The tasks with a row below the prompt. */
  readonly tasks?: readonly ShownTask[];
  /** The names of the servers for which the model's tools wait. */
  readonly starting?: readonly string[];
  /** A hint that replaces the right part: `ctrl+c again to leave`. */
  readonly hint: string | undefined;
  readonly nowMs: number;
};

const MAX_DOING_COLUMNS = 40;
const MIN_DOING_COLUMNS = 8;
/** Replace "waiting for your answer" where that doesn't fit. */
const BRIEF_WAITS = ["waiting for you", "waiting"];
const MAX_NAME_COLUMNS = 16;
/** The minimum columns of a left side that is cut. */
const LEAST_LEFT_COLUMNS = 12;
/** A mode that must be seen is cut where a running activity has less. */
const LEAST_BUSY_COLUMNS = 24;
/** From so many columns on, the model stays at rest, and the mode beside a running activity, which is cut for it. */
const WIDE_COLUMNS = 80;
/** A hint of a pressed key is never cut to less, because it lasts for seconds. */
const LEAST_HINT_COLUMNS = 32;
/** The minimum wait before the hint is shown. */
const RELEASE_HINT_MS = 10_000;

/**
 * The last line: the session's state, or the running activity. A known cost always has its place, from 80 columns on
 * the mode and the model too; everything else is cut or leaves first.
 */
export function statusLine(view: StatusView, theme: Theme, columns: number): string {
  if (view.operation && !view.transcript.turn) {
    const beside = besideHint(view, theme, columns) ?? stayingFacts(view, theme, { columns, isWide: false });
    const left = operationText(view.operation, view, theme, columns - reservedFor(beside));
    return sides(left, beside, columns);
  }
  return view.isBusy ? busyLine(view, theme, columns) : restingLine(view, theme, columns);
}

function restingLine(view: StatusView, theme: Theme, columns: number): string {
  const room = columns - MARK_COLUMNS;
  const keepsModel = columns >= WIDE_COLUMNS;
  const facts = textWidth(restingFacts(view, theme, { room, keepsModel }));
  // Without a word, the hint may leave room for all facts.
  const isTight = facts + SPREAD_GAP + textWidth(view.hint ?? "") > room;
  const hint = isTight ? view.hint?.replace(/ again(?= to )/, "") : view.hint;
  const most = Math.min(
    room - SPREAD_GAP - textWidth(knownCost(view)),
    Math.max(room - SPREAD_GAP - keptColumns(view), LEAST_HINT_COLUMNS),
  );
  const said = hint === undefined ? undefined : theme.accent(truncateText(hint, most));
  const beside = said ?? fittingRestHint(view, theme, room);
  const shown = restingFacts(view, theme, { room: room - reservedFor(beside), keepsModel });
  return sides(`  ${shown}`, beside, columns);
}

/** The longest hint beside which the mode, the model and the cost fit; otherwise the longest beside mode and cost. */
function fittingRestHint(view: StatusView, theme: Theme, room: number): string {
  const hints = restHints(view, theme);
  const least = textWidth(leastFacts(view, theme));
  const fitting = [keptColumns(view), least].map((kept) =>
    hints.find((one) => textWidth(one) + SPREAD_GAP + kept <= room),
  );
  return fitting.find((one) => one !== undefined) ?? "";
}

/**
 * A hint that replaces the facts on the right, except the cost, and a mode that must be seen; undefined without a hint.
 */
function besideHint({ hint, ...view }: StatusView, theme: Theme, columns: number): string | undefined {
  if (hint === undefined) return undefined;
  const facts = stayingFacts({ ...view, hint }, theme, { columns, isWide: false });
  const before = facts === "" ? "" : `${facts}${theme.dim(" · ")}`;
  return before + theme.accent(truncateText(hint, columns - textWidth(before) - MARK_COLUMNS - SPREAD_GAP));
}

/** The facts that stay beside a running activity: the cost, and in a wide line, or if it must be seen, the mode. */
function stayingFacts(
  view: StatusView,
  theme: Theme,
  { columns, isWide }: { readonly columns: number; readonly isWide: boolean },
): string {
  if (view.keepsMode !== true) return isWide ? leastFacts(view, theme) : theme.dim(knownCost(view));
  const whole = leastFacts(view, theme);
  return columns - reservedFor(whole) >= LEAST_BUSY_COLUMNS ? whole : briefFacts(view, theme);
}

/** The columns that the right side takes of a line. */
function reservedFor(beside: string): number {
  const width = textWidth(beside);
  return width === 0 ? 0 : width + SPREAD_GAP;
}

/** The left side is cut; where almost nothing of it is left, its mark stays. */
function sides(left: string, right: string, columns: number): string {
  if (right === "") return truncateText(left, columns);
  const room = columns - reservedFor(right);
  const isCut = textWidth(left) > room;
  const shown = isCut && room < LEAST_LEFT_COLUMNS ? left.slice(0, left.indexOf(" ")) : truncateText(left, room);
  return shown + " ".repeat(Math.max(0, columns - textWidth(right) - textWidth(shown))) + right;
}

/** The operation of a command beside a turn, above the prompt: the status line shows the turn. */
export function asideLines(view: StatusView, { theme, columns }: AsideStyle): readonly string[] {
  const { operation, transcript } = view;
  return operation && transcript.turn ? [operationText(operation, view, theme, columns).trimEnd()] : [];
}

type AsideStyle = { readonly theme: Theme; readonly columns: number };

function operationText(operation: ShownOperation, view: StatusView, theme: Theme, columns: number): string {
  const { title, progress, startedAt } = operation;
  const doing = [title, progressText(progress), formatSeconds(view.nowMs - startedAt)].filter(Boolean).join(" · ");
  const hints = view.isCovered ? [] : interruptHints("operation", theme);
  const room = columns - textWidth(`${hints.at(-1) ?? ""}  `) - MARK_COLUMNS;
  const running = `${theme.accent(spinnerAt(view.nowMs, theme))} ${truncateText(joinedLines(doing), room)}`;
  return `${running} ${theme.dim(fittingHint(hints, running, columns))}`;
}

function busyLine(view: StatusView, theme: Theme, columns: number): string {
  const mark = theme.accent(view.isAsked ? GLYPHS.running : busySpinner(view, theme));
  const hints = busyHints(view, theme);
  const said = besideHint(view, theme, columns);
  const tells = view.isTyping === true && !view.isAsked;
  const whole = tells ? lastingFacts(view, theme, sendHint(theme)) : runningFacts(view, theme);
  const stays = said ?? stayingFacts(view, theme, { columns, isWide: columns >= WIDE_COLUMNS && !tells });
  const besides = said === undefined ? [whole, leastFacts(view, theme)] : [said];
  const least = columns - reservedFor(stays);
  const rest = reservedFor(besides[0] ?? "");
  const brief = textWidth(` ${hints.at(-1) ?? ""}`);
  // The keys that send a draft are worth more than the words about esc.
  const isTight = tells && view.keepsMode === true;
  const room = columns - textWidth(`${mark}  ${hints.at(isTight ? -1 : 0) ?? ""}`);
  const told = { room, rest, stays: reservedFor(stays), least: least - MARK_COLUMNS - brief };
  const running = `${mark} ${busyText(view, told)}`;
  const isLong = view.canRelease === true && !view.isAsked && hints.length > 0 && elapsedMs(view) >= RELEASE_HINT_MS;
  const release = isLong ? fittingHint(releaseHints(theme), running, columns - rest) : "";
  const hint =
    release || (isTight && fittingHint(hints, running, columns - rest)) || fittingHint(hints, running, least);
  const left = `${running} ${theme.dim(hint)}`;
  const beside = besides.find((one) => textWidth(left) + reservedFor(one) <= columns) ?? stays;
  return sides(left, beside, columns);
}

/** Text that streams moves by itself: the spinner then stands still, which saves frames and bytes. */
function busySpinner({ transcript, nowMs }: StatusView, theme: Theme): string {
  return isWriting(transcript) ? GLYPHS.running : spinnerAt(nowMs, theme);
}

type BusyRoom = {
  /** The columns next to the longest hint. */
  readonly room: number;
  /** The columns of these that the right part takes. */
  readonly rest: number;
  /** The columns of the part on the right that stays. */
  readonly stays: number;
  /** The columns next to the shortest hint and the part on the right that stays. */
  readonly least: number;
};

/**
 * `npm test · 12s · ↓1.2k tok`: the activity, its time and what the model has written. The written tokens are dropped
 * first if the facts on the right need the room, then the name of the activity is cut.
 */
function busyText(view: StatusView, { room, rest, stays, least }: BusyRoom): string {
  const { turn } = view.transcript;
  const { budget } = turn ?? {};
  const spent = budget && `${formatCount(budget.spentTokens)} of +${formatCount(budget.totalTokens)}`;
  const told = ["", formatSeconds(elapsedMs(view)), ...(spent ? [spent] : [])].join(" · ");
  const columns = Math.max(MIN_DOING_COLUMNS, least - textWidth(told));
  const whole = describeActivity(view);
  const briefer = view.isAsked ? [whole, ...BRIEF_WAITS].find((one) => textWidth(one) <= columns) : undefined;
  const doing = truncateText(briefer ?? whole, columns);
  const text = doing + told;
  const written = turn && !budget && !view.isAsked ? writtenTokens(turn, view.nowMs) : 0;
  if (written === 0) return text;
  const counted = `${text} · ↓${formatCount(written)} tok`;
  const isRightShown = textWidth(text) + rest <= room;
  const kept = isRightShown ? rest : stays;
  return textWidth(counted) + kept <= room ? counted : text;
}

/**
 * The contexts of a question in which Esc says no "no". `row`: the question waits in the row of its agent; `left`: the
 * agent that asks goes on without an answer.
 */
const LEADS_BACK = {
  reason: ["reason", "reason.back", "goes back", "back"],
  term: ["term", "term.back", "goes back", "back"],
  details: ["question", "question.reject", "hides the details", "hide"],
  words: ["words", "words.back", "goes back", "back"],
  choice: ["choice", "choice.close", "ends the turn", "ends"],
  row: ["choice", "choice.close", "goes back to the prompt", "back"],
  left: ["choice", "choice.close", "leaves it unanswered", "leaves"],
} as const;

function busyHints(view: StatusView, theme: Theme): readonly string[] {
  const { isHeld, isAsked, isCovered, leadsBack, operation } = view;
  if (isHeld) return [];
  // The key first closes a panel, or ends a command's operation.
  if (!isAsked) return isCovered || operation ? [] : interruptHints("turn", theme);
  if (leadsBack) {
    const [context, action, does, brief] = LEADS_BACK[leadsBack];
    return hintsAfter(hintsOf(theme, context)("", action), (key) => [`${key} ${does}`, `${key} ${brief}`]);
  }
  const of = hintsOf(theme, "question");
  const no = of("", "question.no");
  return hintsAfter(of("", "question.reject") || no, (key) => [
    ...(no === "" || no === key ? [`${key} says no`] : [`${key} or ${no} says no`, `${key}, ${no}: no`]),
    `${key}: no`,
  ]);
}

/** Hints that say how to stop a turn or a command's operation, longest first. */
function interruptHints(context: "turn" | "operation", theme: Theme): readonly string[] {
  const key = hintsOf(theme, context)("", "turn.interrupt");
  return hintsAfter(key, () => [`${key} to interrupt`, `${key} stops`, key]);
}

/** How to let a turn continue without the work that it waits for. */
function releaseHints(theme: Theme): readonly string[] {
  const release = hintsOf(theme, "turn")("background", "turn.background");
  const [stop = ""] = interruptHints("turn", theme);
  return release === "" ? [] : [`${stop} · ${release}`.trim()];
}

function sendHint(theme: Theme): string {
  const of = hintsOf(theme, "prompt");
  return joinedHints(of("sends", "prompt.submit"), of("queues", "prompt.queueNext"));
}

/** Texts about a key, separated from the preceding text; empty if there is no key. */
function hintsAfter(key: string, texts: (key: string) => readonly string[]): readonly string[] {
  return key === "" ? [] : texts(key).map((text) => `· ${text}`);
}

/** The first hint that fits after a text; empty if none fits. */
function fittingHint(hints: readonly string[], text: string, columns: number): string {
  return hints.find((one) => textWidth(`${text} ${one}`) <= columns) ?? "";
}

/** The turn's time without its waits for the person; during a wait, the duration of the wait. */
function elapsedMs({ transcript, nowMs }: Pick<StatusView, "transcript" | "nowMs">): number {
  const { turn, running } = transcript;
  if (turn?.watch.waitingSince !== undefined) return nowMs - turn.watch.waitingSince;
  const watch = turn?.watch ?? running[0]?.watch;
  return watch ? elapsedOf(watch, nowMs) : 0;
}

/** `3 of 12 files` */
function progressText({ text, done, total }: OperationProgress = { text: "" }): string {
  const count = [done, total].filter((one) => one !== undefined).join(" of ");
  return [count, text].filter(Boolean).join(" ");
}

/** The hints while no turn runs, longest first: the keys to press, or the startup work that the person waits for. */
function restHints(view: StatusView, theme: Theme): readonly string[] {
  const { isWaiting, isAsked, starting = [] } = view;
  // An agent in the background asks.
  if (isAsked) return busyHints(view, theme).map((hint) => theme.dim(hint.replace(/^· /, "")));
  const [first, ...others] = starting;
  const submit = hintsOf(theme, "prompt");
  if (first !== undefined) {
    const names =
      truncateText(joinedLines(first), MAX_NAME_COLUMNS) + (others.length > 0 ? ` and ${others.length} more` : "");
    const text = `${theme.accent(GLYPHS.running)} starting ${names}`;
    const brief = `${theme.accent(GLYPHS.running)} starting ${plural(starting.length, "server")}`;
    return [...(isWaiting ? [text + hintAfter(submit("sends now", "prompt.submit"))] : []), text, brief];
  }
  if (isWaiting) return [theme.accent(submit("sends the queue", "prompt.submit"))];
  return [theme.dim(submit("for keys", "help.toggle"))];
}

/** The model's description of a call, or otherwise the tool and its subject. */
function describeCall({ use, title }: RunningTool): string {
  const description = use.input["description"];
  if (typeof description === "string" && description.trim() !== "") return joinedLines(description);
  return `${activityOf(use.name)} ${joinedLines(title)}`;
}

/** The activity with its time. */
export function activityText(view: Pick<StatusView, "transcript" | "isAsked" | "nowMs">): string {
  return `${describeActivity(view)} · ${formatSeconds(elapsedMs(view))}`;
}

export function describeActivity({
  transcript,
  isAsked,
  nowMs,
  tasks = [],
}: Pick<StatusView, "transcript" | "isAsked" | "nowMs" | "tasks">): string {
  if (isAsked) return "waiting for your answer";
  if (transcript.hookText !== undefined) return truncateText(joinedLines(transcript.hookText), MAX_DOING_COLUMNS);
  const running = transcript.running.filter(({ finished }) => !finished);
  const told = running.filter(({ use }) => !isCallOfTask(tasks, use.id));
  // The rows below the prompt tell what the agents do.
  if (told.length === 0 && running.length > 0) return "working";
  const [first, ...others] = told;
  if (first) {
    const doing = truncateText(describeCall(first), MAX_DOING_COLUMNS);
    return others.length > 0 ? `${doing} and ${others.length} more` : doing;
  }
  const activity = transcript.turn?.activity;
  switch (activity?.kind) {
    case "thinking":
      return "thinking";
    case "writing":
      return "writing";
    case "preparing":
      return joinedLines(preparingText(activity.toolName));
    case "compacting":
      return activity.writtenTokens === 0
        ? "compacting the conversation"
        : `compacting: ${formatCount(activity.writtenTokens)} tokens of the summary`;
    case "retrying": {
      const left = formatSeconds(activity.until - nowMs);
      return `retrying in ${left} (${activity.attempt} of ${activity.maxAttempts})`;
    }
    default:
      return "waiting for the model";
  }
}
