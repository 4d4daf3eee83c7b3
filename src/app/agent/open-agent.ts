import type { AgentSource } from "../../contracts/agent.ts";
import type { AgentScope, SpawnAgent } from "../../contracts/agent-scope.ts";
import type { InstructionText } from "../../contracts/instructions.ts";
import type { ServerPort, Workspace } from "../../contracts/ports.ts";
import type { SourcedRegistry } from "../../contracts/registry.ts";
import { SKILL_TOOL } from "../../contracts/skill.ts";
import { isOpenAnswer, type Tasks } from "../../contracts/task.ts";
import type { Tool, ToolPorts } from "../../contracts/tool.ts";
import { WEB_SEARCH } from "../../contracts/web.ts";
import { forkPoint } from "../../engine/fork-point.ts";
import { ModelTools } from "../../engine/model-tools.ts";
import type { QueryEngine } from "../../engine/query-engine.ts";
import type { SessionState } from "../../engine/session-state.ts";
import { isInside } from "../../platform/paths.ts";
import { toolRegistry } from "../../services/inventory/create-registry.ts";
import type { NarrowedPermissions, PermissionService } from "../../services/permission/permission-deps.ts";
import { checkCaps, modelNamed } from "../choose-model.ts";
import { Closers } from "../closers.ts";
import { LIST_TOOLS } from "../session/actions/session-task-list.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import type { SessionParts } from "../session/session-parts.ts";
import { SkillsInForce } from "../skills/skills-in-force.ts";
import { AgentSkills } from "../skills/wire-skills.ts";
import { type MainWorktree, wireMainWorktree } from "../worktree/wire-main-worktree.ts";
import { WORKTREE_TOOLS, WorktreeOffer } from "../worktree/worktree-offer.ts";
import type { AgentBase, AgentParts } from "./agent-parts.ts";
import { announceInstructions } from "./announce-instructions.ts";
import { ChildAgents } from "./child-agents.ts";
import { createEngine, type EngineParts } from "./create-engine.ts";
import type { ToolSet } from "./create-tools.ts";
import { mainPermissions } from "./main-permissions.ts";
import { narrowAgent } from "./narrow-agent.ts";
import { freeNotes, openMemory } from "./open-memory.ts";
import type { RunParts } from "./run-agent.ts";
import { spawnedAgent } from "./spawned-agent.ts";
import { ToolChoice } from "./tool-choice.ts";
import { type AgentInstructions, wireInstructions } from "./wire-instructions.ts";
import type { AgentMemory } from "./wire-memory.ts";
import { wireSharedWork } from "./wire-shared-work.ts";
import { type ToolsRequest, wireTools } from "./wire-tools.ts";

/**
 * This tool joins together with the task list tools, so that the prompt cache is lost only once. Until then, `resume`
 * of Agent serves the same purpose.
 */
const MESSAGE_TOOL = "SendMessage";

/** How long closing an agent waits for its background agents. */
const STOP_AGENTS_MS = 2_000;

/** An engine with its source, state and tools. */
export type Agent = {
  /** The parts that all agents of the session share. */
  readonly session: SessionParts;
  readonly source: AgentSource;
  readonly place: ProjectEnvironment;
  readonly engine: QueryEngine;
  /** The agent's changing state while it runs. */
  readonly state: SessionState;
  readonly permissions: PermissionService;
  /** The tools; MCP tools are added and removed during the session. */
  readonly offered: SourcedRegistry<Tool>;
  /** The names, among those of MCP tools, that may not be offered to this agent's model. */
  hiddenTools(names: readonly string[]): ReadonlySet<string>;
  readonly registry: ModelTools;
  readonly workspace: Workspace;
  readonly instructions: AgentInstructions;
  readonly memory: AgentMemory | undefined;
  readonly skills: AgentSkills;
  /** The services that the agent's calls get. */
  readonly toolPorts: ToolPorts;
  /** Moves the conversation into a worktree and back; undefined for child agents. */
  readonly worktree: MainWorktree | undefined;
  /** The files that the model used last, most recent first; absolute. */
  recentFiles(max: number): Promise<readonly string[]>;
  /** Confined servers that are open to the person. */
  readonly ports: { list(): readonly ServerPort[]; askNext(): boolean };
  /**
   * Opens a child agent, which has no more permissions than this agent.
   * @throws {UserFacingError} the agent's folder, tools, rules or model can't be used.
   * @throws the abort reason of `signal`.
   */
  spawn: SpawnAgent;
  /** The parts that child agents of this agent need to run. */
  runParts(): Promise<RunParts>;
  /**
   * Ends the turn, background work and the agents below it.
   * @returns one phrase for each task that was still running.
   */
  close(): Promise<readonly string[]>;
};

