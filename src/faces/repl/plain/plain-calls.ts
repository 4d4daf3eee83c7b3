import { formatDuration } from "@quoll/terminal-text/format-amount";
import { joinedLines } from "@quoll/terminal-text/one-line";
import { lastOverwrite, plainText } from "@quoll/terminal-text/plain-text";
import { plural } from "@quoll/terminal-text/plural";
import { truncateWords } from "@quoll/terminal-text/truncate-words";
import type { Display, ResultBody } from "../../../contracts/display.ts";
import { resultBody } from "../../../protocol/transcript/result-body.ts";
import type { FinishedTool } from "../../../protocol/transcript/transcript.ts";
import type { LinedBody } from "../view/body-lines.ts";
import { todoCount } from "../view/todo-lines.ts";
import { verbOf } from "../view/tool-verbs.ts";
import { commandEnd, noText, shownRefusal } from "../view/transcript-text.ts";
import { amountsText, changedLines } from "./plain-diff.ts";
import { eachWithRole, ROLES, spokenLine, withRole } from "./spoken-text.ts";

const MAX_OUTPUT_LINES = 3;
const MAX_FAILED_OUTPUT_LINES = 6;
/** The maximum number of output lines for a command that the person typed. */
const MAX_OWN_OUTPUT_LINES = 40;
const MAX_ERROR_LINES = 4;
const MAX_DIFF_LINES = 20;
const MAX_CONTENT_LINES = 5;
const MAX_STEPS = 12;
const NOUNS = { text: "line", list: "item", table: "row" } as const;
const MAX_NEW_FILE_LINES = 8;
/** The maximum width of a call's name in the line of its result. */
const MAX_NAME_COLUMNS = 60;
/** A shorter time is not told. */
const MIN_TOLD_MS = 1_000;

type Call = Pick<FinishedTool, "use" | "title">;

/** A call as one line: `Tool: read src/cart.ts`. */
export function callLine(call: Call): string {
  return `${ROLES.call}: ${callText(call)}`;
}

function callText({ use, title }: Call): string {
  const verb = verbOf(use.name);
  const words = verb === "$" ? "run" : verb;
  return title === use.name ? words : `${words} ${joinedLines(title)}`;
}

type Known = {
  /** False if something else was printed since the line of the call, so that the result names its call. */
  readonly isNext: boolean;
  /** True if a question showed the change in full. */
  readonly wasShown: boolean;
};

/** The result of a call. A successful read has none: its call says enough. */
export function resultLines(tool: FinishedTool, known: Known): readonly string[] {
  const [first, ...rest] = [...resultOf(tool, known), ...imageLines(tool)];
  if (first === undefined) return [];
  // The role ends at the first colon.
  const [role = "", text = ""] = [first.slice(0, first.indexOf(":")), first.slice(first.indexOf(":") + 1)];
  return [known.isNext ? first : `${role} of ${callName(tool)}:${text}`, ...rest];
}

/** The first words of a long call, or the beginning of a long path: its own line told it whole, and a question perhaps again. */
function callName(call: Call): string {
  return truncateWords(callText(call), MAX_NAME_COLUMNS);
}

function resultOf(tool: FinishedTool, { wasShown }: Known): readonly string[] {
  const { display, answer, isError } = tool;
  const refusal = answer?.kind === "refused" ? noText(answer.reason) : shownRefusal(tool);
  if (refusal !== undefined) return withRole("result", [`not run, ${spokenLine(joinedLines(refusal))}`]);
  if (display?.kind === "command") return commandLines(display, tool);
  if (isError) return errorLines(tool.excerpt);
  const part = answer?.kind === "part" ? `, you took ${answer.taken} of ${answer.of} parts` : "";
  if (display?.kind === "diff") return diffLines(display, part, wasShown);
  if (display?.kind === "todos") return eachWithRole("result", [todoCount(display.todos), ...changedSteps(tool)]);
  if (tool.use.name === "Read") return [];
  const summary = display?.kind === "summary" ? plainText(display.text).split("\n").map(spokenLine) : [];
  return contentLines(summary, resultBody(tool));
}

