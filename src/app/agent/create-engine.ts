import type { AgentSource } from "../../contracts/agent.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import type { InstructionText } from "../../contracts/instructions.ts";
import type { ArtifactStore } from "../../contracts/ports.ts";
import { RECALL } from "../../contracts/recall.ts";
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
import { recordRunSettings, systemHash } from "../session/settings/record-run-settings.ts";
import type { AgentSkills } from "../skills/wire-skills.ts";
import type { AgentParts, AgentServers } from "./agent-parts.ts";
import type { ToolSet } from "./create-tools.ts";
import { recalledNotes } from "./recalled-notes.ts";
import { systemSections } from "./system-sections.ts";
import { listAgents } from "./wire-agents.ts";
import type { AgentInstructions } from "./wire-instructions.ts";
import type { AgentMemory } from "./wire-memory.ts";

export type EngineParts = Omit<AgentParts, "skills"> & {
  readonly permissions: PermissionService;
  readonly tools: ToolSet;
  readonly toolPorts: ToolPorts;
  readonly registry: ModelTools;
  selectModel(name: string): Promise<ChosenModel>;
  readonly instructions: AgentInstructions;
  readonly memory: AgentMemory | undefined;
  readonly skills: AgentSkills;
  /** Gives the model a note about added and removed skills. */
  tellSkills(note: string): void;
  /** Gives the model a note about files that hooks changed. */
  tellChanges(note: string): void;
  /** Called with instruction texts that a call brought into force. */
  announce(texts: readonly InstructionText[]): void;
  /** A system prompt that replaces the default system prompt. */
  readonly system?: string | undefined;
  /** Called with the person's text before the tools of a turn are fixed. */
  notePrompt?(words: string): void;
};

/** Assembles the engine of an agent. */
export function createEngine(parts: EngineParts): QueryEngine {
  const { app, place, catalog, conversation, permissions, questions, tools, registry, source } = parts;
  const artifacts: ArtifactStore = parts.conversation.artifacts;
  const { hooks, state, instructions } = parts;
  const system = parts.system ?? joinSections(systemSections(parts, registry.names));
  const following = {
    follow: (signal: AbortSignal) => tools.followWrites(undefined, parts.toolPorts.files, signal),
    tell: parts.tellChanges,
  };
  const touched = async (subjects: readonly Subject[]) => {
    await parts.memory?.touched(subjects);
    await parts.skills.touched(subjects);
    parts.announce(await instructions.touched(subjects));
  };
  const engine: QueryEngine = new QueryEngine(
    {
      catalog,
      clock: app.clock,
      ids: app.ids,
      agent: source,
      noteFault: parts.debugging.noteFault,
      log: isMain(source)
        ? recordRunSettings(conversation.log, () => setupNow(parts, engine.system))
        : conversation.log,
      state,
      permissions,
      questions,
      tools: registry,
      toolPorts: parts.toolPorts,
      artifacts,
      redactor: parts.redactor,
      cwd: () => state.cwd,
      ...(place.settings.compaction && { windowSettings: place.settings.compaction }),
      system,
      spend: parts.spend,
      hooks: isMain(source)
        ? followingHooks(hooks, following)
        : childHooks(hooks, { ...source, transcriptPath: conversation.transcriptPath }),
      asker: questions.asker(source),
      compactor: compactionStages({ canRecall: registry.names.includes(RECALL) }),
      ...summaryModel(parts),
      transcriptPath: conversation.transcriptPath,
      describeSession: () => describeSession(parts),
      startSkill: (name) => parts.skills.useNamed(name),
      skillsInUse: (messages, kept) => parts.skills.inUse(messages, kept),
      ...(parts.notePrompt && { notePrompt: parts.notePrompt }),
      checkpoints: parts.checkpointsOf(parts.workspace, isMain(source)),
      beforeRequest: async (messages) => {
        const note = await parts.skills.news(messages);
        if (note !== undefined) parts.tellSkills(note);
      },
      ...(isMain(source) && { attach: attacher({ parts, touched, engine: () => engine }) }),
      recallNotes: (prompt, messages, signal) => recalledNotes(parts, { prompt, messages, signal }),
      touched,
      followWrites: (paths, signal) => tools.followWrites(paths, parts.toolPorts.files, signal),
      selectModel: parts.selectModel,
      forgetFiles: () => forgetAll(parts, engine),
      forgetOffers: () => parts.memory?.forget(),
      forgetResults: (ids) => tools.forgetResults(ids),
      cacheTtlMs: () => cacheTtlMs(place.settings, parts.state.model.provider.name),
      endBackgroundWork: () => tools.endBackgroundWork(),
    },
    engineOptions(parts),
  );
  return engine;
}

