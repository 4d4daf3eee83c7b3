import type { AgentScope } from "../../contracts/agent-scope.ts";
import { ToolFailedError } from "../../contracts/errors.ts";
import type { Skill } from "../../contracts/skill.ts";
import type { ToolContext } from "../../contracts/tool.ts";

/** Kinds of agents that only look, as other programs name them. */
const READERS: ReadonlySet<string> = new Set(["explore", "plan"]);
const USUAL: ReadonlySet<string> = new Set(["", "general-purpose", "default"]);

export type ForkContext = Pick<ToolContext, "spawnAgent" | "signal" | "emit">;

/**
 * Runs a skill's text as the prompt of an agent of its own. @returns its last answer.
 * @throws {ToolFailedError} the agent did not finish.
 */
export async function forkSkill(skill: Skill, text: string, context: ForkContext): Promise<string> {
  const { name, agent = "", model, disallowedTools } = skill;
  const kind = agent.toLowerCase();
  const isReader = READERS.has(kind);
  if (!isReader && !USUAL.has(kind))
    context.emit({ type: "notice", message: `There is no agent ${agent}: ${name} runs in an agent like this one.` });
  const scope: AgentScope = {
    ...(isReader && { permissionMode: "plan" }),
    ...(model !== undefined && { model }),
    ...(disallowedTools.length > 0 && { deny: disallowedTools }),
  };
  const child = await context.spawnAgent(scope, context.signal);
  try {
    const { reason, text: answer } = await child.run(text, context.signal);
    if (reason === "completed") return answer;
    throw new ToolFailedError(`The agent of the skill ${name} ended without a result (${reason}). ${answer}`.trim());
  } finally {
    await child.close();
  }
}
