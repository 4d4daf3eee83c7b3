import { join } from "node:path";
import type { AgentDefinition } from "../../contracts/agent-definition.ts";
import type { AgentScope } from "../../contracts/agent-scope.ts";
import type { Progress } from "../../contracts/display.ts";
import { ToolFailedError } from "../../contracts/errors.ts";
import { type AgentMessage, type TaskInfo, taskName } from "../../contracts/task.ts";
import type { ToolContext } from "../../contracts/tool.ts";
import { entryExists, isInside, realPathOrSelf } from "../../platform/paths.ts";
import { type AgentResult, withLines } from "../../services/agents/agent-result.ts";
import { chooseAgentTools } from "../../services/agents/choose-agent-tools.ts";
import { memoryRoot } from "../../services/context/memory/memory-folder.ts";
import type { AgentCall } from "../../services/tools/agent/agent.ts";
import { ANSWER_FOLLOWS } from "../../services/tools/message-agent.ts";
import { projectId } from "../../services/workspace/open-workspace.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import { AGENT_TASK, type AgentRequest, AgentRun, type AgentRunDeps, summaryOf } from "./agent-run.ts";
import type { EarlierAgent } from "./agent-store.ts";
import { prepareEquipment } from "./equip-agent.ts";

type NotesEnvironment = Pick<ProjectEnvironment, "own" | "project" | "settings" | "isTrusted">;

export type RunParts = AgentRunDeps & {
  /** The names of the parent's tools. */
  offered(): readonly string[];
  /** True if the session can use the model. */
  hasModel(name: string): Promise<boolean>;
};

/**
 * Runs an agent: the caller waits for the answer, or continues at once if the agent works in the background.
 * @throws {ToolFailedError} the agent can't start.
 */
export async function runAgent(
  call: AgentCall,
  parts: RunParts,
  { context, report }: { readonly context: ToolContext; report(progress: Progress): void },
): Promise<AgentResult> {
  await prepareEquipment(call.definition, parts, context.signal);
  const scope = await scopeOf(call, parts, context);
  const run = startAgent({ call, scope, context }, parts);
  const ended = call.isBackground ? "released" : await run.awaited(context.signal, report);
  if (ended === "released") return inBackground(run.info, call.isBackground);
  return withStop(ended.result, run.info);
}

/**
 * Puts an agent into the registry of the session and starts it.
 * @throws {ToolFailedError} too many agents are open.
 */
export function startAgent(request: AgentRequest, parts: AgentRunDeps): AgentRun {
  const { call, context } = request;
  const { name } = call.definition;
  const { isBackground, description } = call;
  const { toolUseId } = context;
  const title = `${name}: ${description}`;
  let run: AgentRun | undefined;
  const about = {
    ...AGENT_TASK,
    owner: context.agent,
    ...(toolUseId !== undefined && { toolUseId }),
    title,
    description,
    summary: summaryOf(title, description),
    isAwaited: !isBackground,
    outputFile: (id: string) => join(parts.session.work.store.folder, `${id}.log`),
    agent: {
      type: name,
      ...(call.name !== undefined && { name: call.name }),
      ...((call.allowedTools || call.deny) && {
        narrowed: { ...(call.allowedTools && { tools: call.allowedTools }), ...(call.deny && { deny: call.deny }) },
      }),
      activity: "starting",
      tokens: 0,
      calls: 0,
    },
  };
  context.tasks.add(about, (running) => {
    run = new AgentRun(request, parts, running);
    return run;
  });
  if (!run) throw new Error("The registry made no work.");
  run.start();
  return run;
}

type Continuing = AgentMessage & { readonly agent: EarlierAgent; readonly definition: AgentDefinition };

/**
 * Continues an agent of an earlier process in the background, with its context, its model and what its call allowed.
 * @throws {ToolFailedError} the agent can't start.
 */
export async function continueEarlier(
  { agent, definition, message, description = agent.description }: Continuing,
  parts: RunParts,
  context: ToolContext,
): Promise<TaskInfo> {
  const { model, tools: allowedTools, deny, worktree: worktreeName, agentId, lastId } = agent;
  const isThere = model !== undefined && !definition.isFork && (await parts.hasModel(model));
  const call: AgentCall = {
    definition,
    description,
    prompt: message,
    model: isThere ? model : undefined,
    allowedTools,
    maxTurns: undefined,
    budgetTokens: undefined,
    budgetUsd: undefined,
    expect: undefined,
    ...(deny && { deny }),
    isBackground: true,
    isIsolated: worktreeName !== undefined,
  };
  const scope = { ...(await scopeOf(call, parts, context)), earlier: { agentId, lastId } };
  return startAgent({ call, scope, context, worktreeName }, parts).info;
}

