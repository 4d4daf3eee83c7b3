import { padText } from "@quoll/terminal-text/truncate-text";
import { refusalText } from "../../../contracts/decided-by.ts";
import type { DiffHunk, Preview, ResultBody } from "../../../contracts/display.ts";
import type { Chunk } from "../../../protocol/transcript/chunk.ts";
import { MAX_EXCERPT_CHARS } from "../../../protocol/transcript/reduce-tools.ts";
import { openChunk } from "../../../protocol/transcript/split-blocks.ts";
import type { FinishedTool, Row, RunningTool, Transcript } from "../../../protocol/transcript/transcript.ts";
import { bodyTexts } from "./body-lines.ts";
import { BODY_COLUMNS, MARK_COLUMNS, VERB_COLUMNS } from "./layout.ts";
import { GLYPHS } from "./theme.ts";
import { todoTexts } from "./todo-lines.ts";
import { movedLine, verbOf } from "./tool-verbs.ts";

/** The maximum number of lines in a view of the transcript, newest first. */
export const MAX_TRANSCRIPT_LINES = 20_000;
const SIGNS = { same: " ", added: "+", removed: "−" } as const;
/** Matches notes of Quoll after an output: `[exit code 3]`. */
const NO_OUTPUT = "(no output)";
const HARNESS_NOTE = /^\[.*\]$/;
const INDENT = " ".repeat(MARK_COLUMNS);

/** The whole conversation with everything that the screen folds: outputs, changes, refused commands, long prompts. */
export function transcriptText({ settled, running, text, held }: Transcript): readonly string[] {
  const lines = settled.slice().flatMap(rowText);
  const open = openChunk(text);
  const said = open === undefined ? [] : sourceOf(open);
  const all = [...lines, ...said.map(indented), ...held.flatMap(rowText), ...running.flatMap(runningText)];
  const more = all.length - MAX_TRANSCRIPT_LINES;
  return more > 0 ? [`… ${more} earlier lines are not shown`, ...all.slice(more)] : all;
}

/** A row with everything that the screen folds, as plain lines. */
export function rowText(row: Row): readonly string[] {
  switch (row.kind) {
    case "welcome":
    case "footer":
      return [];
    case "user":
      return ["", ...marked(GLYPHS.prompt, row.text.split("\n")), ""];
    case "markdown": {
      const { chunk, first } = row;
      const lines = sourceOf(chunk);
      return [...(chunk.gap ? [""] : []), ...(first ? marked(GLYPHS.text, lines) : lines.map(indented))];
    }
    case "tool":
      return [
        ...headText({ ...row.tool, title: wholeTitle(row.tool) }).split("\n"),
        ...toolText(row.tool).map((line) => " ".repeat(BODY_COLUMNS) + line),
      ];
    case "explorations":
      return row.tools.map(headText);
    case "todos":
      return todoTexts(row.todos).map(indented);
    case "notice":
      return marked(GLYPHS.info, row.text.split("\n"));
    // The row itself precedes its unfolded form.
    case "whole":
    case "thinking":
      return [];
    case "answer":
      return row.lines.map(indented);
  }
}

/** The lines of a chunk in the model's original text. */
export function sourceOf(chunk: Chunk): readonly string[] {
  return chunk.kind === "code" ? chunk.lines : chunk.text.split("\n");
}

/** A running call and the last lines of its output. */
export function runningText({ use, title, finished, progress }: RunningTool): readonly string[] {
  if (finished) return rowText({ kind: "tool", tool: finished });
  const tail = (progress?.tail ?? []).map((line) => " ".repeat(BODY_COLUMNS) + line);
  return [headText({ use, title, isError: false }), ...tail];
}

function headText({ use, title, isError }: Pick<FinishedTool, "use" | "title" | "isError">): string {
  const [first = "", ...rest] = title.split("\n");
  const lead = `${isError ? GLYPHS.failed : " "} ${padText(`${verbOf(use.name)} `, VERB_COLUMNS)}`;
  return [lead + first, ...rest.map((line) => " ".repeat(BODY_COLUMNS) + line)].join("\n");
}

/** The subject of a call in full: its command, or the title of a call without one. */
export function wholeTitle({ title, display }: Pick<FinishedTool, "title" | "display">): string {
  return (display?.kind === "command" && display.command.trim()) || title;
}

