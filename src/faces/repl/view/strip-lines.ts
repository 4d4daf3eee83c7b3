import { formatCount, formatSeconds } from "@quoll/terminal-text/format-amount";
import { oneLine } from "@quoll/terminal-text/one-line";
import { textWidth } from "@quoll/terminal-text/text-width";
import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import { questionName } from "../../../contracts/question.ts";
import type { TaskStatus } from "../../../contracts/task.ts";
import { joinedHints, type KeyHint } from "../keymap/key-help.ts";
import type { Room } from "../layers/layer.ts";
import type { RowQuestions } from "../tasks/row-questions.ts";
import { isResultOfCall, mostActive, ownerOf, type ShownTask } from "../tasks/shown-tasks.ts";
import { MARK_COLUMNS, SPREAD_GAP, spread } from "./layout.ts";
import { GLYPHS, type Theme } from "./theme.ts";
import { hintsOf } from "./theme-hints.ts";

const MAX_ROWS = 5;
/** In a lower window the transcript needs these rows more. */
const LOW_WINDOW_ROWS = 16;
const MAX_ROWS_IF_LOW = 2;
const MAX_TYPE_COLUMNS = 15;
/** In a narrower window the tokens are left out. */
const MIN_COLUMNS_WITH_TOKENS = 60;
/** `2.0k tok` and the gap before it. */
const TOKEN_COLUMNS = 10;
const MIN_DESCRIPTION_COLUMNS = 16;
const MAX_TEXT_COLUMNS = 200;
/** In less room, what a task does is not shown. */
const MIN_ROOM_FOR_ACTIVITY = 26;
/** The gap after the type of a task. */
const LEAD_GAP = 2;
/** The minimum silence that is mentioned. */
const MIN_SILENCE_MS = 10_000;
const NONE: RowQuestions = new Map();

type View = {
  readonly tasks: readonly ShownTask[];
  /** The selected task while the person is in the strip. */
  readonly chosen?: ShownTask | undefined;
  /** The questions that wait in rows. */
  readonly asked?: RowQuestions | undefined;
  /** True if the person can enter the strip from the prompt. */
  readonly isNear?: boolean;
  readonly nowMs: number;
};
type Style = Pick<Room, "theme" | "columns" | "rows">;

/**
 * A row for each agent and background shell, commands of an agent below it, and the number of others. The marks are not
 * animated: only clocks change.
 */
export function stripLines(view: View, style: Style): readonly string[] {
  const { tasks, chosen, asked = NONE, nowMs } = view;
  const { theme, columns, rows } = style;
  const most = rows < LOW_WINDOW_ROWS ? MAX_ROWS_IF_LOW : MAX_ROWS;
  const asks = ({ info }: ShownTask) => asked.has(info.id) || needsAPerson(info);
  // The rows follow the mark.
  const from = Math.max(0, chosen ? tasks.indexOf(chosen) - most + 1 : 0);
  const shown = chosen ? tasks.slice(from, from + most) : mostActive(tasks, most, { asks, nowMs });
  const hint = (more: string) => hints(view, theme).find((one) => textWidth(`  ${one}  ${more}`) <= columns) ?? "";
  const more = moreText(tasks.filter((task) => !shown.includes(task)));
  const last = [hint(more), more].filter(Boolean).join(" · ");
  return [
    ...rowsOf(shown, { ...style, nowMs, tasks, asked, chosen }),
    ...(last === "" ? [] : [theme.dim(truncateText(`  ${last}`, columns))]),
  ];
}

/** `+7 more, 5 running` */
function moreText(hidden: readonly ShownTask[]): string {
  if (hidden.length === 0) return "";
  const running = hidden.filter(({ info }) => info.status === "running").length;
  return `+${hidden.length} more${running > 0 && running < hidden.length ? `, ${running} running` : ""}`;
}

