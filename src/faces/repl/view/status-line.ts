import { formatCount, formatSeconds, formatUsd } from "@quoll/terminal-text/format-amount";
import { joinedLines } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import type { OperationProgress } from "../../../contracts/command-result.ts";
import type { EngineState } from "../../../contracts/engine.ts";
import { totalInputTokens } from "../../../contracts/message.ts";
import { writtenTokens } from "../../../protocol/transcript/reduce-written.ts";
import { elapsedOf, isWriting, type RunningTool, type Transcript } from "../../../protocol/transcript/transcript.ts";
import { MODE_NAMES, type VimMode } from "../editor/vim/vim-state.ts";
import { joinedHints } from "../keymap/key-hint.ts";
import { MARK_COLUMNS, SPREAD_GAP, spread } from "./layout.ts";
import { GLYPHS, spinnerAt, type Theme } from "./theme.ts";
import { hintAfter, hintsOf } from "./theme-hints.ts";
import { activityOf } from "./tool-verbs.ts";

type Mode = EngineState["mode"];

/** The progress of a command's operation. */
export type ShownOperation = {
  readonly title: string;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  readonly progress?: OperationProgress;
};

export type StatusView = {
  readonly engine: Pick<
    EngineState,
    "mode" | "granted" | "model" | "usage" | "costUsd" | "usedTokens" | "windowTokens"
  >;
  readonly transcript: Transcript;
  readonly folder: string;
  readonly branch: string | undefined;
  /** The confinement of commands, in a word or two. */
  readonly sandbox?: string | undefined;
  /** The person's custom lines above, which make some parts of the status line redundant; safe to print. */
  readonly ownLines?: readonly string[];
  /** Short texts from extensions; safe to print. */
  readonly texts?: readonly string[];
  readonly isBusy: boolean;
  readonly isAsked: boolean;
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
  /** The names of the servers for which the model's tools wait. */
  readonly starting?: readonly string[];
  /** The mode of the prompt's vim keys. */
  readonly vim?: VimMode | undefined;
  /** A hint that replaces the right part: `ctrl+c again to leave`. */
  readonly hint: string | undefined;
  readonly nowMs: number;
};

const MAX_DOING_COLUMNS = 40;
const MAX_NAME_COLUMNS = 16;
/** With less room, the folder and the branch are left out. */
const MIN_PLACE_COLUMNS = 6;
/** The minimum wait before the hint is shown. */
const RELEASE_HINT_MS = 10_000;

/** The last line: the session's state, or the running activity. */
export function statusLine(view: StatusView, theme: Theme, columns: number): string {
  const right = view.hint === undefined ? undefined : theme.accent(view.hint);
  if (view.operation && !view.transcript.turn)
    return spread(operationText(view.operation, view, theme, columns), right ?? "", columns);
  if (!view.isBusy) {
    const beside = right ?? restHint(view, theme);
    const mode = vimText(view, theme);
    const room = columns - MARK_COLUMNS - textWidth(mode) - textWidth(beside) - SPREAD_GAP;
    return spread(`  ${mode}${places(view, theme, room)}`, beside, columns);
  }
  return busyLine(view, right, theme, columns);
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
  const running = `${theme.accent(spinnerAt(view.nowMs))} ${truncateText(joinedLines(doing), room)}`;
  return `${running} ${theme.dim(fittingHint(hints, running, columns))}`;
}

function busyLine(view: StatusView, right: string | undefined, theme: Theme, columns: number): string {
  const mark = theme.accent(view.isAsked ? GLYPHS.running : busySpinner(view));
  const hints = busyHints(view, theme);
  const tells = view.isTyping && !view.isAsked ? theme.dim(steerHint(theme)) : places(view, theme);
  const beside = right ?? `${vimText(view, theme)}${tells}`;
  const rest = textWidth(beside) + SPREAD_GAP;
  const room = columns - textWidth(`${mark}  ${hints[0] ?? ""}`);
  const running = `${mark} ${busyText(view, room, rest)}`;
  const isLong = view.canRelease === true && !view.isAsked && hints.length > 0 && elapsedMs(view) >= RELEASE_HINT_MS;
  const release = isLong ? fittingHint(releaseHints(theme), running, columns - rest) : "";
  const hint = release || fittingHint(hints, running, columns);
  const left = `${running} ${theme.dim(hint)}`;
  const fits = textWidth(left) + rest <= columns;
  return spread(left, fits || right !== undefined ? beside : "", columns);
}