/** Who refused a call. Questions of the model that the person closed are no refused call. */
export function shownRefusal({ use, refusedBy }: Pick<FinishedTool, "use" | "refusedBy">): string | undefined {
  if (refusedBy?.kind !== "person") return refusedBy && refusalText(refusedBy);
  return use.name === "AskUserQuestion" ? "closed without an answer" : noText(refusedBy.reason);
}

/** The person's no, with their message. */
export function noText(reason: string | undefined): string {
  return reason === undefined ? "you said no" : `you said no: ${reason}`;
}

/** The result of a call without its header. */
export function toolText(tool: FinishedTool): readonly string[] {
  return [...resultText(tool), ...(tool.images ?? [])];
}

function resultText({ display, isError, excerpt, answer, isWhole }: FinishedTool): readonly string[] {
  if (answer?.kind === "refused") {
    return [...noText(answer.reason).split("\n"), ...previewText(answer.preview)];
  }
  if (display?.kind === "command") {
    const end = commandEnd(display, isError);
    const ended = [...(display.place ?? []), ...(end ? [end.text] : [])];
    return isWhole ? [...excerpt.split("\n"), ...ended] : [...outputText(excerpt, display.tail), ...ended];
  }
  if (isError) return excerpt.split("\n");
  if (display?.kind === "diff") return diffText(display.hunks);
  if (display?.kind === "todos") return todoTexts(display.todos);
  if (display?.kind !== "summary") return [];
  return [...(display.text === "" ? [] : display.text.split("\n")), ...(display.body ? bodyText(display.body) : [])];
}

/** Content in full, unless the result says the same. */
function bodyText(body: ResultBody): readonly string[] {
  if (body.isInResult) return [];
  return body.kind === "diff" ? diffText(body.hunks) : bodyTexts(body);
}

function previewText(preview: Preview): readonly string[] {
  if (preview.kind === "diff") return diffText(preview.hunks);
  return preview.kind === "command" ? preview.command.split("\n") : preview.text.split("\n");
}

function diffText(hunks: readonly DiffHunk[]): readonly string[] {
  return hunks.flatMap(({ lines }) => lines.map(({ kind, text }) => `${SIGNS[kind]} ${text}`));
}

/** The output as the model got it, without Quoll's notes; of a very long output the beginning and the last lines. */
export function outputText(excerpt: string, tail: readonly string[]): readonly string[] {
  const lines = excerpt.split("\n");
  if (excerpt.length >= MAX_EXCERPT_CHARS) return [...lines.slice(0, -1), "…", ...tail];
  const end = lines.findLastIndex((line) => !HARNESS_NOTE.test(line)) + 1;
  const shown = lines.slice(0, end);
  // Binary output is only noted.
  return shown.length === 0 || (shown.length === 1 && shown[0] === NO_OUTPUT) ? tail : shown;
}

type Command = Extract<FinishedTool["display"], { kind: "command" }>;
type CommandEnd = { readonly text: string; readonly how: "moved" | "failed" | "stopped" };

/** How a command ended; undefined if it ended well. */
export function commandEnd({ exitCode, signal, timedOut, taskId }: Command, isError: boolean): CommandEnd | undefined {
  if (taskId !== undefined) return { text: movedLine(taskId), how: "moved" };
  if (timedOut) return { text: `${GLYPHS.failed} timed out`, how: "failed" };
  if (signal !== undefined) return { text: `${GLYPHS.failed} ended by ${signal}`, how: "failed" };
  // Code 1 of a search or a comparison is an answer.
  const isAnswer = exitCode === 1 && !isError;
  if (exitCode !== undefined && exitCode !== 0 && !isAnswer)
    return { text: `${GLYPHS.failed} exit ${exitCode}`, how: "failed" };
  // The command neither ended by itself nor reached a limit, so a person or a program ended it.
  return isError ? { text: `${GLYPHS.stopped} stopped`, how: "stopped" } : undefined;
}

function marked(mark: string, lines: readonly string[]): readonly string[] {
  return lines.map((line, at) => (at === 0 ? `${mark} ${line}` : indented(line)));
}

function indented(line: string): string {
  return line === "" ? "" : INDENT + line;
}