/** The keys of a selected row, the longest text first; otherwise the way to a question. */
function hints({ chosen, asked = NONE, isNear }: View, theme: Theme): readonly string[] {
  const key = hintsOf(theme, "strip");
  if (!chosen) {
    const keys = [hintsOf(theme, "prompt")("", "prompt.down"), key("", "strip.watch")].filter(Boolean).join(" ");
    return asked.size > 0 && isNear ? [`${keys} answers`] : [];
  }
  const watch = key(asked.has(chosen.info.id) ? "answer" : "watch", "strip.watch");
  const most = taskHints(chosen, key);
  const [leave, leaves] = [key("", "strip.leave"), key("back", "strip.leave")];
  return [
    joinedHints(key("choose", "strip.previous", "strip.next"), watch, ...most, leaves),
    joinedHints(watch, ...most, leave),
    joinedHints(...most, leave),
  ];
}

/** The keys that act on a task as it is now: a shell takes no message, and an ended task is not stopped. */
export function taskHints({ info, endedAt }: ShownTask, key: KeyHint): readonly string[] {
  return [
    info.can.includes("message") ? key("message", "strip.message") : "",
    endedAt === undefined ? key("stop", "strip.stop") : "",
  ];
}

/** The title of a task's output: `a1 is running · 41s · 18k tok · Explore: find the sleeps`. */
export function watchTitle({ info, startedAt, endedAt }: ShownTask, nowMs: number): string {
  const { id, title, agent } = info;
  const tokens = agent ? [`${formatCount(agent.tokens)} tok`] : [];
  const facts = [`${id} ${phraseOf(info)}`, formatSeconds((endedAt ?? nowMs) - startedAt), ...tokens];
  return [...facts, oneLine(title, MAX_TEXT_COLUMNS)].join(" · ");
}

type RowStyle = Style &
  Pick<View, "tasks" | "nowMs" | "chosen"> & {
    readonly asked: RowQuestions;
  };

/** The texts of a row, before the columns are laid out. */
type Cells = {
  readonly task: ShownTask;
  /** The mark, the id and the type. */
  readonly lead: string;
  readonly what: string;
  /** The work of the agent now, or how the task ended. */
  readonly doing: string;
  readonly right: string;
};

/**
 * `◐ a1 Explore  find the sleeps · Grep "sleep"      41s  18k tok`, and below it `└ ◐ b1 shell  npm run watch`. What
 * the tasks do stands in one column.
 */
function rowsOf(shown: readonly ShownTask[], style: RowStyle): readonly string[] {
  const { theme, columns, chosen } = style;
  const timeColumns = Math.max(...shown.map((task) => timeOf(task, style.nowMs).length));
  const cells = shown.map((task, at) => cellsOf(at, shown, task, { ...style, timeColumns }));
  const leadColumns = Math.max(0, ...cells.map(({ lead }) => textWidth(lead)));
  const rightColumns = Math.max(0, ...cells.map(({ right }) => textWidth(right)));
  const room = columns - MARK_COLUMNS - leadColumns - LEAD_GAP - rightColumns - SPREAD_GAP;
  const described = cells.filter(({ doing }) => doing !== "").map(({ what }) => textWidth(what));
  const whatColumns = Math.min(Math.max(0, ...described), Math.max(MIN_DESCRIPTION_COLUMNS, Math.floor(room / 2)));
  return cells.map(({ task, lead, what, doing, right }) => {
    const mark = `${task === chosen ? theme.accent(GLYPHS.choice) : " "} ${padText(lead, leadColumns)}`;
    const question = style.asked.get(task.info.id);
    if (question) {
      const asks = theme.warning(oneLine(`asks: ${questionName(question)}`, room));
      return spread(`${mark}  ${asks}`, theme.dim(right), columns);
    }
    // In a narrow window the description alone tells the tasks apart.
    const text =
      doing === "" || room < MIN_ROOM_FOR_ACTIVITY
        ? oneLine(what, room)
        : padText(oneLine(what, whatColumns), whatColumns) + theme.dim(` · ${doing}`);
    return spread(`${mark}  ${truncateText(text, Math.max(MIN_DESCRIPTION_COLUMNS, room))}`, theme.dim(right), columns);
  });
}

function timeOf({ startedAt, endedAt }: ShownTask, nowMs: number): string {
  return formatSeconds((endedAt ?? nowMs) - startedAt);
}

type CellStyle = RowStyle & { readonly timeColumns: number };

