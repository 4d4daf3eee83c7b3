import { type AgentMessage, type TaskInfo, taskName } from "../../contracts/task.ts";
import { type ToolContext, type ToolResult, textResult } from "../../contracts/tool.ts";

/** The advice to the model while an agent works in the background. */
export const ANSWER_FOLLOWS = "Go on with other work or end your turn: its answer comes as a notification.";

/** The mailboxes of a session's agents, also of earlier processes. */
export type AgentMailboxes = {
  /**
   * Gives an agent a message, as `Tasks.send`; an agent of an earlier process continues in the background.
   * @param to Its id or name.
   * @throws {ToolFailedError} if there is no such agent, or it can't continue.
   */
  send(to: string, message: AgentMessage, context: ToolContext): Promise<TaskInfo>;
};

type Parts = { readonly agents: AgentMailboxes; readonly context: ToolContext };

/** Sends a message, and says who reads it. Throws as `AgentMailboxes.send`. */
export async function messageAgent({ agents, context }: Parts, to: string, message: AgentMessage): Promise<ToolResult> {
  const before = new Set(context.tasks.list().map(({ id }) => id));
  const task = await agents.send(to, message, context);
  if (before.has(task.id)) {
    const said = `${taskName(task)} reads the message after its current call`;
    return textResult(`${said}.`, { display: { kind: "summary", text: said } });
  }
  const said = `${to} goes on as ${taskName(task)} in the background`;
  return textResult(`${said}. ${ANSWER_FOLLOWS}`, { display: { kind: "summary", text: said } });
}