/** The first agent of a session. */
export function openAgent(parts: AgentParts): Agent {
  const { session, state, restored } = parts;
  const { config, mainAgent, extensions } = session;
  const warn = session.notices.tell;
  const closers = new Closers();
  const memory = openMemory(parts, (path) => permissions.isHidden(path));
  const notes = memory && (() => freeNotes(parts, memory));
  const permissions: PermissionService = mainPermissions(parts, { notes, closers });
  const offered = new WorktreeOffer({ state, restored, named: config.tools });
  closers.defer(() => offered.close());
  const choice = new ToolChoice({ config, mainAgent, permissions, warn });
  const offer = (tools: readonly Tool[]) => {
    const ofExtensions = extensions.tools.flatMap((one) => one.tools);
    const chosen = choice.choose([...tools, ...ofExtensions]);
    const own = new Set(tools);
    const registry = withLateTools(
      chosen.filter((tool) => own.has(tool)),
      parts,
      { worktrees: offered, closers },
    );
    for (const { extension: name, tools: offered } of extensions.tools) {
      const wanted = offered.filter((tool) => chosen.includes(tool));
      registry.set({ kind: "extension", name }, wanted);
    }
    return registry;
  };
  const notePrompt = (words: string) => offered.notePrompt(words);
  const hiddenTools = (names: readonly string[]) => choice.hiddenTools(names);
  return assemble({ parts, permissions, offer, hiddenTools, memory, closers, notePrompt });
}

/**
 * The tools, including those that join later: Skill as soon as there is a skill for the model, the tools for the task
 * list and for messages as soon as the list is offered, the worktree tools, and WebSearch with a model whose provider
 * searches.
 */
function withLateTools(
  tools: readonly Tool[],
  { session: { skills, taskList, web }, state }: AgentParts,
  { worktrees, closers }: { readonly worktrees: WorktreeOffer; readonly closers: Closers },
): SourcedRegistry<Tool> {
  // A tool that was offered stays, because the requests that declared it are in the provider's cache.
  const isThere = (name: string) => registry?.get(name) !== undefined;
  const isWanted = ({ spec: { name } }: Tool) => {
    if (name === SKILL_TOOL) return skills.hasForModel || isThere(name);
    if (WORKTREE_TOOLS.includes(name)) return worktrees.isOffered;
    if (name === WEB_SEARCH) return web.searches || isThere(name) || state.model.provider.searchesWeb === true;
    return (!LIST_TOOLS.includes(name) && name !== MESSAGE_TOOL) || taskList.isOffered;
  };
  let registry: SourcedRegistry<Tool> | undefined;
  const made = toolRegistry(tools.filter(isWanted));
  registry = made;
  const update = () => {
    const wanted = tools.filter(isWanted);
    if (wanted.some(({ spec }) => !isThere(spec.name))) made.set({ kind: "builtin" }, wanted);
  };
  closers.defer(skills.onChanged(update));
  closers.defer(taskList.onOffered(update));
  closers.defer(worktrees.onOffered(update));
  // A change of the model loses the prompt cache in any case.
  closers.defer(state.onChanged((change) => change === "model" && update()));
  return made;
}