function cellsOf(at: number, shown: readonly ShownTask[], task: ShownTask, style: CellStyle): Cells {
  const { theme, columns, tasks, nowMs, asked, timeColumns } = style;
  const { info } = task;
  const tokens = info.agent ? `${formatCount(info.agent.tokens)} tok` : "";
  const size = columns < MIN_COLUMNS_WITH_TOKENS ? "" : tokens.padStart(TOKEN_COLUMNS);
  const mark = asked.has(info.id) ? theme.warning(GLYPHS.warning) : markOf(task, theme);
  const depth = depthOf(info, shown.slice(0, at));
  const type = truncateText(depth > 0 && !info.agent ? "shell" : typeOf(info, tasks), MAX_TYPE_COLUMNS);
  return {
    task,
    lead: `${theme.dim(branchOf(info, depth, shown.slice(at + 1)))}${mark} ${theme.dim(info.id)} ${type}`,
    what: oneLine(info.summary, MAX_TEXT_COLUMNS),
    doing: doingOf(task, nowMs),
    right: timeOf(task, nowMs).padStart(timeColumns) + size,
  };
}

/** How many of the tasks above a row own it, one through another. */
function depthOf(info: ShownTask["info"], above: readonly ShownTask[]): number {
  const owner = info.parentAgentId === null ? undefined : ownerOf(info, above);
  const at = owner === undefined ? -1 : above.findLastIndex((task) => task.info === owner);
  return owner === undefined ? 0 : 1 + depthOf(owner, above.slice(0, at));
}

function branchOf({ agentId }: ShownTask["info"], depth: number, below: readonly ShownTask[]): string {
  if (depth === 0) return "";
  const hasSibling = below.some(({ info }) => info.parentAgentId !== null && info.agentId === agentId);
  return "  ".repeat(depth - 1) + (hasSibling ? "├ " : "└ ");
}

/** The agent's type, or the name that its caller gave it. A command of an agent names its agent. */
function typeOf(info: ShownTask["info"], tasks: readonly ShownTask[]): string {
  const { agent } = info;
  if (agent) return oneLine(agent.name ?? agent.type, MAX_TEXT_COLUMNS);
  const owner = info.parentAgentId === null ? undefined : ownerOf(info, tasks);
  return owner ? `shell of ${owner.id}` : "shell";
}

const MARKS: Readonly<Record<TaskStatus, (theme: Theme) => string>> = {
  queued: ({ dim }) => dim(GLYPHS.info),
  running: ({ accent }) => accent(GLYPHS.running),
  completed: ({ passed }) => passed(GLYPHS.passed),
  failed: ({ failed }) => failed(GLYPHS.failed),
  cancelled: ({ dim }) => dim(GLYPHS.stopped),
};

function markOf({ info }: ShownTask, theme: Theme): string {
  return info.status === "running" && needsAPerson(info) ? theme.warning(GLYPHS.warning) : MARKS[info.status](theme);
}

/** True for an agent that waits for an answer, or whose state needs attention. Shells don't wait for a person. */
function needsAPerson({ agent, hasRemark }: ShownTask["info"]): boolean {
  return agent !== undefined && (agent.isAsking === true || hasRemark === true);
}

function phraseOf({ phrase, state }: ShownTask["info"]): string {
  return oneLine(phrase ?? state, MAX_TEXT_COLUMNS);
}

/** The last activity and its age, or how the task ended, without figures. */
function doingOf({ info, seenAt, endedAt }: ShownTask, nowMs: number): string {
  const { agent, status, exitCode, hasRemark } = info;
  if (exitCode !== undefined) return `exit code ${exitCode}`;
  // The call that waited for the agent shows its result.
  if (info.result !== undefined && isResultOfCall(info)) return "";
  if (info.result !== undefined) return oneLine(info.result, MAX_TEXT_COLUMNS);
  if (endedAt !== undefined || status === "queued" || hasRemark) return phraseOf(info);
  if (!agent) return "";
  const silentMs = nowMs - seenAt;
  const age = agent.isAsking || silentMs < MIN_SILENCE_MS ? "" : ` · ${formatSeconds(silentMs)} ago`;
  return `${oneLine(agent.activity, MAX_TEXT_COLUMNS)}${age}`;
}