/** Adds who stopped the agent, because the agent's own result does not contain this. */
function withStop(result: AgentResult, task: TaskInfo): AgentResult {
  if (task.status !== "cancelled") return result;
  const said = `${task.id} ${task.state}`;
  return { ...withLines(result, [`[${said}]`]), isError: true, phrase: task.state, summary: said };
}

/** The result of a call whose agent continues in the background. */
function inBackground(task: TaskInfo, isAsked: boolean): AgentResult {
  const where = isAsked ? "works in the background" : "was moved to the background and works on";
  const answer = `Agent ${taskName(task)} ${where}. ${ANSWER_FOLLOWS}`;
  return { text: answer, answer, isError: false, phrase: where, summary: `${task.id} ${where}` };
}

/** The scope of an agent: its definition, narrowed by the call. */
export async function scopeOf(
  call: AgentCall,
  parts: Pick<RunParts, "environment" | "offered" | "hasModel">,
  context: Pick<ToolContext, "emit" | "forkPoint">,
): Promise<AgentScope> {
  const { definition, description, model, allowedTools, maxTurns, budgetTokens, budgetUsd } = call;
  const { turnLimit, tokenLimit, usdLimit } = parts.environment.settings.agents ?? {};
  const { name, prompt, permissionMode, disallowedTools, effort } = definition;
  const maxSteps = lowest(maxTurns, definition.maxTurns, turnLimit);
  const tokens = lowest(budgetTokens, tokenLimit);
  const usd = lowest(budgetUsd, usdLimit);
  const hasBudget = tokens !== undefined || usd !== undefined;
  const limiting = {
    label: `${name}: ${description}`,
    ...(maxSteps !== undefined && { maxSteps }),
    ...(hasBudget && { budget: { ...(tokens !== undefined && { tokens }), ...(usd !== undefined && { usd }) } }),
  };
  if (definition.isFork) return { ...limiting, ...(call.deny && { deny: call.deny }), ...forkOnly(call, context) };
  const rules = [...disallowedTools.filter((entry) => entry.includes("(")), ...(call.deny ?? [])];
  const chosen = model === "inherit" ? undefined : (model ?? (await usableModel(definition, parts, context)));
  const notesFolder = agentNotesFolder(definition, parts.environment);
  return {
    ...limiting,
    systemPrompt: prompt,
    ...(notesFolder !== undefined && { notesFolder }),
    tools: chooseAgentTools({ definition, offered: parts.offered(), allowed: allowedTools }),
    ...(permissionMode && { permissionMode }),
    ...(rules.length > 0 && { deny: rules }),
    ...(chosen !== undefined && { model: chosen }),
    ...(effort && { effort }),
  };
}

/** The lowest of several limits; undefined without any limit. */
function lowest(...limits: readonly (number | undefined)[]): number | undefined {
  const given = limits.filter((limit) => limit !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
}

/** Another model or other tools would lose the prompt cache, and using that cache is the purpose of a fork. */
function forkOnly(
  { definition: { name }, model, allowedTools }: AgentCall,
  { forkPoint }: Pick<ToolContext, "forkPoint">,
): Pick<AgentScope, "forkAt"> {
  if ((model !== undefined && model !== "inherit") || allowedTools)
    throw new ToolFailedError(
      `A ${name} has the model and the tools of this conversation: leave out \`model\` and \`allowed_tools\`.`,
    );
  const forkAt = forkPoint();
  return forkAt === null ? {} : { forkAt };
}

/** Definitions are shared between people with different providers, so an unavailable model is not an error. */
async function usableModel(
  { name, model }: AgentCall["definition"],
  { hasModel }: Pick<RunParts, "hasModel">,
  { emit }: Pick<ToolContext, "emit">,
): Promise<string | undefined> {
  if (model === undefined || (await hasModel(model))) return model;
  emit({
    type: "notice",
    message: `The model ${model} of the agent ${name} is not available: it uses this session's.`,
  });
  return undefined;
}

/**
 * The folder of an agent's own notes: of the user for all projects, of the user for this project (`local`), or in the
 * project's files.
 * @returns the absolute path, symlinks resolved; undefined without notes, and for a folder of the project that leads
 * outside the project.
 */
function agentNotesFolder(
  { name, memory }: Pick<AgentDefinition, "name" | "memory">,
  { own, project, settings, isTrusted }: NotesEnvironment,
): string | undefined {
  if (memory === undefined || settings.memory?.enabled === false) return undefined;
  const file = name.replace(":", "__");
  const ofAgents = join(own.data, "agent-memory");
  if (memory === "user") return realPathOrSelf(join(ofAgents, "user", file));
  if (memory === "local") return realPathOrSelf(join(ofAgents, projectId(memoryRoot(project.root)), file));
  const theirs = join(project.root, ".claude", "agent-memory", file);
  const folder = realPathOrSelf(entryExists(theirs) ? theirs : join(project.root, ".quoll", "agent-memory", file));
  return isTrusted && isInside(project.root, folder) ? folder : undefined;
}
