import type { AgentSource } from "../../contracts/agent.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import type { InstructionText } from "../../contracts/instructions.ts";
import { RECALL } from "../../contracts/recall.ts";
import type { SessionLog } from "../../contracts/session.ts";
import type { Subject } from "../../contracts/subject.ts";
import type { ToolPorts } from "../../contracts/tool.ts";
import type { EngineOptions } from "../../engine/engine-deps.ts";
import type { ChosenModel } from "../../engine/model-fallback.ts";
import type { ModelTools } from "../../engine/model-tools.ts";
import { QueryEngine } from "../../engine/query-engine.ts";
import { checkedOutCommit } from "../../platform/git/find-ref.ts";
import { projectPrograms } from "../../platform/project-programs.ts";
import { compactionStages } from "../../services/context/compaction/compaction-stages.ts";
import { sessionContext } from "../../services/context/session-context.ts";
import { joinSections } from "../../services/context/system-prompt.ts";
import { childHooks } from "../../services/hooks/child-hooks.ts";
import type { PermissionService } from "../../services/permission/permission-deps.ts";
import { cacheTtlMs } from "../cache-ttl.ts";
import { modelNamed } from "../choose-model.ts";
import { followingHooks } from "../hooks/following-hooks.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import type { AgentServers, SessionParts } from "../session/session-parts.ts";
import { recordRunSettings, systemHash } from "../session/settings/record-run-settings.ts";
import type { AgentSkills } from "../skills/wire-skills.ts";
import type { AgentParts } from "./agent-parts.ts";
import type { ToolSet } from "./create-tools.ts";
import { systemSections } from "./system-sections.ts";
import { listAgents } from "./wire-agents.ts";
import type { AgentInstructions } from "./wire-instructions.ts";
import { type AgentMemory, recalledNotes } from "./wire-memory.ts";

/** The agent that gets the engine. */
type EnginelessAgent = Pick<AgentParts, "session" | "source" | "environment" | "workspace" | "state"> & {
  readonly permissions: PermissionService;
  readonly toolPorts: ToolPorts;
  readonly registry: ModelTools;
  readonly instructions: AgentInstructions;
  readonly memory: AgentMemory | undefined;
  readonly skills: AgentSkills;
};

type EngineParts = {
  readonly parts: AgentParts;
  readonly tools: ToolSet;
  selectModel(name: string): Promise<ChosenModel>;
  /** Called with instruction texts that a call brought into force. */
  announce(texts: readonly InstructionText[]): void;
  /** A system prompt that replaces the default system prompt. */
  readonly system: string | undefined;
  /** Called with the person's text before the tools of a turn are fixed. */
  readonly notePrompt: ((words: string) => void) | undefined;
};

/** Assembles the engine of an agent. */
export function createEngine(agent: EnginelessAgent, made: EngineParts): QueryEngine {
  const { session, environment, source, state, permissions, toolPorts, registry, instructions, memory, skills } = agent;
  const { parts, tools, notePrompt } = made;
  const { app, catalog, conversation, questions, hooks } = session;
  const system = made.system ?? joinSections(systemSections(session, registry.names));
  const following = {
    follow: (signal: AbortSignal) => tools.followWrites(undefined, toolPorts.files, signal),
    notify: (note: string) => engine.taskNews.addModelNote(`hook-changes:${app.ids.next()}`, note),
  };
  const touched = async (subjects: readonly Subject[]) => {
    await memory?.touched(subjects);
    await skills.touched(subjects);
    made.announce(await instructions.touched(subjects));
  };
  const engine: QueryEngine = new QueryEngine(
    {
      catalog,
      clock: app.clock,
      ids: app.ids,
      agent: source,
      noteFault: session.debugging.noteFault,
      log: logOf(agent, () => setupNow(agent, parts, engine.system)),
      state,
      permissions,
      questions,
      tools: registry,
      toolPorts,
      artifacts: conversation.artifacts,
      redactor: session.redactor,
      cwd: () => state.cwd,
      ...(environment.settings.compaction && { windowSettings: environment.settings.compaction }),
      system,
      spend: parts.spend,
      hooks: isMain(source)
        ? followingHooks(hooks, following)
        : childHooks(hooks, { ...source, transcriptPath: conversation.transcriptPath }),
      asker: questions.asker(source),
      compactor: compactionStages({ canRecall: registry.names.includes(RECALL) }),
      ...summaryModel(parts),
      transcriptPath: conversation.transcriptPath,
      describeSession: () => describeSession(agent),
      skills,
      ...(notePrompt && { notePrompt }),
      checkpoints: session.checkpoints.ofAgent(parts.workspace, isMain(source)),
      stepBegins: () => environment.live.refresh(),
      beforeRequest: async (messages) => {
        const note = await skills.news(messages);
        if (note !== undefined) engine.taskNews.addModelNote("skills", note);
      },
      ...(isMain(source) && { attach: attacher(agent, tools, touched, () => engine) }),
      recallNotes: (prompt, messages, signal) => recalledNotes(memory, session, { prompt, messages, signal }),
      touched,
      followWrites: (paths, signal) => tools.followWrites(paths, toolPorts.files, signal),
      selectModel: made.selectModel,
      forgetFiles: () => forgetAll(agent, tools, engine),
      forgetOffers: () => memory?.forget(),
      forgetResults: (ids) => tools.forgetResults(ids),
      cacheTtlMs: () => cacheTtlMs(environment.settings, state.model.provider.name),
      respondsToShell: () => environment.settings.terminal?.respondToShell === true,
      endBackgroundWork: () => tools.endBackgroundWork(),
    },
    engineOptions(parts),
  );
  if (parts.restored) tools.returnFiles([], engine.conversation.messages);
  return engine;
}