/** Text that streams moves by itself: the spinner then stands still, which saves frames and bytes. */
function busySpinner({ transcript, nowMs }: StatusView): string {
  return isWriting(transcript) ? GLYPHS.running : spinnerAt(nowMs);
}

/**
 * `npm test · 12s · ↓1.2k tok`: the activity, its time and what the model has written. The written tokens are dropped
 * first if the facts on the right need the room.
 * @param room The columns next to the hint.
 * @param rest The columns of these that the right part takes.
 */
function busyText(view: StatusView, room: number, rest: number): string {
  const { turn } = view.transcript;
  const { budget } = turn ?? {};
  const spent = budget && `${formatCount(budget.spentTokens)} of +${formatCount(budget.totalTokens)}`;
  const text = [describeActivity(view), formatSeconds(elapsedMs(view)), ...(spent ? [spent] : [])].join(" · ");
  const written = turn && !budget && !view.isAsked ? writtenTokens(turn, view.nowMs) : 0;
  if (written === 0) return text;
  const counted = `${text} · ↓${formatCount(written)} tok`;
  const width = textWidth(counted);
  const isRightShown = textWidth(text) + rest <= room;
  return width + (isRightShown ? rest : 0) <= room ? counted : text;
}

/**
 * The contexts of a question in which Esc says no "no". `row`: the question waits in the row of its agent; `left`: the
 * agent that asks goes on without an answer.
 */
const LEADS_BACK = {
  reason: ["reason", "reason.back", "goes back", "back"],
  term: ["term", "term.back", "goes back", "back"],
  words: ["words", "words.back", "goes back", "back"],
  choice: ["choice", "choice.close", "ends the turn", "end"],
  row: ["choice", "choice.close", "goes back to the prompt", "back"],
  left: ["choice", "choice.close", "leaves it unanswered", "leave"],
} as const;

