import { joinedLines } from "@quoll/terminal-text/one-line";
import { plural } from "@quoll/terminal-text/plural";
import { textWidth } from "@quoll/terminal-text/text-width";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import type { Todo } from "../../../contracts/display.ts";
import type { TodoChange } from "../../../protocol/transcript/todo-changes.ts";
import { GLYPHS, type Theme } from "./theme.ts";
import { hintAfter, hintsOf, opensTranscript } from "./theme-hints.ts";

/** The maximum number of steps below the transcript, and in it. */
const MAX_OPEN_ROWS = 8;
const MAX_SETTLED_ROWS = 30;

/**
 * The steps below the transcript while one is open: those around the current step.
 * @param isFolded True to show only the current step and the count.
 */
export function openTodoLines(
  todos: readonly Todo[],
  isFolded: boolean,
  theme: Theme,
  columns: number,
): readonly string[] {
  if (todos.length === 0) return [];
  const current = Math.max(
    0,
    todos.findIndex(({ status }) => status !== "completed"),
  );
  if (isFolded) return [foldedLine(todos, current, theme, columns), ""];
  const from = Math.max(0, Math.min(current - 1, todos.length - MAX_OPEN_ROWS));
  return [...listed(todos.slice(from, from + MAX_OPEN_ROWS), todos.length, theme, columns), ""];
}

/** A list of steps in the transcript. */
export function settledTodoLines(todos: readonly Todo[], theme: Theme, columns: number): readonly string[] {
  return listed(todos.slice(0, MAX_SETTLED_ROWS), todos.length, theme, columns);
}

/** `2 of 5 done`, or the number of steps of a list that has just begun. */
export function todoCount(todos: readonly Todo[]): string {
  if (todos.length === 0) return "list cleared";
  const done = todos.filter(({ status }) => status === "completed").length;
  return done === 0 ? plural(todos.length, "step") : `${done} of ${todos.length} done`;
}

/** The changes of an update of the list. Steps that stay as they are have no line. */
export function todoChangeLines(changes: readonly TodoChange[], theme: Theme, columns: number): readonly string[] {
  const most = changes.length <= MAX_OPEN_ROWS + 1 ? changes.length : MAX_OPEN_ROWS;
  const left = changes.length - most;
  // In a new list everything is added.
  const isNew = changes.every(({ how }) => how === "added" || how === "started");
  return [
    ...changes.slice(0, most).map((change) => changeLine(change, isNew, theme, columns)),
    ...(left > 0 ? [theme.dim(truncateText(`… ${plural(left, "more step")}${opensTranscript(theme)}`, columns))] : []),
  ];
}

/** A sign and the step; a word where the sign does not tell what changed. */
function changeLine({ todo, how }: TodoChange, isNew: boolean, theme: Theme, columns: number): string {
  const isTold = how === "started" || how === "done" || (how === "added" && isNew);
  const note = isTold ? "" : `  ${how}`;
  return truncateText(changeText(todo, how, theme), columns - note.length) + theme.dim(note);
}

function changeText(todo: Todo, how: TodoChange["how"], theme: Theme): string {
  if (how === "done") return `${theme.passed(GLYPHS.todo.completed)} ${joinedLines(todo.content)}`;
  return how === "removed" ? theme.dim(`− ${joinedLines(todo.content)}`) : todoText(todo, theme);
}

/** The steps without colours. */
export function todoTexts(todos: readonly Todo[]): readonly string[] {
  return todos.map(({ status, content }) => `${GLYPHS.todo[status]} ${content}`);
}

function listed(shown: readonly Todo[], count: number, theme: Theme, columns: number): readonly string[] {
  const left = count - shown.length;
  const lines = shown.map((todo) => truncateText(`  ${todoText(todo, theme)}`, columns));
  return [...lines, ...(left > 0 ? [theme.dim(`    ${plural(left, "more step")}`)] : [])];
}

function foldedLine(todos: readonly Todo[], current: number, theme: Theme, columns: number): string {
  const done = todos.filter(({ status }) => status === "completed").length;
  const step = todos[current];
  const unfolds = hintAfter(hintsOf(theme, "prompt")("", "prompt.foldSteps"));
  const count = ` · ${done} of ${todos.length}`;
  const text = `  ${step ? todoText(step, theme) : ""}`;
  const room = columns - textWidth(text + count);
  const told = theme.dim(count + (textWidth(unfolds) <= room ? unfolds : ""));
  return truncateText(text, columns - textWidth(told)) + told;
}

function todoText({ status, content, activeForm }: Todo, theme: Theme): string {
  const glyph = GLYPHS.todo[status];
  if (status === "completed") return theme.dim(`${glyph} ${joinedLines(content)}`);
  if (status === "in_progress") return `${theme.accent(glyph)} ${theme.strong(joinedLines(activeForm))}`;
  return `${glyph} ${joinedLines(content)}`;
}
