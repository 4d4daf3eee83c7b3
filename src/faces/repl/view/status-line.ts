import { formatSeconds, formatUsd } from "@quoll/terminal-text/format-amount";
import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import type { EngineState } from "../../../contracts/engine.ts";
import { totalInputTokens } from "../../../contracts/message.ts";
import { doingOf } from "../transcript/tool-words.ts";
import type { Transcript } from "../transcript/transcript.ts";
import { oneLine, spread } from "./layout.ts";
import { GLYPHS, type Theme } from "./theme.ts";

export type StatusView = {
  readonly engine: Pick<EngineState, "mode" | "model" | "usage" | "costUsd" | "usedTokens" | "windowTokens">;
  readonly transcript: Transcript;
  readonly folder: string;
  readonly branch: string | undefined;
  readonly isBusy: boolean;
  readonly isAsked: boolean;
  /** Shown at the right instead of anything else: `ctrl+c again to leave`. */
  readonly hint: string | undefined;
  readonly nowMs: number;
};

const MAX_DOING_COLUMNS = 40;

/** The last line: where we are, or what runs. */
export function statusLine(view: StatusView, theme: Theme, columns: number): string {
  const right = view.hint === undefined ? undefined : theme.accent(view.hint);
  if (!view.isBusy) return spread(`  ${theme.dim(places(view, true))}`, right ?? theme.dim("? for keys"), columns);
  const since = view.transcript.turn?.startedAt ?? view.transcript.running[0]?.startedAt ?? view.nowMs;
  const doing = [describeActivity(view), formatSeconds(view.nowMs - since)].join(" · ");
  const left = `${theme.accent(GLYPHS.running)} ${doing} ${theme.dim(view.isAsked ? "· esc says no" : "· esc to interrupt")}`;
  const beside = right ?? theme.dim(places(view, false));
  const fits = textWidth(left) + textWidth(beside) + 2 <= columns;
  return spread(left, fits || right !== undefined ? beside : "", columns);
}

/** `default · sonnet-5 · shop main* · ctx 11% · $0.04`; while something runs only what changes or matters. */
function places({ engine, transcript, folder, branch }: StatusView, whole: boolean): string {
  const used = transcript.context?.usedTokens ?? engine.usedTokens;
  const window = transcript.context?.windowTokens ?? engine.windowTokens;
  const context = used > 0 && window > 0 ? `ctx ${Math.min(100, Math.round((used / window) * 100))}%` : "";
  const place = whole
    ? [shortModel(engine.model), [oneLine(folder), branch && oneLine(branch)].filter(Boolean).join(" ")]
    : [];
  const cost = totalInputTokens(engine.usage) + engine.usage.outputTokens === 0 ? "" : formatUsd(engine.costUsd);
  return [engine.mode, ...place, context, cost].filter((part) => part !== "").join(" · ");
}

/** `claude-sonnet-5-20260101` is `sonnet-5` in a line that has other things to say. */
export function shortModel(model: string): string {
  return oneLine(model)
    .replace(/^.*\//, "")
    .replace(/^claude-/, "")
    .replace(/-\d{8}$/, "");
}

function describeActivity({ transcript, isAsked, nowMs }: StatusView): string {
  if (isAsked) return "waiting for your answer";
  const running = transcript.running.filter(({ finished }) => !finished);
  const [first, ...others] = running;
  if (first) {
    const doing = truncateText(`${doingOf(first.use.name)} ${oneLine(first.title)}`, MAX_DOING_COLUMNS);
    return others.length > 0 ? `${doing} and ${others.length} more` : doing;
  }
  const activity = transcript.turn?.activity;
  switch (activity?.kind) {
    case "thinking":
      return "thinking";
    case "writing":
      return "writing";
    case "preparing":
      return `preparing ${oneLine(activity.toolName)}`;
    case "retrying": {
      const left = formatSeconds(activity.until - nowMs);
      return `retrying in ${left} (${activity.attempt} of ${activity.maxAttempts}): ${oneLine(activity.message)}`;
    }
    default:
      return "waiting for the model";
  }
}
