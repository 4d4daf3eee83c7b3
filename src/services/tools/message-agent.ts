import { type Tasks, taskName } from "../../contracts/task.ts";
import { type ToolResult, textResult } from "../../contracts/tool.ts";

/** The advice to the model while an agent works in the background. */
export const ANSWER_FOLLOWS = "Go on with other work or end your turn: its answer comes as a notification.";

/**
 * Gives an agent a message; an agent that has ended continues in the background.
 * @param to Its id or name.
 * @param description What a continued agent does now; its earlier description if absent.
 * @throws {ToolFailedError} if there is no such agent, or it can't continue.
 */
export function messageAgent(tasks: Tasks, to: string, message: string, description?: string): ToolResult {
  const before = new Set(tasks.list().map(({ id }) => id));
  const task = tasks.send(to, message, description);
  if (before.has(task.id)) {
    const said = `${taskName(task)} reads the message after its current call`;
    return textResult(`${said}.`, { display: { kind: "summary", text: said } });
  }
  const said = `${to} goes on as ${taskName(task)} in the background`;
  return textResult(`${said}. ${ANSWER_FOLLOWS}`, { display: { kind: "summary", text: said } });
}