/** The conversation was cleared, or moved: what it was told is gone, and it knows the files that it knew at its place. */
function forgetAll({ tools, instructions, memory, skills }: EngineParts, { conversation }: QueryEngine): void {
  tools.returnFiles(linksOf(conversation));
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

type Mentioning = {
  readonly parts: EngineParts;
  engine(): QueryEngine;
  touched(subjects: readonly Subject[]): Promise<void>;
};

/** Finds the content that a prompt names with `@`: files first, whose code is loaded only for such a prompt. */
function attacher({ parts, engine, touched }: Mentioning): AgentServers["attach"] {
  const { permissions, workspace, registry, toolPorts, tools } = parts;
  const main = { permissions, workspace, registry, toolPorts };
  const tell = (line: string, level?: "info") => engine().tell(line, level);
  const mentioning = { ...parts, main, tell, touched, forgetResults: tools.forgetResults };
  return async (words, signal) => {
    const rest = async () => [...(await parts.images.attach(words)), ...(await parts.servers.attach(words, signal))];
    if (!words.includes("@")) return rest();
    const { attachMentions } = await import("../mentions/attach-mentions.ts");
    return [...(await attachMentions(words, mentioning, signal)), ...(await rest())];
  };
}

function engineOptions(parts: EngineParts): EngineOptions {
  const { config, conversation } = parts;
  const { maxSteps, fallbackModels } = config;
  return {
    ...(conversation.restored && { restored: conversation.restored }),
    earlierCharges: parts.earlierCharges,
    ...(maxSteps !== undefined && { maxSteps }),
    ...turnBudget(parts),
    ...(fallbackModels && { fallbackModels }),
    ...(parts.shape && { shape: parts.shape }),
  };
}

/** A child agent ends when it is done, so it has no turn budget. */
function turnBudget({ place, source }: EngineParts) {
  const { turnBudgetTokens } = place.settings;
  return turnBudgetTokens !== undefined && isMain(source) ? { turnBudgetTokens } : {};
}

/** The model that the settings choose for summaries. */
function summaryModel({ place, access, catalog, watch }: EngineParts) {
  const name = place.settings.compaction?.model;
  if (name === undefined) return {};
  return {
    summaryModel: async () => {
      const chosen = await modelNamed(name, access, catalog);
      return { ...chosen, provider: watch.provider(chosen.provider, "compaction") };
    },
  };
}

/** The session's current settings, for its log. */
function setupNow({ app, place, folders, permissions, registry, state, mainAgent }: EngineParts, system: string) {
  const { cwd } = place.project;
  const head = checkedOutCommit(cwd);
  return {
    cwd,
    mode: permissions.mode,
    model: state.model.model,
    tools: registry.names,
    platform: place.machine.platform,
    version: app.version,
    ...(head !== undefined && { head }),
    ...(mainAgent && { agent: mainAgent.name }),
    ...(folders?.entered && { worktree: folders.entered.name }),
    systemHash: systemHash(system),
  };
}

/** The folder facts and instruction files of the first message. */
async function describeSession(parts: EngineParts) {
  const { app, config, place, permissions, workspace, instructions, memory, registry, catalog, state } = parts;
  const { project, machine } = place;
  const windowTokens = catalog.capabilities(state.model.model).contextWindow;
  const unasked = config.answerer === "nobody" ? "unanswered" : "answered";
  const environment = sessionContext({
    cwd: workspace.cwd,
    projectRoot: project.root,
    platform: machine.platform,
    clock: app.clock,
    questions: permissions.mode === "bypassPermissions" ? "never asked" : unasked,
    isSandboxOff: place.settings.sandbox?.enabled === false,
    programs: workspace.isBroad ? [] : projectPrograms([workspace.cwd, project.root], place.env["PATH"] ?? ""),
    isHidden: (path) => workspace.isBroad || permissions.isHidden(path),
  });
  const texts = (await instructions.inForce()).map(({ text }) => text);
  // The memory comes last: the text before it is the same in more sessions, and stays cached.
  const notes = (await memory?.opening(registry.names)) ?? "";
  const agents = listAgents(parts.delegation, registry.names, windowTokens);
  const isGuide = isMain(parts.source) && parts.mainAgent?.isGuide === true;
  const guide = isGuide ? await (await import("./guide-note.ts")).guideNote(parts.conversation.artifacts) : "";
  const skills = isMain(parts.source) ? await parts.skills.texts(parts.mainAgent?.skills ?? []) : [];
  const servers = parts.servers.texts((prefix) => registry.names.some((name) => name.startsWith(prefix)));
  return [environment, ...texts, servers, await parts.skills.list(), agents, ...skills, guide, notes]
    .filter((text) => text !== "")
    .join("\n");
}

export function isMain({ parentAgentId }: AgentSource): boolean {
  return parentAgentId === null;
}