/** A child of an agent. */
async function openChild(base: AgentBase, scope: AgentScope): Promise<Agent> {
  const closers = new Closers();
  try {
    return assemble({ ...(await narrowAgent(base, scope, closers)), closers });
  } catch (error) {
    await closers.close();
    throw error;
  }
}

type Assembling = Omit<AgentBase, "offered" | "fork"> &
  Partial<Pick<EngineParts, "notePrompt">> & {
    readonly permissions: PermissionService | NarrowedPermissions;
    readonly system?: string | undefined;
    /** The notes of the project for the main agent, and separate notes for children that keep notes. */
    readonly memory?: AgentMemory | undefined;
    /** Frees the parts that have been made for the agent so far. */
    readonly closers: Closers;
    /** Selects the tools that the model gets. */
    offer(tools: readonly Tool[]): SourcedRegistry<Tool>;
    readonly hiddenTools: Agent["hiddenTools"];
  };

function assemble({ parts, permissions, offer, hiddenTools, closers, system, memory, notePrompt }: Assembling): Agent {
  const { session, source, place, workspace, state } = parts;
  const { app, catalog, questions } = session;
  const tasks = session.tasks.seenBy(source);
  const windowTokens = () => catalog.capabilities(state.model.model).contextWindow;
  const caller = () => ({ session, place, source, permissions, workspace, registry, toolPorts });
  const toolNames = () => registry.names;
  const selectModel = modelSelector(parts);
  const inForce = new SkillsInForce({ session, permissions, state, selectModel, place });
  const agents = () => shared.agents;
  const skills = new AgentSkills({ session, toolNames, caller, windowTokens, inForce, agents });
  const shared = wireSharedWork(parts, permissions, () => offered.entries.map(({ name }) => name));
  const worktree = movesOf(parts, { permissions, memory, engine: () => engine });
  const searched = { inTurn: 0 };
  const tools = wireTools({
    ...{ session, source, state, permissions, tasks, skills },
    place: { ...place, workspace },
    sandbox: parts.sandbox,
    ...{ agents: shared.agents, taskList: shared.taskList, worktree: worktree?.control },
    ...webQuestions(parts, () => registry, searched),
    refusesSecrets: (path) => memory !== undefined && isInside(memory.folder(), path),
  });
  const offered = offer(tools.tools);
  const registry = new ModelTools(offered, { ...session.agentServers.deferral, windowTokens });
  const children = new ChildAgents<Agent>();
  const fork = (lastId: string) => ({ ...forkOf(parts, lastId), system: engine.system });
  const spawn = async (scope: AgentScope, signal?: AbortSignal) => {
    const child = await children.open(() => openChild({ parts, permissions, offered, fork }, scope), signal);
    return spawnedAgent(child, () => children.closed(child));
  };
  const toolPorts: ToolPorts = {
    agent: source,
    ask: questions.asker(source),
    tasks,
    files: session.files,
    spawnAgent: spawn,
    forkPoint: () => forkPoint(engine.conversation.history()),
    hasTool: (name) => offered.get(name) !== undefined,
    accepts: () => catalog.capabilities(state.model.model),
    findables: () => registry.findables(),
  };
  const instructions = wireInstructions(parts, { permissions, messages: () => engine.conversation.messages });
  const announce = (texts: readonly InstructionText[]) => announceInstructions(texts, session.config.answerer, engine);
  const addNote = (id: string, note: string) => engine.taskNews.addModelNote(id, note);
  const changes = (note: string) => addNote(`hook-changes:${app.ids.next()}`, note);
  const engine: QueryEngine = createEngine({
    ...{ parts, permissions, tools, toolPorts, registry, instructions, memory, skills, selectModel, system, announce },
    ...{ tellSkills: (note) => addNote("skills", note), tellChanges: changes, notePrompt },
  });
  followAgent({ engine, skills, memory, instructions, tools, announce, closers, searched }, parts);
  closers.defer(session.agents.opened({ source, engine, permissions }));
  const ended: string[] = [];
  closers.defer(() => engine.close());
  closers.defer(async () => ended.push(...(await tools.endBackgroundWork())));
  closers.defer(async () => ended.push(...(await children.close())));
  closers.defer(async () => ended.push(...(await stopBackgroundAgents(tasks))));
  const close = async () => {
    engine.interrupt();
    await closers.close();
    return ended;
  };
  return {
    ...{ session, source, place, state, engine, permissions, workspace, worktree, memory, skills, instructions },
    ...{ offered, hiddenTools, registry, toolPorts, ports: portsOf(tools), recentFiles: tools.recentFiles },
    ...{ runParts: shared.agents.runParts, spawn, close },
  };
}