function busyHints(view: StatusView, theme: Theme): readonly string[] {
  const { isHeld, isAsked, isCovered, leadsBack, operation } = view;
  if (isHeld) return [];
  // The key first closes a panel, or ends a command's operation.
  if (!isAsked) return isCovered || operation ? [] : interruptHints("turn", theme);
  if (leadsBack) {
    const [context, action, does, brief] = LEADS_BACK[leadsBack];
    return hintsAfter(hintsOf(theme, context)("", action), (key) => [`${key} ${does}`, `${key}: ${brief}`]);
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

function steerHint(theme: Theme): string {
  const of = hintsOf(theme, "prompt");
  return joinedHints(of("steers", "prompt.submit"), of("next", "prompt.queueNext"));
}

/** Texts about a key, separated from the preceding text; empty if there is no key. */
function hintsAfter(key: string, texts: (key: string) => readonly string[]): readonly string[] {
  return key === "" ? [] : texts(key).map((text) => `· ${text}`);
}

/** `INSERT · `: the mode of the prompt's vim keys. */
function vimText({ vim, isAsked }: StatusView, theme: Theme): string {
  if (vim === undefined || isAsked) return "";
  const name = MODE_NAMES[vim];
  return `${vim === "insert" ? theme.dim(name) : theme.strong(name)}${theme.dim(" · ")}`;
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

/** The hint while no turn runs: the keys to press, or the startup work that the person waits for. */
function restHint(view: StatusView, theme: Theme): string {
  const { isWaiting, isAsked, starting = [] } = view;
  // An agent in the background asks.
  if (isAsked) return theme.dim((busyHints(view, theme)[0] ?? "").replace(/^· /, ""));
  const [first, ...others] = starting;
  const submit = hintsOf(theme, "prompt");
  if (first !== undefined) {
    const names =
      truncateText(joinedLines(first), MAX_NAME_COLUMNS) + (others.length > 0 ? ` and ${others.length} more` : "");
    return `${theme.accent(GLYPHS.running)} starting ${names}${isWaiting ? hintAfter(submit("sends now", "prompt.submit")) : ""}`;
  }
  if (isWaiting) return theme.accent(submit("sends the queue", "prompt.submit"));
  return theme.dim(submit("for keys", "help.toggle"));
}

/**
 * `default · sonnet-5 · shop main* · ctx 11% · $0.04`; while something runs, only the changing or important parts.
 * @param room The columns for all parts: an unknown cost is dropped first, then the folder is dropped in favour of
 * texts of extensions and the vim mode. Absent while a turn runs.
 */
function places(view: StatusView, theme: Theme, room?: number): string {
  const { engine, transcript, folder, branch, sandbox, texts = [] } = view;
  const used = transcript.context?.usedTokens ?? engine.usedTokens;
  const window = transcript.context?.windowTokens ?? engine.windowTokens;
  const isNearlyFull = used >= (transcript.context?.warnTokens ?? Number.POSITIVE_INFINITY);
  const context =
    used > 0 && window > 0 ? `ctx ${percentText(used / window)}${isNearlyFull ? ` ${GLYPHS.warning}` : ""}` : "";
  const isUsed = totalInputTokens(engine.usage) + engine.usage.outputTokens > 0;
  const cost = isUsed ? formatUsd(engine.costUsd, engine.usage.estimated) : "";
  const lead = `${modeText(engine.mode, theme)}${grantedText(engine.granted ?? [])}`;
  const line = (parts: readonly string[]) =>
    `${lead}${theme.dim(parts.flatMap((part) => (part === "" ? [] : [` · ${part}`])).join(""))}`;
  const safety = sandbox === undefined ? "" : joinedLines(sandbox);
  if ((view.ownLines ?? []).length > 0) {
    const full = isNearlyFull ? context : "";
    return line(room === undefined ? [full] : [safety, full, ...texts]);
  }
  if (room === undefined) return line([context, cost]);
  const model = shortModel(engine.model);
  const place = [joinedLines(folder), branch && joinedLines(branch)].filter(Boolean).join(" ");
  const known = engine.costUsd === undefined ? "" : cost;
  const short = (shown: string) => line([safety, model, shown, context, known, ...texts]);
  // The folder gives way to the cost.
  const rest = room - textWidth(short("")) - textWidth(" · ");
  const isCut = view.vim === undefined && texts.length === 0 && rest >= MIN_PLACE_COLUMNS;
  const givesWay = [context, known, view.vim ?? "", ...texts].some((part) => part !== "");
  const fitting = [
    line([safety, model, place, context, cost, ...texts]),
    short(place),
    ...(givesWay ? [short(isCut ? truncateText(place, rest) : "")] : []),
  ].find((one) => textWidth(one) <= room);
  return fitting ?? short(place);
}

/** Formats a share; a small share is never rounded to 0. */
function percentText(share: number): string {
  const percent = Math.min(100, Math.round(share * 100));
  return percent === 0 ? "<1%" : `${percent}%`;
}

/** A mark for each mode except the first: `▲` for a mode in which nobody is asked. */
const MODE_GLYPHS: Readonly<Record<Mode, string>> = {
  default: "",
  acceptEdits: "±",
  plan: "≡",
  auto: "◆",
  dontAsk: GLYPHS.warning,
  bypassPermissions: GLYPHS.warning,
};

/** The rule that allows every edit in the project. */
const ALL_EDITS = "Edit(/**)";

/** The permissions that the person granted until the session ends, shown after the mode: ` +all edits`, ` +2 rules`. */
function grantedText(rules: readonly string[]): string {
  const others = rules.filter((rule) => rule !== ALL_EDITS).length;
  const parts = [rules.length > others ? "all edits" : "", others > 0 ? plural(others, "rule") : ""];
  return parts.map((part) => (part === "" ? "" : ` +${part}`)).join("");
}

function modeText(mode: Mode, theme: Theme): string {
  const text = [MODE_GLYPHS[mode], mode].filter((part) => part !== "").join(" ");
  if (mode === "dontAsk" || mode === "bypassPermissions") return theme.warning(text);
  return mode === "default" ? theme.dim(text) : text;
}

/** Shortens `claude-sonnet-5-20260101` to `sonnet-5`, since the line needs room for other facts. */
export function shortModel(model: string): string {
  return joinedLines(model)
    .replace(/^.*\//, "")
    .replace(/^claude-/, "")
    .replace(/-\d{8}$/, "");
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
}: Pick<StatusView, "transcript" | "isAsked" | "nowMs">): string {
  if (isAsked) return "waiting for your answer";
  if (transcript.hookText !== undefined) return truncateText(joinedLines(transcript.hookText), MAX_DOING_COLUMNS);
  const running = transcript.running.filter(({ finished }) => !finished);
  const [first, ...others] = running;
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
      return `preparing ${joinedLines(activity.toolName)}`;
    case "compacting":
      return activity.writtenTokens === 0
        ? "compacting the conversation"
        : `compacting the conversation: ${formatCount(activity.writtenTokens)} tokens of the summary`;
    case "retrying": {
      const left = formatSeconds(activity.until - nowMs);
      return `retrying in ${left} (${activity.attempt} of ${activity.maxAttempts})`;
    }
    default:
      return "waiting for the model";
  }
}
