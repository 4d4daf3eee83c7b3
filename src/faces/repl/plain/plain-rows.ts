import { formatDuration, formatUsd } from "@quoll/terminal-text/format-amount";
import { plainText } from "@quoll/terminal-text/plain-text";
import { plural } from "@quoll/terminal-text/plural";
import type { Todo } from "../../../contracts/display.ts";
import { totalInputTokens } from "../../../contracts/message.ts";
import type { FinishedTool, Row, Transcript } from "../../../protocol/transcript/transcript.ts";
import { thinkingText } from "../view/row-lines.ts";
import { MODE_SENTENCES, shortModel } from "../view/shown-facts.ts";
import { amountsText, unifiedLine } from "./plain-diff.ts";
import { chunkText, END_OF_CODE } from "./plain-markdown.ts";
import { continued, ROLES, spokenLine, withRole } from "./spoken-text.ts";

/** A turn without a request that ended at once shows no time. */
const MIN_TOLD_MS = 1_000;
const OUTCOMES = { completed: "done", aborted: "stopped" } as const;
const STATES = { pending: "open", in_progress: "in progress", completed: "done" } as const;

/** The rows that are no calls. */
export type SpokenRow = Exclude<Row, { kind: "tool" | "explorations" }>;

/** The calls of a row; undefined for other rows. */
export function callsOf(row: Row): readonly FinishedTool[] | undefined {
  if (row.kind === "tool") return [row.tool];
  return row.kind === "explorations" ? row.tools : undefined;
}

/** The line that ends a block of code, if `row` does not continue the block of the row before. */
export function endBefore(row: Row, before: Row | undefined): readonly string[] {
  const isCode = before?.kind === "markdown" && before.chunk.kind === "code";
  return isCode && !(row.kind === "markdown" && !row.first) ? [END_OF_CODE] : [];
}

/** A settled row as lines for a plain screen: one line an event, which begins with its role. */
export function spokenRow(row: SpokenRow, before: Row | undefined): readonly string[] {
  switch (row.kind) {
    case "welcome":
      return welcomeLines(row);
    case "user":
      return withRole("user", plainText(row.text).split("\n"));
    case "markdown": {
      const chunk = before?.kind === "markdown" && !row.first ? before.chunk : undefined;
      const lines = chunkText(row.chunk, chunk);
      return row.first ? withRole("answer", lines) : continued("answer", lines);
    }
    case "thinking":
      return withRole("notice", [thinkingText(row)]);
    case "todos":
      return row.todos.map((todo, at) => stepText(todo, at, row.todos.length));
    case "notice":
      return withRole(row.level === "info" ? "notice" : row.level, [spokenLine(row.text)]);
    case "answer":
      return withRole("result", row.lines.map(row.command === "diff" ? unifiedLine : spokenLine));
    case "whole":
      return withRole("result", row.lines.map(spokenLine));
    case "footer":
      return [footerText(row)];
  }
}

function welcomeLines({ version, cwd, model, mode, first }: Extract<Row, { kind: "welcome" }>): readonly string[] {
  const steps = first
    ? [`Model: ${first.model}`, `Look: ${first.look}`, ...first.examples.map((input) => `Try: ${input}`)]
    : [];
  return [
    ...withRole("notice", [`Quoll ${version} with ${shortModel(model)} in ${plainText(cwd)}, plain screen.`]),
    ...(mode === "default" ? [] : withRole("notice", [`Mode ${mode}: ${MODE_SENTENCES[mode]}.`])),
    ...withRole("notice", [
      "Type what you want done, then enter. /help lists commands, !cmd runs a command. Ctrl+C stops a turn; when nothing runs, it leaves.",
    ]),
    ...steps.flatMap((step) => withRole("notice", [plainText(step)])),
  ];
}

/** The current step of the task list; undefined if there is none. */
export function stepLine({ todos }: Pick<Transcript, "todos">): string | undefined {
  const at = todos.findIndex(({ status }) => status === "in_progress");
  const todo = todos[at];
  return todo && `Step ${at + 1} of ${todos.length}: ${plainText(todo.activeForm)}`;
}

function stepText({ content, status }: Todo, at: number, count: number): string {
  return `Step ${at + 1} of ${count}, ${STATES[status]}: ${plainText(content)}`;
}

/** The end of a turn, with what it changed, took and cost. `/cost` tells the tokens. */
function footerText({ report, files, added, removed }: Extract<Row, { kind: "footer" }>): string {
  const { usage, outcome, durationMs, costUsd } = report;
  const hasAsked = totalInputTokens(usage) + usage.outputTokens > 0;
  const parts = [
    files > 0 ? [`${plural(files, "file")} changed`, amountsText(added, removed)].join(", ") : "",
    hasAsked || durationMs >= MIN_TOLD_MS ? formatDuration(durationMs) : "",
    hasAsked ? formatUsd(costUsd, usage.estimated) : "",
  ].filter((part) => part !== "");
  const role = outcome.reason === "completed" || outcome.reason === "aborted" ? OUTCOMES[outcome.reason] : "ended";
  return parts.length === 0 ? `${ROLES[role]}.` : `${ROLES[role]}: ${parts.join(", ")}.`;
}
