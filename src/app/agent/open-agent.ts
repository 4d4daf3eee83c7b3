import type { AgentSource } from "../../contracts/agent.ts";
import type { AgentScope, SpawnAgent } from "../../contracts/agent-scope.ts";
import type { InstructionText } from "../../contracts/instructions.ts";
import type { Workspace } from "../../contracts/ports.ts";
import type { SourcedRegistry } from "../../contracts/registry.ts";
import { isOpenAnswer, type Tasks } from "../../contracts/task.ts";
import type { Tool, ToolPorts } from "../../contracts/tool.ts";
import { forkPoint } from "../../engine/fork-point.ts";
import { ModelTools } from "../../engine/model-tools.ts";
import type { QueryEngine } from "../../engine/query-engine.ts";
import type { SessionState } from "../../engine/session-state.ts";
import { isInside } from "../../platform/paths.ts";
import type { NarrowedPermissions, PermissionService } from "../../services/permission/permission-deps.ts";
import { modelWithinCaps } from "../choose-model.ts";
import { type Closers, opening } from "../closers.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import type { SessionParts } from "../session/session-parts.ts";
import { SkillsInForce } from "../skills/skills-in-force.ts";
import { AgentSkills } from "../skills/wire-skills.ts";
import { type MainWorktree, wireMainWorktree } from "../worktree/wire-main-worktree.ts";
import type { AgentBase, AgentParts } from "./agent-parts.ts";
import { ChildAgents } from "./child-agents.ts";
import { createEngine } from "./create-engine.ts";
import { createTools, type ToolSet } from "./create-tools.ts";
import { narrowAgent } from "./narrow-agent.ts";
import { freeNotes } from "./open-memory.ts";
import type { RunParts } from "./run-agent.ts";
import { spawnedAgent } from "./spawned-agent.ts";
import type { WebQuestions } from "./tools-request.ts";
import { wireSharedWork } from "./wire-agents.ts";
import { type AgentInstructions, announceInstructions, wireInstructions } from "./wire-instructions.ts";
import type { AgentMemory } from "./wire-memory.ts";

/** How long closing an agent waits for its background agents. */
const STOP_AGENTS_MS = 2_000;

/** The parts from which an agent is made, and what decides about its tools. */
export type AgentMaking = {
  readonly parts: AgentParts;
  readonly permissions: PermissionService | NarrowedPermissions;
  /** A system prompt that replaces the default system prompt. */
  readonly system?: string | undefined;
  /** The notes of the project for the main agent, and separate notes for children that keep notes. */
  readonly memory: AgentMemory | undefined;
  /** Frees the parts that have been made for the agent so far. */
  readonly closers: Closers;
  /** Selects the tools that the model gets. */
  offer(tools: readonly Tool[]): SourcedRegistry<Tool>;
  hiddenTools(names: readonly string[]): ReadonlySet<string>;
  /** Called with the person's text before the tools of a turn are fixed. */
  readonly notePrompt?: (words: string) => void;
};

/** An engine with its source, state and tools. */
export class Agent {
  /** The parts that all agents of the session share. */
  readonly session: SessionParts;
  readonly source: AgentSource;
  readonly environment: ProjectEnvironment;
  readonly workspace: Workspace;
  /** The agent's changing state while it runs. */
  readonly state: SessionState;
  readonly permissions: PermissionService;
  readonly memory: AgentMemory | undefined;
  readonly skills: AgentSkills;
  /** Moves the conversation into a worktree and back; undefined for child agents. */
  readonly worktree: MainWorktree | undefined;
  /** The tools; MCP tools are added and removed during the session. */
  readonly offered: SourcedRegistry<Tool>;
  readonly registry: ModelTools;
  /** The names, among those of MCP tools, that may not be offered to this agent's model. */
  readonly hiddenTools: (names: readonly string[]) => ReadonlySet<string>;
  /** The services that the agent's calls get. */
  readonly toolPorts: ToolPorts;
  readonly instructions: AgentInstructions;
  readonly engine: QueryEngine;
  /** The parts that child agents of this agent need to run. */
  readonly runParts: () => Promise<RunParts>;
  readonly #parts: AgentParts;
  readonly #tools: ToolSet;
  readonly #children = new ChildAgents<Agent>();
  readonly #closers: Closers;
  readonly #ended: string[] = [];
  /** The web searches of the turn. */
  readonly #searched = { inTurn: 0 };

