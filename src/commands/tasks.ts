import { formatCount, formatSeconds } from "@quoll/terminal-text/format-amount";
import { oneLine } from "@quoll/terminal-text/one-line";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import type { Command, CommandContext } from "../contracts/command.ts";
import type { CommandResult } from "../contracts/command-result.ts";
import { ToolFailedError, UserFacingError } from "../contracts/errors.ts";
import { isOpenTask, sentLine, type TaskInfo, taskName } from "../contracts/task.ts";

const MAX_ENDED = 10;
const MAX_TITLE_COLUMNS = 60;
const MAX_STATE_COLUMNS = 200;
const KINDS: Readonly<Record<TaskInfo["kind"], string>> = { shell: "shell", agent: "agent" };

/** Lists running tasks, shows or stops a task, lets a task continue after Quoll ends, or writes to an agent. */
export const tasksCommand: Command = {
  name: "tasks",
  summary: "List running shells and agents; stop, keep or write to one",
  argumentHint: "[id | stop id | keep id | message id text]",
  needsNoServers: true,
  async run(argument, { tasks, now }, signal) {
    const [first = "", second, ...words] = argument.trim().split(/\s+/);
    if (!tasks) return { kind: "text", lines: ["This session runs nothing in the background."] };
    if (first === "") return listed(tasks.list(), now());
    if (first === "message") return written(tasks, second, words.join(" "));
    if (first !== "stop" && first !== "keep") return shown(taskOf(tasks, first), now());
    if (second === undefined) throw new UserFacingError(`Name the task to ${first}: /tasks ${first} b1.`);
    const task = taskOf(tasks, second);
    if (first === "keep") return kept(tasks, task);
    if (!isOpenTask(task)) return { kind: "text", lines: [`${task.id} ${stateOf(task)}.`] };
    return { kind: "text", lines: [`${task.id} ${stateOf(await tasks.stop(task.id, signal, "person"))}.`] };
  },
};

function kept(tasks: View, { id }: TaskInfo): CommandResult {
  asked(() => tasks.keep(id));
  return { kind: "text", lines: [`${id} keeps running when Quoll ends; a line then says how to end it.`] };
}

function written(tasks: View, id: string | undefined, text: string): CommandResult {
  if (id === undefined || text === "")
    throw new UserFacingError("Name the agent and the message: /tasks message a1 look at the tests too.");
  const taker = asked(() => tasks.send(id, { message: text }));
  return { kind: "text", lines: [sentLine(id, taker.id)] };
}

/** The registry's errors are written for the model, and also contain everything that a person needs. */
function asked<Value>(run: () => Value): Value {
  try {
    return run();
  } catch (error) {
    throw error instanceof ToolFailedError ? new UserFacingError(error.message, 1, { cause: error }) : error;
  }
}

type View = NonNullable<CommandContext["tasks"]>;

function taskOf(tasks: View, id: string): TaskInfo {
  const task = tasks.list().find((one) => one.id === id);
  if (task) return task;
  const ids = tasks.list().map((one) => one.id);
  throw new UserFacingError(
    `There is no task ${id}. ${ids.length === 0 ? "None has run." : `Known are ${ids.slice(-20).join(", ")}.`}`,
  );
}

/** The running tasks, then the ended tasks, the latest first. */
function listed(all: readonly TaskInfo[], now: number): CommandResult {
  const ended = all.filter((task) => !isOpenTask(task)).reverse();
  const tasks = [...all.filter(isOpenTask), ...ended.slice(0, MAX_ENDED)];
  if (tasks.length === 0) return { kind: "text", lines: ["Nothing runs in the background."] };
  const choices = tasks.map((task) => ({
    label: `${taskName(task)}  ${truncateText(oneLine(task.title, MAX_STATE_COLUMNS), MAX_TITLE_COLUMNS)}`,
    detail: `${KINDS[task.kind]} · ${timeOf(task, now)} · ${stateOf(task)}`,
    brief: timeOf(task, now),
    input: `/tasks ${task.id}`,
  }));
  return {
    kind: "choose",
    title: "Running and ended tasks",
    choices,
    lines: [
      ...choices.map(({ label, detail }) => `  ${label}  ${detail}`),
      "`/tasks stop <id>` ends a task, `/tasks message <id> <text>` writes to an agent.",
    ],
  };
}

function shown(task: TaskInfo, now: number): CommandResult {
  const lines = [
    `${taskName(task)}, ${KINDS[task.kind]}: ${oneLine(task.title, MAX_STATE_COLUMNS)}`,
    `  ${stateOf(task)} · ${timeOf(task, now)}`,
    ...(task.agent ? [`  ${task.agent.activity} · ${formatCount(task.agent.tokens)} tokens of context`] : []),
    `  Output: ${task.outputFile}`,
  ];
  if (!isOpenTask(task)) return { kind: "text", lines };
  return {
    kind: "choose",
    title: `${task.id} is still open`,
    before: lines,
    choices: [
      { label: "Let it continue", detail: "", input: "" },
      { label: "Stop it", detail: "ends its processes", input: `/tasks stop ${task.id}` },
      ...(task.can.includes("keep") && !task.isKept
        ? [{ label: "Keep it", detail: "it keeps running when Quoll ends", input: `/tasks keep ${task.id}` }]
        : []),
    ],
    lines: [`\`/tasks stop ${task.id}\` ends it.`],
  };
}

function stateOf({ state, isKept, ...task }: TaskInfo): string {
  const stays = isKept && isOpenTask(task) ? ", and keeps running when Quoll ends" : "";
  return oneLine(`${state}${stays}`, MAX_STATE_COLUMNS);
}

function timeOf({ startedAt, endedAt }: TaskInfo, now: number): string {
  return formatSeconds((endedAt ?? now) - startedAt);
}
