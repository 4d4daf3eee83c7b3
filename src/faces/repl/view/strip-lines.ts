import { formatCount, formatSeconds } from "@quoll/terminal-text/format-amount";
import { oneLine } from "@quoll/terminal-text/one-line";
import { textWidth } from "@quoll/terminal-text/text-width";
import { padText, truncateText } from "@quoll/terminal-text/truncate-text";
import { questionName } from "../../../contracts/question.ts";
import type { TaskStatus } from "../../../contracts/task.ts";
import { joinedHints } from "../keymap/key-hint.ts";
import type { Room } from "../layers/layer.ts";
import type { RowQuestions } from "../tasks/row-questions.ts";
import { ownerOf, type ShownTask } from "../tasks/shown-tasks.ts";
import { SPREAD_GAP, spread } from "./layout.ts";
import { GLYPHS, type Theme } from "./theme.ts";
import { hintsOf } from "./theme-hints.ts";

const MAX_ROWS = 5;
/** In a lower window the transcript needs these rows more. */
const LOW_WINDOW_ROWS = 16;
const MAX_ROWS_IF_LOW = 2;
const MAX_TYPE_COLUMNS = 15;
/** In a narrower window the tokens are left out. */
const MIN_COLUMNS_WITH_TOKENS = 60;
const MIN_DESCRIPTION_COLUMNS = 16;
const MAX_TEXT_COLUMNS = 200;
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
 * A row for each agent and background shell, and the number of others. The marks are not animated: only clocks change.
 */
export function stripLines(view: View, style: Style): readonly string[] {
  const { tasks, chosen, asked = NONE, nowMs } = view;
  const { theme, columns, rows } = style;
  const most = rows < LOW_WINDOW_ROWS ? MAX_ROWS_IF_LOW : MAX_ROWS;
  // The rows follow the mark.
  const from = Math.max(0, chosen ? tasks.indexOf(chosen) - most + 1 : 0);
  const shown = tasks.slice(from, from + most);
  const types = shown.map(({ info }) => textWidth(typeOf(info, tasks)));
  const typeColumns = Math.min(MAX_TYPE_COLUMNS, Math.max(0, ...types));
  const left = tasks.length - shown.length;
  const more = left > 0 ? `+${left} more` : "";
  const hint = hints(view, theme).find((one) => textWidth(`  ${one}  ${more}`) <= columns) ?? "";
  const last = [hint, more].filter(Boolean).join(" · ");
  return [
    ...shown.map((task) => rowOf(task, { ...style, nowMs, typeColumns, tasks, asked, isChosen: task === chosen })),
    ...(last === "" ? [] : [theme.dim(truncateText(`  ${last}`, columns))]),
  ];
}

/** The keys of a selected row, the longest text first; otherwise the way to a question. */
function hints({ chosen, asked = NONE, isNear }: View, theme: Theme): readonly string[] {
  const key = hintsOf(theme, "strip");
  if (!chosen) {
    const keys = [hintsOf(theme, "prompt")("", "prompt.down"), key("", "strip.watch")].filter(Boolean).join(" ");
    return asked.size > 0 && isNear ? [`${keys} answers`] : [];
  }
  const watch = key(asked.has(chosen.info.id) ? "answer" : "watch", "strip.watch");
  const most = [key("message", "strip.message"), key("stop", "strip.stop")];
  const [leave, leaves] = [key("", "strip.leave"), key("back", "strip.leave")];
  return [
    joinedHints(key("choose", "strip.previous", "strip.next"), watch, ...most, leaves),
    joinedHints(watch, ...most, leave),
    joinedHints(...most, leave),
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
  Pick<View, "tasks" | "nowMs"> & {
    readonly asked: RowQuestions;
    readonly typeColumns: number;
    readonly isChosen: boolean;
  };

/** `◐ a1 Explore  find the sleeps · Grep "sleep"      41s  18k tok` */
function rowOf(task: ShownTask, style: RowStyle): string {
  const { theme, columns, tasks, nowMs, typeColumns, isChosen } = style;
  const { info, startedAt, endedAt } = task;
  const question = style.asked.get(info.id);
  const tokens = info.agent ? `${formatCount(info.agent.tokens)} tok` : "";
  const size = columns < MIN_COLUMNS_WITH_TOKENS ? "" : tokens.padStart(9);
  const right = formatSeconds((endedAt ?? nowMs) - startedAt).padStart(6) + size;
  const type = padText(truncateText(typeOf(info, tasks), typeColumns), typeColumns);
  const mark = question ? theme.warning(GLYPHS.warning) : markOf(task, theme);
  const lead = `${isChosen ? theme.accent(GLYPHS.choice) : " "} ${mark} ${theme.dim(info.id)} ${type}  `;
  if (question) {
    const asks = oneLine(`asks: ${questionName(question)}`, columns - textWidth(right) - SPREAD_GAP - textWidth(lead));
    return spread(`${lead}${theme.warning(asks)}`, theme.dim(right), columns);
  }
  const doing = doingOf(task, nowMs);
  const room = columns - textWidth(right) - SPREAD_GAP - textWidth(lead);
  const wanted = doing === "" ? 0 : Math.min(textWidth(doing) + 3, Math.floor(room / 2));
  const what = oneLine(info.summary, Math.max(MIN_DESCRIPTION_COLUMNS, room - wanted));
  const text = doing === "" ? what : `${what}${theme.dim(` · ${doing}`)}`;
  return spread(`${lead}${text}`, theme.dim(right), columns);
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
  if (endedAt !== undefined || status === "queued" || hasRemark) return phraseOf(info);
  if (!agent) return "";
  const silentMs = nowMs - seenAt;
  const age = agent.isAsking || silentMs < MIN_SILENCE_MS ? "" : ` · ${formatSeconds(silentMs)} ago`;
  return `${oneLine(agent.activity, MAX_TEXT_COLUMNS)}${age}`;
}