  constructor({ parts, permissions, memory, closers, system, notePrompt, offer, hiddenTools }: AgentMaking) {
    const { session, source, environment, workspace, state } = parts;
    this.#parts = parts;
    this.#closers = closers;
    this.session = session;
    this.source = source;
    this.environment = environment;
    this.workspace = workspace;
    this.state = state;
    this.permissions = permissions;
    this.memory = memory;
    this.hiddenTools = hiddenTools;
    const tasks = session.work.tasks.seenBy(source);
    const windowTokens = () => session.catalog.capabilities(state.model.model).contextWindow;
    const selectModel = modelSelector(parts);
    const shared = wireSharedWork(parts, permissions, () => this.offered.entries.map(({ name }) => name));
    const inForce = new SkillsInForce({ session, permissions, state, selectModel, environment });
    this.skills = new AgentSkills(this, { windowTokens, inForce, agents: shared.agents });
    this.worktree = this.#moves();
    this.runParts = shared.agents.runParts;
    this.#tools = createTools({
      agent: parts,
      permissions,
      tasks,
      skills: this.skills,
      agents: shared.agents,
      taskList: shared.taskList,
      worktree: this.worktree?.control,
      web: this.#webQuestions(),
      refusesSecrets: (path) => memory !== undefined && isInside(memory.folder(), path),
    });
    this.offered = offer(this.#tools.tools);
    this.registry = new ModelTools(this.offered, { ...session.agentServers.deferral, windowTokens });
    this.toolPorts = this.#portsOfTools(tasks);
    const messages = () => this.engine.conversation.messages;
    this.instructions = wireInstructions(parts, { permissions, messages });
    const announce = (texts: readonly InstructionText[]) => this.#announce(texts);
    this.engine = createEngine(this, { parts, tools: this.#tools, selectModel, system, announce, notePrompt });
    this.#follow();
    closers.defer(session.agents.opened(this));
    this.#endWith(tasks);
  }

  /** Confined servers that are open to the person. */
  get ports(): ToolSet["ports"] {
    return this.#tools.ports;
  }

  /** The files that the model used last, most recent first; absolute. */
  recentFiles(max: number): Promise<readonly string[]> {
    return this.#tools.recentFiles(max);
  }

  /**
   * Opens a child agent, which has no more permissions than this agent.
   * @throws {UserFacingError} the agent's folder, tools, rules or model can't be used.
   * @throws the abort reason of `signal`.
   */
  readonly spawn: SpawnAgent = async (scope, signal) => {
    const { permissions, offered } = this;
    const base = { parts: this.#parts, permissions, offered, fork: (lastId: string) => this.#fork(lastId) };
    const child = await this.#children.open(() => openChild(base, scope), signal);
    return spawnedAgent(child, () => this.#children.closed(child));
  };

  /**
   * Ends the turn, background work and the agents below it.
   * @returns one phrase for each task that was still running.
   */
  async close(): Promise<readonly string[]> {
    this.engine.interrupt();
    await this.#closers.close();
    return this.#ended;
  }

  /** The moves of the main agent into worktrees. */
  #moves(): MainWorktree | undefined {
    const { memory, permissions } = this;
    const { folders } = this.#parts;
    const notes = () => memory && freeNotes(this, memory);
    const record = (name: string | undefined) =>
      void this.engine.conversation.append({ kind: "worktree", optional: true, ...(name !== undefined && { name }) });
    return folders && wireMainWorktree(this.#parts, { folders, permissions, notes, record });
  }

  /** The questions of the web tools, with the code that is loaded for them. */
  #webQuestions(): WebQuestions {
    return {
      askPage: async (question, signal) =>
        (await import("./ask-web-model.ts")).askAboutPage(this.#parts, question, signal),
      searchWeb: async () => (await import("./search-web.ts")).webSearcher(this.#parts, this.#searched),
    };
  }

  #portsOfTools(tasks: Tasks): ToolPorts {
    const { session, source, state, offered, registry } = this;
    return {
      agent: source,
      ask: session.questions.asker(source),
      tasks,
      files: session.files,
      spawnAgent: this.spawn,
      forkPoint: () => forkPoint(this.engine.conversation.history()),
      hasTool: (name) => offered.get(name) !== undefined,
      accepts: () => session.catalog.capabilities(state.model.model),
      findables: () => registry.findables(),
    };
  }

  #announce(texts: readonly InstructionText[]): void {
    announceInstructions(texts, this.session.config.answerer, this.engine);
  }

  /** Work that follows the turns, compactions and moves of the agent. */
  #follow(): void {
    const { engine, instructions } = this;
    const { folders } = this.#parts;
    const announce = (texts: readonly InstructionText[]) => this.#announce(texts);
    this.#closers.defer(
      engine.subscribe(({ event }) => {
        if (event.type === "compacted") void instructions.lost().then(announce);
        if (event.type !== "turn_finished") return;
        this.skills.endUse();
        this.memory?.settle();
        if (engine.conversation.lastId) this.#tools.keepFiles(engine.conversation.lastId);
        this.#searched.inTurn = 0;
      }),
    );
    if (folders) this.#closers.defer(folders.onMoved(() => instructions.unseen().then(announce)));
  }

  /** The end of the agent: first its background agents, its children and its commands, then its engine. */
  #endWith(tasks: Tasks): void {
    const ending = (end: () => Promise<readonly string[]>) =>
      this.#closers.defer(async () => void this.#ended.push(...(await end())));
    this.#closers.defer(() => this.engine.close());
    ending(() => this.#tools.endBackgroundWork());
    ending(() => this.#children.close());
    ending(() => stopBackgroundAgents(tasks));
  }

  #fork(lastId: string) {
    const { log } = this.session.conversation;
    const { sessionId } = log;
    return { sessionId, entries: log.pathTo(lastId), earlierIds: [], lastId, system: this.engine.system };
  }
}

/** A child of an agent. */
function openChild(base: AgentBase, scope: AgentScope): Promise<Agent> {
  return opening(async (closers) => new Agent(await narrowAgent(base, scope, closers)));
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

function modelSelector({ session, environment, source }: AgentParts) {
  return async (name: string) => {
    const { provider, model } = await modelWithinCaps(name, session, environment);
    return { model, provider: session.watch.provider(provider, source.spendSource) };
  };
}
