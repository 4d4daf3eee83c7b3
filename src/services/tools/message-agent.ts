import { type TaskInfo, taskName } from "../../contracts/task.ts";
import { type ToolContext, type ToolResult, textResult } from "../../contracts/tool.ts";

/** The advice to the model while an agent works in the background. */
export const ANSWER_FOLLOWS = "Go on with other work or end your turn: its answer comes as a notification.";

/** `description`: what a continued agent does now; its earlier description if absent. */
export type AgentMessage = { readonly message: string; readonly description?: string };

/** The agents of earlier processes of a session. */
export type EarlierAgents = {
  /** An agent that can be continued, by its id or name. */
  earlier(idOrName: string): Promise<{ readonly agentId: string; readonly type: string } | undefined>;
  /**
   * Continues such an agent in the background, with its context.
   * @throws {ToolFailedError} it can't continue.
   */
  goOn(idOrName: string, message: AgentMessage, context: ToolContext): Promise<TaskInfo>;
};

type Parts = { readonly agents: EarlierAgents; readonly context: ToolContext };

/**
 * Gives an agent a message; an agent that has ended, also in an earlier process, continues in the background.
 * @param to Its id or name.
 * @throws {ToolFailedError} if there is no such agent, or it can't continue.
 */
export async function messageAgent(parts: Parts, to: string, message: AgentMessage): Promise<ToolResult> {
  const before = new Set(parts.context.tasks.list().map(({ id }) => id));
  const task = await taker(parts, to, message);
  if (before.has(task.id)) {
    const said = `${taskName(task)} reads the message after its current call`;
    return textResult(`${said}.`, { display: { kind: "summary", text: said } });
  }
  const said = `${to} goes on as ${taskName(task)} in the background`;
  return textResult(`${said}. ${ANSWER_FOLLOWS}`, { display: { kind: "summary", text: said } });
}

/** The task that gets the message. */
async function taker({ agents, context }: Parts, to: string, said: AgentMessage): Promise<TaskInfo> {
  const { tasks } = context;
  const all = tasks.list();
  const isHere = all.some(({ id, agent }) => id === to || agent?.name === to);
  const earlier = isHere ? undefined : await agents.earlier(to);
  if (!earlier) return tasks.send(to, said.message, said.description);
  // It may have been continued in this process already.
  const now = all.findLast(({ agent }) => agent?.agentId === earlier.agentId);
  return now ? tasks.send(now.id, said.message, said.description) : agents.goOn(to, said, context);
}
