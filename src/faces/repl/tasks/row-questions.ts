import type { Question } from "../../../contracts/question.ts";
import { isInBackground } from "../../../contracts/task.ts";
import { ownerOf, type ShownTask } from "./shown-tasks.ts";

/** Questions by the id of the task in whose row they wait. */
export type RowQuestions = ReadonlyMap<string, Question>;

const NONE: RowQuestions = new Map();

/** The model's questions that nobody has to answer at once, because the agent that asks works in the background. */
export function rowQuestions(pending: readonly Question[], tasks: readonly ShownTask[]): RowQuestions {
  const asked = pending.filter(({ body, parentAgentId }) => body.kind === "choice" && parentAgentId !== null);
  if (asked.length === 0) return NONE;
  const infos = tasks.map(({ info }) => info);
  return new Map(
    asked.flatMap((question) => {
      const task = ownerOf(question, tasks);
      return task && isInBackground(question.agentId, infos) ? [[task.id, question]] : [];
    }),
  );
}

/** The tasks in the order of the strip: agents with a question come first, because a low window hides the last rows. */
export function askingFirst(tasks: readonly ShownTask[], questions: RowQuestions): readonly ShownTask[] {
  if (questions.size === 0) return tasks;
  const asks = ({ info }: ShownTask) => questions.has(info.id);
  return [...tasks.filter(asks), ...tasks.filter((task) => !asks(task))];
}
