import { MAIN_AGENT } from "../../contracts/agent.ts";
import type { SourcedRegistry } from "../../contracts/registry.ts";
import { SKILL_TOOL } from "../../contracts/skill.ts";
import type { Tool } from "../../contracts/tool.ts";
import { WEB_SEARCH } from "../../contracts/web.ts";
import type { SessionState } from "../../engine/session-state.ts";
import { toolRegistry } from "../../services/inventory/create-registry.ts";
import type { PermissionService } from "../../services/permission/permission-deps.ts";
import { Closers } from "../closers.ts";
import { LIST_TOOLS } from "../session/actions/session-task-list.ts";
import type { OpenedSession } from "../session/opened-session.ts";
import { WORKTREE_TOOLS, WorktreeOffer } from "../worktree/worktree-offer.ts";
import type { AgentParts } from "./agent-parts.ts";
import { mainPermissions } from "./main-permissions.ts";
import { Agent } from "./open-agent.ts";
import { freeNotes, openMemory } from "./open-memory.ts";
import { ToolChoice } from "./tool-choice.ts";

/**
 * This tool joins together with the task list tools, so that the prompt cache is lost only once. Until then, `resume`
 * of Agent serves the same purpose.
 */
const MESSAGE_TOOL = "SendMessage";

/** The first agent of a session, which the person talks with. */
export function openMainAgent(session: OpenedSession, state: SessionState): Agent {
  const { config, folders, spend, delegation, extensions } = session;
  const { environment, workspace, sandbox } = folders;
  const { restored } = session.conversation;
  const { maxSteps } = config;
  const source = MAIN_AGENT;
  const parts = { session, source, state, folders, environment, workspace, sandbox, spend, restored, maxSteps };
  const notify = session.notices.notify;
  const closers = new Closers();
  const memory = openMemory(parts, (path) => permissions.isHidden(path));
  const notes = memory && (() => freeNotes(parts, memory));
  const permissions: PermissionService = mainPermissions(parts, { notes, closers });
  const offered = new WorktreeOffer({ state, restored, named: config.tools });
  closers.defer(() => offered.close());
  const choice = new ToolChoice({ config, mainAgent: delegation.main, permissions, hooks: environment.hooks, notify });
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
  return new Agent({ parts, permissions, offer, hiddenTools, memory, closers, notePrompt });
}

/**
 * The tools, including those that join later: Skill as soon as there is a skill for the model, the tools for the task
 * list and for messages as soon as the list is offered, the worktree tools, and WebSearch with a model whose provider
 * searches.
 */
function withLateTools(
  tools: readonly Tool[],
  { session: { skills, work, web }, state }: AgentParts,
  { worktrees, closers }: { readonly worktrees: WorktreeOffer; readonly closers: Closers },
): SourcedRegistry<Tool> {
  // A tool that was offered stays, because the requests that declared it are in the provider's cache.
  const isThere = (name: string) => registry?.get(name) !== undefined;
  const isWanted = ({ spec: { name } }: Tool) => {
    if (name === SKILL_TOOL) return skills.hasForModel || isThere(name);
    if (WORKTREE_TOOLS.includes(name)) return worktrees.isOffered;
    if (name === WEB_SEARCH) return web.searches || isThere(name) || state.model.provider.searchesWeb === true;
    return (!LIST_TOOLS.includes(name) && name !== MESSAGE_TOOL) || work.list.isOffered;
  };
  let registry: SourcedRegistry<Tool> | undefined;
  const made = toolRegistry(tools.filter(isWanted));
  registry = made;
  const update = () => {
    const wanted = tools.filter(isWanted);
    if (wanted.some(({ spec }) => !isThere(spec.name))) made.set({ kind: "builtin" }, wanted);
  };
  closers.defer(skills.onChanged(update));
  closers.defer(work.list.onOffered(update));
  closers.defer(worktrees.onOffered(update));
  // A change of the model loses the prompt cache in any case.
  closers.defer(state.onChanged((change) => change === "model" && update()));
  return made;
}