/** The changes of an update of the list of steps: `done: Find the wait`. */
function changedSteps({ todoChanges = [] }: FinishedTool): readonly string[] {
  const told = todoChanges.slice(0, MAX_STEPS).map(({ todo, how }) => `${how}: ${joinedLines(todo.content)}`);
  const left = todoChanges.length - told.length;
  return left > 0 ? [...told, `${plural(left, "more step")}.`] : told;
}

/** The summary of a result, and its first lines. */
function contentLines(summary: readonly string[], body: ResultBody | undefined): readonly string[] {
  if (!body) return withRole("result", summary);
  if (body.kind === "diff") {
    const head = withRole("result", [...summary, `changes of ${joinedLines(body.path)}`]);
    return [...head, ...changedLines(body.hunks, { most: MAX_DIFF_LINES })];
  }
  const lines = bodySpeech(body).filter((line) => line.trim() !== "");
  const shown = lines.slice(0, MAX_CONTENT_LINES);
  const all = Math.max(body.total ?? 0, lines.length);
  const count = all > shown.length ? `first ${shown.length} of ${plural(all, NOUNS[body.kind])}` : "";
  const said = [...summary.filter((line) => line !== ""), count].filter((part) => part !== "");
  return [...withRole("result", [said.join(", ") || plural(all, NOUNS[body.kind])]), ...eachWithRole("output", shown)];
}

/** Each line says what it is: an item its state, a row the names of its columns. */
function bodySpeech(body: LinedBody): readonly string[] {
  switch (body.kind) {
    case "text":
      return body.text.split("\n").map((line) => plainText(lastOverwrite(line)).replaceAll("\n", " ").trimEnd());
    case "list":
      return body.items.map(({ text, mark, note }) =>
        [...(mark ? [`${mark}:`] : []), joinedLines(text), ...(note ? [`(${joinedLines(note)})`] : [])].join(" "),
      );
    case "table":
      return body.rows.map((row) =>
        row.map((cell, at) => `${joinedLines(body.columns[at]?.name ?? "")}: ${joinedLines(cell)}`).join(", "),
      );
  }
}

type Diff = Extract<Display, { kind: "diff" }>;

function diffLines({ path, added, removed, isNew, hunks }: Diff, part: string, wasShown: boolean): readonly string[] {
  const what = `${isNew ? "new file, " : ""}${amountsText(added, removed)}${part}`;
  const head = withRole("result", [`changed ${joinedLines(path)}, ${what}`]);
  return wasShown ? head : [...head, ...changedLines(hunks, { most: isNew ? MAX_NEW_FILE_LINES : MAX_DIFF_LINES })];
}

type Command = Extract<Display, { kind: "command" }>;

function commandLines(command: Command, { isError, isOwn = false, durationMs }: FinishedTool): readonly string[] {
  const most = isOwn ? MAX_OWN_OUTPUT_LINES : isError ? MAX_FAILED_OUTPUT_LINES : MAX_OUTPUT_LINES;
  const filled = command.tail.map((line) => plainText(lastOverwrite(line)).replaceAll("\n", " ").trimEnd());
  const lines = filled.filter((line) => line !== "").slice(-most);
  const end = commandEnd(command, isError);
  const time = durationMs >= MIN_TOLD_MS ? ` after ${formatDuration(durationMs)}` : "";
  const what = end ? end.text.replace(/^[^\w] /, "").replace(/^exit (\d+)$/, "failed with exit code $1") : "done";
  const count = lines.length === 0 ? "no output" : outputCount(lines.length, command.totalLines);
  return [
    ...withRole("result", [`${what}${time}, ${count}`]),
    ...eachWithRole("output", lines),
    ...(command.place ?? []).map((line) => `${ROLES.notice}: ${spokenLine(line)}`),
  ];
}

function outputCount(shown: number, total: number): string {
  return shown < total ? `last ${shown} of ${plural(total, "line")}` : plural(shown, "line");
}

function errorLines(excerpt: string): readonly string[] {
  const lines = plainText(excerpt)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const left = lines.length - MAX_ERROR_LINES;
  return eachWithRole("error", [
    ...lines.slice(0, MAX_ERROR_LINES),
    ...(left > 0 ? [`${plural(left, "more line")}.`] : []),
  ]);
}

function imageLines({ images = [] }: FinishedTool): readonly string[] {
  return images.map((image) => `${ROLES.result}: ${image.replace("×", " by ")}`);
}
