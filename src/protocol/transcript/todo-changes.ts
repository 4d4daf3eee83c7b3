import type { Todo } from "../../contracts/display.ts";

/** A step of the model's list that differs from the list before. */
export type TodoChange = {
  readonly todo: Todo;
  readonly how: "added" | "started" | "done" | "reopened" | "removed";
};

/**
 * The differences between two lists of steps, in the order of the newer list; removed steps come last. A list without
 * a step of a finished one is a new list.
 */
export function todoChanges(before: readonly Todo[], after: readonly Todo[]): readonly TodoChange[] {
  const isFinished = before.every(({ status }) => status === "completed");
  const isKept = before.some(({ content }) => after.some((todo) => todo.content === content));
  const left = isFinished && !isKept ? [] : [...before];
  const changes = after.flatMap((todo): readonly TodoChange[] => {
    const at = left.findIndex(({ content }) => content === todo.content);
    const [old] = at < 0 ? [] : left.splice(at, 1);
    if (old?.status === todo.status) return [];
    return [{ todo, how: howOf(old, todo) }];
  });
  return [...changes, ...left.map((todo): TodoChange => ({ todo, how: "removed" }))];
}

function howOf(before: Todo | undefined, { status }: Todo): TodoChange["how"] {
  if (status === "completed") return "done";
  if (status === "in_progress") return "started";
  return before ? "reopened" : "added";
}