/** The main agent's log also records the settings of each turn. */
function logOf(
  { session: { conversation }, source }: EnginelessAgent,
  setup: () => ReturnType<typeof setupNow>,
): SessionLog {
  return isMain(source) ? recordRunSettings(conversation.log, setup) : conversation.log;
}

/** The conversation was cleared, or moved: what it was told is gone, and it knows the files that it knew at its place. */
function forgetAll(
  { instructions, memory, skills }: EnginelessAgent,
  tools: ToolSet,
  { conversation }: QueryEngine,
): void {
  tools.returnFiles(linksOf(conversation), conversation.messages);
  void instructions.forget();
  memory?.forget();
  skills.forget();
}

/** A log that can't be read leaves no file known: the model reads it again. */
function linksOf(conversation: Pick<QueryEngine["conversation"], "links">): readonly string[] {
  try {
    return conversation.links().map(({ id }) => id);
  } catch (error) {
    if (error instanceof UserFacingError) return [];
    throw error;
  }
}

/** Finds the content that a prompt names with `@`: files first, whose code is loaded only for such a prompt. */
function attacher(
  agent: EnginelessAgent,
  { forgetResults }: ToolSet,
  touched: (subjects: readonly Subject[]) => Promise<void>,
  engine: () => QueryEngine,
): AgentServers["attach"] {
  const { images, agentServers } = agent.session;
  const notify = (line: string, level?: "info") => engine().notify(line, level);
  const mentioning = { agent, notify, touched, forgetResults };
  return async (words, signal) => {
    const rest = async () => [...(await images.attach(words)), ...(await agentServers.attach(words, signal))];
    if (!words.includes("@")) return rest();
    const { attachMentions } = await import("../mentions/attach-mentions.ts");
    return [...(await attachMentions(words, mentioning, signal)), ...(await rest())];
  };
}

function engineOptions({ session, environment, source, spend, restored, maxSteps }: AgentParts): EngineOptions {
  const { fallbackModels } = session.config;
  return {
    ...(restored && { restored }),
    earlierCharges: spend.earlierCharges,
    ...(maxSteps !== undefined && { maxSteps }),
    ...(fallbackModels && { fallbackModels }),
    ...(isMain(source) && mainOptions(session, environment)),
  };
}

/** A child agent ends when it is done, so it has no turn budget; and its answer has no given shape. */
function mainOptions({ shape }: SessionParts, { settings: { turnBudgetTokens } }: ProjectEnvironment) {
  return { ...(turnBudgetTokens !== undefined && { turnBudgetTokens }), ...(shape && { shape }) };
}

/** The model that the settings choose for summaries. */
function summaryModel({ session: { access, catalog, watch }, environment }: AgentParts) {
  const name = environment.settings.compaction?.model;
  if (name === undefined) return {};
  return {
    summaryModel: async () => {
      const { model, provider } = await modelNamed(name, access, catalog);
      return { model, provider: watch.provider(provider, "compaction") };
    },
  };
}

/** The session's current settings, for its log. */
function setupNow(agent: EnginelessAgent, { folders }: AgentParts, system: string) {
  const { environment, state, permissions, registry, skills } = agent;
  const { app, delegation } = agent.session;
  const { cwd } = environment.project;
  const head = checkedOutCommit(cwd);
  return {
    cwd,
    mode: permissions.mode,
    model: state.model.model,
    ...(!skills.setsModel && !state.isFallback && { provider: state.model.provider.name }),
    tools: registry.names,
    platform: environment.machine.platform,
    version: app.version,
    ...(head !== undefined && { head }),
    ...(delegation.main && { agent: delegation.main.name }),
    ...(folders?.entered && { worktree: folders.entered.name }),
    systemHash: systemHash(system),
  };
}

/** The folder facts and instruction files of the first message. */
async function describeSession(agent: EnginelessAgent) {
  const { session, source, environment, workspace, state, permissions, instructions, memory, registry, skills } = agent;
  const { app, config, catalog, delegation } = session;
  const { main } = delegation;
  const { project, machine } = environment;
  const windowTokens = catalog.capabilities(state.model.model).contextWindow;
  const unasked = config.answerer === "nobody" ? "unanswered" : "answered";
  const folderFacts = sessionContext({
    cwd: workspace.cwd,
    projectRoot: project.root,
    platform: machine.platform,
    clock: app.clock,
    questions: permissions.mode === "bypassPermissions" ? "never asked" : unasked,
    isTrusted: environment.isTrusted,
    isSandboxOff: environment.settings.sandbox?.enabled === false,
    programs: workspace.isBroad ? [] : projectPrograms([workspace.cwd, project.root], environment.env["PATH"] ?? ""),
    isHidden: (path) => workspace.isBroad || permissions.isHidden(path),
  });
  const texts = (await instructions.inForce()).map(({ text }) => text);
  // The memory comes last: the text before it is the same in more sessions, and stays cached.
  const notes = (await memory?.opening(registry.names)) ?? "";
  const agents = listAgents(delegation, registry.names, windowTokens);
  const isGuide = isMain(source) && main?.isGuide === true;
  const guide = isGuide ? await (await import("./guide-note.ts")).guideNote(session.conversation.artifacts) : "";
  const used = isMain(source) ? await skills.texts(main?.skills ?? []) : [];
  const servers = session.agentServers.texts((prefix) => registry.names.some((name) => name.startsWith(prefix)));
  return [folderFacts, ...texts, servers, await skills.list(), agents, ...used, guide, notes]
    .filter((text) => text !== "")
    .join("\n");
}

export function isMain({ parentAgentId }: AgentSource): boolean {
  return parentAgentId === null;
}
