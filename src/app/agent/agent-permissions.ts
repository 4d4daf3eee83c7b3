import type { AgentDefinition } from "../../contracts/agent-definition.ts";
import type { Approvable } from "../../contracts/approval.ts";
import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import { ToolFailedError } from "../../contracts/errors.ts";
import { isInside } from "../../platform/paths.ts";
import { firstByName } from "../../services/agents/find-agent.ts";
import { hookApprovables, hookEffect } from "../../services/trust/hook-approvables.ts";
import { serverApprovable } from "../../services/trust/server-approvable.ts";
import { shownEffects } from "../../services/trust/shown-effects.ts";
import type { Project } from "../../services/workspace/open-workspace.ts";
import { AGENT_FOLDERS, projectFolders } from "../content-folders.ts";
import { skillHooks } from "../hooks/skill-hooks.ts";
import { consentTo, type SkillConsent } from "../skills/skill-permissions.ts";

/** The agents of a project that define hooks or servers, as items to approve. */
export async function projectAgentItems(project: Pick<Project, "cwd" | "root">): Promise<readonly Approvable[]> {
  const { agentFiles } = await import("./read-agent-files.ts");
  const files = agentFiles(() => projectFolders(project, AGENT_FOLDERS));
  await files.refresh();
  const agents = firstByName(files.all.flatMap(({ value }) => value.agent ?? []));
  return [...agents.values()].flatMap((agent) => agentApprovable(agent, project.root) ?? []);
}

/** An agent as an item to approve: its hooks and servers, and each project file that they name. Undefined without any. */
function agentApprovable(agent: AgentDefinition, root: string): Approvable | undefined {
  const { hooks } = agentHooks(agent);
  const { name, file, ownServers = {} } = agent;
  if (hooks.length === 0 && Object.keys(ownServers).length === 0) return undefined;
  const shown = isInside(root, file) ? file.slice(root.length + 1) : file;
  const where = `while the agent ${name} works, ${shown}`;
  const servers = Object.entries(ownServers).map(([server, entry]) =>
    serverApprovable({ name: server, entry, file: where }, root),
  );
  const effects = hooks.map((hook) => `${hookEffect(hook)}, while the agent ${name} works (${shown})`);
  const obstacle = servers.find((server) => server.obstacle !== undefined)?.obstacle;
  return {
    kind: "agent",
    name,
    content: [...hookApprovables(hooks, root), ...servers].map(({ content }) => content).join("\n"),
    ...shownEffects([...effects, ...servers.flatMap(({ lines }) => lines)]),
    ...(obstacle !== undefined && { obstacle }),
  };
}

/**
 * Asks the person about a project's agent whose hooks have not been approved yet.
 * @throws {ToolFailedError} the person has not approved them. A hook can enforce a restriction, so the agent does not
 * work without its hooks.
 */
export async function assertApproved(
  agent: AgentDefinition,
  { environment, approveSkill }: SkillConsent,
  signal: AbortSignal,
): Promise<void> {
  if (agent.origin !== "project") return;
  const { approvals, project } = environment;
  const read = async () => agentApprovable(agent, project.root);
  if ((await consentTo(read, approvals, { approveSkill, signal })) === "approved") return;
  throw new ToolFailedError(
    `${agent.name} can't start: the user has not approved the hooks and servers of its definition.`,
  );
}

/** The hooks of a definition, in the form of settings files; for a child agent, `Stop` is its end. */
export function agentHooks(
  { hooks, file, origin }: AgentDefinition,
  runs: "main" | "child" = "child",
): ReturnType<typeof skillHooks> {
  if (hooks === undefined) return { hooks: [], problems: [] };
  const found = skillHooks({ hooks, file, origin });
  if (runs === "main") return found;
  const ofAgent = (one: DeclaredHook): DeclaredHook => (one.event === "Stop" ? { ...one, event: "SubagentStop" } : one);
  return { ...found, hooks: found.hooks.map(ofAgent) };
}
