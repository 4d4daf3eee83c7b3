import type { AgentScope } from "../../contracts/agent-scope.ts";
import { UserFacingError } from "../../contracts/errors.ts";
import type { Workspace } from "../../contracts/ports.ts";
import type { SourcedRegistry } from "../../contracts/registry.ts";
import type { Tool } from "../../contracts/tool.ts";
import { SessionState } from "../../engine/session-state.ts";
import { realPathOrSelf } from "../../platform/paths.ts";
import { toolRegistry } from "../../services/inventory/create-registry.ts";
import type { NarrowedPermissions } from "../../services/permission/permission-deps.ts";
import { modelWithinCaps } from "../choose-model.ts";
import type { Closers } from "../closers.ts";
import type { isolatedParts } from "../worktree/isolated-parts.ts";
import type { AgentBase, AgentParts } from "./agent-parts.ts";
import { freeNotes, openMemory } from "./open-memory.ts";

/**
 * A child's mode takes effect only while it is stricter than its parent's, so the widest mode means the parent's mode.
 */
const PARENTS_MODE = "bypassPermissions";

/**
 * The parts of a child agent: each part is the parent's or narrower.
 * @throws {UserFacingError} the agent's folder, tools, rules or model can't be used.
 */
export async function narrowAgent(base: AgentBase, scope: AgentScope, closers: Closers) {
  const { session } = base.parts;
  // A child stays where it began, also if the main conversation moves.
  const { environment, workspace: outer, sandbox } = base.parts.folders?.settled ?? base.parts;
  const source = {
    agentId: scope.earlier?.agentId ?? session.app.ids.next(),
    parentAgentId: base.parts.source.agentId,
    parentToolUseId: scope.parentToolUseId ?? null,
    spendSource: "subagent",
    ...(scope.label !== undefined && { label: scope.label }),
    ...(scope.type !== undefined && { type: scope.type }),
  } as const;
  const fork = scope.forkAt === undefined ? undefined : base.fork(scope.earlier?.lastId ?? scope.forkAt);
  const earlier = fork || !scope.earlier ? undefined : base.fork(scope.earlier.lastId);
  const ports = { asker: session.questions.asker(source), rules: () => permissions.pathRules() };
  const isolated =
    scope.checkout && (await isolatedFrom({ session, environment, workspace: outer }, scope.checkout, ports));
  if (isolated) closers.defer(() => isolated.sandbox.close());
  const workspace = isolated?.workspace ?? workspaceOf(outer, scope.cwd);
  const { permissionMode: mode = PARENTS_MODE, deny, ask, notesFolder } = scope;
  const { model, effort, thinking } = base.parts.state;
  const chosen = scope.model === undefined ? model : await modelWithinCaps(scope.model, session, environment);
  const provider = session.watch.provider(chosen.provider, source.spendSource);
  const state = new SessionState({
    mode,
    model: { model: chosen.model, provider },
    effort: scope.effort ?? effort,
    thinking,
    workspace,
  });
  const isHidden = (path: string) => base.permissions.isHidden(path);
  const memory = notesFolder === undefined ? undefined : openMemory({ session, environment }, isHidden, notesFolder);
  const notes = memory && freeNotes({ session, environment }, memory);
  const checkout = isolated?.checkout;
  const permissions: NarrowedPermissions = base.permissions.narrow({
    agent: source,
    state,
    deny,
    ask,
    notes,
    checkout,
  });
  closers.defer(() => permissions.close());
  const spend = base.parts.spend.openAgent(source, scope.budget);
  closers.defer(() => spend.close());
  const limits = [scope.maxSteps, base.parts.maxSteps].filter((limit) => limit !== undefined);
  const parts: AgentParts = {
    session,
    source,
    workspace,
    state,
    spend,
    environment: isolated?.environment ?? environment,
    sandbox: isolated?.sandbox ?? sandbox,
    restored: fork ?? earlier,
    maxSteps: limits.length > 0 ? Math.min(...limits) : undefined,
  };
  const hiddenTools = (names: readonly string[]) => permissions.hiddenTools(names);
  const offer = (tools: readonly Tool[]) =>
    toolsOf({ parent: base.offered, own: tools, wanted: scope.tools, hidden: hiddenTools, closers });
  const system = fork?.system ?? scope.systemPrompt;
  return { parts, permissions, offer, hiddenTools, memory, closers, system };
}

/** The code for worktrees is loaded when the first worktree is needed. */
async function isolatedFrom(...[from, checkout, ports]: Parameters<typeof isolatedParts>) {
  return (await import("../worktree/isolated-parts.ts")).isolatedParts(from, checkout, ports);
}

/** The parent's folders, with a separate working folder for the child. */
function workspaceOf(parent: Workspace, wanted: string | undefined): Workspace {
  let cwd = wanted === undefined ? parent.cwd : realPathOrSelf(wanted);
  if (!parent.contains(cwd))
    throw new UserFacingError(`An agent can't work in ${cwd}: this folder is outside its parent's folders.`);
  const { roots, projectRoot } = parent;
  return {
    roots,
    projectRoot,
    get isBroad() {
      return parent.isBroad;
    },
    contains: (path) => parent.contains(path),
    get cwd() {
      return cwd;
    },
    moveTo: (path) => {
      if (!parent.contains(path)) return false;
      cwd = path;
      return true;
    },
  };
}

type Choice = {
  readonly parent: SourcedRegistry<Tool>;
  readonly own: readonly Tool[];
  readonly wanted: readonly string[] | undefined;
  readonly closers: Closers;
  hidden(names: readonly string[]): ReadonlySet<string>;
};

/**
 * The parent's tools that the child asks for. Built-in tools are made for the child; tools of MCP servers are
 * shared, and come and go with the parent's until `closers` are closed.
 */
function toolsOf({ parent, own, wanted, hidden, closers }: Choice): SourcedRegistry<Tool> {
  const offered = () => {
    const names = parent.entries.map(({ name }) => name);
    const without = hidden(names);
    return parent.entries.filter(({ name }) => !without.has(name) && (wanted?.includes(name) ?? true));
  };
  const unknown = (wanted ?? []).find((name) => parent.get(name) === undefined);
  if (unknown !== undefined)
    throw new UserFacingError(`An agent can't have the tool ${unknown}: its parent does not have this tool.`);
  const names = new Set(offered().map(({ name }) => name));
  const tools = toolRegistry(own.filter(({ spec }) => names.has(spec.name)));
  const share = () => {
    const theirs = offered().filter(({ source }) => source.kind !== "builtin");
    const shared = [...tools.entries, ...theirs].filter(({ source }) => source.kind !== "builtin");
    const sources = new Map(shared.map(({ source }) => [`${source.kind}:${source.name}`, source]));
    for (const source of sources.values()) {
      const { kind, name } = source;
      const same = theirs.filter((one) => one.source.kind === kind && one.source.name === name);
      tools.set(
        source,
        same.map(({ value }) => value),
      );
    }
  };
  share();
  closers.defer(parent.onChanged(share));
  return tools;
}
