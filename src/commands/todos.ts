import { oneLine } from "@quoll/terminal-text/one-line";
import type { Command } from "../contracts/command.ts";
import type { Todo } from "../contracts/display.ts";
import { type Message, toolUses } from "../contracts/message.ts";
import { isOpenTask } from "../contracts/task.ts";
import type { ListedTask } from "../contracts/task-list.ts";

const MAX_ROWS = 100;
const MAX_TEXT_COLUMNS = 200;
const MARKS: Readonly<Record<Todo["status"], string>> = { pending: "○", in_progress: "◐", completed: "✓" };
/** The mark of a step that was begun, while nothing works on it. */
const BEGUN = MARKS.pending;

/** Shows the model's own steps and the tasks that agents share. */
export const todosCommand: Command = {
  name: "todos",
  summary: "Show the model's steps and the shared tasks",
  needsNoServers: true,
  async run(_argument, { engine, taskList, tasks: work }) {
    const { messages, busy } = engine.state;
    const steps = lastSteps(messages);
    const tasks = (await taskList?.()) ?? [];
    const agents = (work?.list() ?? []).filter((one) => one.agent !== undefined && isOpenTask(one));
    const isWorkedOn = ({ owner }: ListedTask) => busy || agents.some(({ id }) => id === owner);
    const lines = [
      ...section("Steps of this conversation", steps, { line: stepRow, isWorkedOn: () => busy }),
      ...section("Shared tasks", tasks, { line: (task) => taskRow(task, tasks), isWorkedOn }),
    ];
    if (lines.length === 0) return { kind: "text", lines: ["There is no list: the model has planned no steps yet."] };
    return { kind: "text", lines };
  },
};

type Row = { readonly status: Todo["status"] };
type RowForm<Entry> = { line(row: Entry): string; isWorkedOn(row: Entry): boolean };

/** Open entries first, because they matter when a list is long. */
function section<Entry extends Row>(
  title: string,
  rows: readonly Entry[],
  { line, isWorkedOn }: RowForm<Entry>,
): string[] {
  if (rows.length === 0) return [];
  const done = rows.filter(({ status }) => status === "completed");
  const shown = [...rows.filter(({ status }) => status !== "completed"), ...done].slice(0, MAX_ROWS);
  const left = rows.length - shown.length;
  const mark = (row: Entry) => (row.status === "in_progress" && !isWorkedOn(row) ? BEGUN : MARKS[row.status]);
  return [
    `${title}: ${done.length} of ${rows.length} completed`,
    ...shown.map((row) => `  ${mark(row)} ${line(row)}`),
    ...(left > 0 ? [`  … ${left} more`] : []),
  ];
}

function stepRow({ content }: Todo): string {
  return oneLine(content, MAX_TEXT_COLUMNS);
}

function taskRow({ id, subject, owner, blockedBy }: ListedTask, all: readonly ListedTask[]): string {
  const waiting = blockedBy.filter((other) => all.some((task) => task.id === other && task.status !== "completed"));
  const notes = [
    ...(owner === undefined ? [] : [oneLine(owner, MAX_TEXT_COLUMNS)]),
    ...(waiting.length > 0 ? [`waits for ${waiting.join(", ")}`] : []),
  ];
  return `${id}  ${oneLine(subject, MAX_TEXT_COLUMNS)}${notes.length > 0 ? ` · ${notes.join(" · ")}` : ""}`;
}

/** The list of the last TodoWrite call. */
function lastSteps(messages: readonly Message[]): readonly Todo[] {
  const uses = messages.flatMap((message) => (message.role === "assistant" ? toolUses(message) : []));
  const { todos } = uses.findLast(({ name }) => name === "TodoWrite")?.input ?? {};
  return Array.isArray(todos) ? todos.filter(isTodo) : [];
}

function isTodo(value: unknown): value is Todo {
  if (typeof value !== "object" || value === null) return false;
  const { content, status }: { readonly content?: unknown; readonly status?: unknown } = value;
  return typeof content === "string" && typeof status === "string" && Object.hasOwn(MARKS, status);
}