/** The questions of the web tools, with the code that is loaded for them. */
function webQuestions(
  parts: AgentParts,
  registry: () => ModelTools,
  made: Following["searched"],
): Pick<ToolsRequest, "askPage" | "searchWeb"> {
  return {
    askPage: async (question, signal) => {
      const { askAboutPage } = await import("./ask-web-model.ts");
      return askAboutPage(parts, registry(), question, signal);
    },
    searchWeb: async () => {
      const { webSearcher } = await import("./search-web.ts");
      return webSearcher(parts, registry(), made);
    },
  };
}

type Following = Pick<Agent, "engine" | "skills" | "memory" | "instructions"> & {
  readonly tools: Pick<ToolSet, "keepFiles">;
  /** The web searches of the turn. */
  readonly searched: { inTurn: number };
  readonly closers: Closers;
  announce(texts: readonly InstructionText[]): void;
};

/** Work that follows the turns, compactions and moves of an agent. */
function followAgent(
  { engine, skills, memory, instructions, tools, announce, closers, searched }: Following,
  { folders }: AgentParts,
): void {
  closers.defer(
    engine.subscribe(({ event }) => {
      if (event.type === "turn_finished") skills.endUse();
      if (event.type === "turn_finished") memory?.settle();
      if (event.type === "turn_finished" && engine.conversation.lastId) tools.keepFiles(engine.conversation.lastId);
      if (event.type === "turn_finished") searched.inTurn = 0;
      if (event.type === "compacted") void instructions.lost().then(announce);
    }),
  );
  if (folders) closers.defer(folders.onMoved(() => instructions.unseen().then(announce)));
}

/** The moves of the main agent into worktrees; undefined for child agents. */
function movesOf(
  parts: AgentParts,
  { permissions, memory, engine }: Pick<Assembling, "permissions" | "memory"> & { engine(): QueryEngine },
): MainWorktree | undefined {
  const { folders } = parts;
  const notes = () => memory && freeNotes(parts, memory);
  const record = (name: string | undefined) =>
    void engine().conversation.append({ kind: "worktree", optional: true, ...(name !== undefined && { name }) });
  return folders && wireMainWorktree(parts, { folders, permissions, notes, record });
}

function portsOf(tools: ToolSet): Agent["ports"] {
  return { list: () => tools.openPorts(), askNext: () => tools.askNextPorts() };
}

/**
 * Otherwise background agents would continue while their parent is closed.
 * @returns one phrase for each stopped agent.
 */
async function stopBackgroundAgents(tasks: Tasks): Promise<readonly string[]> {
  const running = tasks.list().filter((task) => task.isBackground && isOpenAnswer(task));
  const patience = AbortSignal.timeout(STOP_AGENTS_MS);
  await Promise.all(running.map(({ id }) => tasks.stop(id, patience, "session")));
  return running.map(({ id, title }) => `${id} (${title})`);
}

function forkOf({ session: { conversation } }: AgentParts, lastId: string) {
  return { sessionId: conversation.log.sessionId, entries: conversation.log.pathTo(lastId), earlierIds: [], lastId };
}

function modelSelector({ session: { access, catalog, config, watch }, place, source }: AgentParts) {
  return async (name: string) => {
    const { provider, model } = await modelNamed(name, access, catalog);
    await checkCaps(model, place, config, catalog);
    return { model, provider: watch.provider(provider, source.spendSource) };
  };
}
