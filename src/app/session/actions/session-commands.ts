import { lazy } from "@quoll/async/lazy";
import { orAborted } from "@quoll/async/or-aborted";
import type { AgentsView } from "../../../contracts/agents-view.ts";
import type { Command, CommandContext } from "../../../contracts/command.ts";
import type { CommandResult } from "../../../contracts/command-result.ts";
import { unknownCommandLine } from "../../../contracts/did-you-mean.ts";
import { errorMessage, UserFacingError } from "../../../contracts/errors.ts";
import type { ExtensionsView } from "../../../contracts/extension.ts";
import type { Inventory } from "../../../contracts/inventory.ts";
import type { McpView } from "../../../contracts/mcp-view.ts";
import type { OutputStyles } from "../../../contracts/output-style.ts";
import type { Plugin, PluginShop, PluginsView } from "../../../contracts/plugin.ts";
import type { SourcedRegistry } from "../../../contracts/registry.ts";
import type { SessionExport, SideQuestions } from "../../../contracts/session-actions.ts";
import { shortPath } from "../../../platform/directories.ts";
import { canReadModulesAgain } from "../../../platform/host.ts";
import { entryExists } from "../../../platform/paths.ts";
import { parseSlash, SlashCommands } from "../../../protocol/commands/slash-commands.ts";
import type { NoteFields } from "../../../services/context/memory/note-text.ts";
import { commandRegistry } from "../../../services/inventory/create-registry.ts";
import { createInventory } from "../../../services/inventory/inventory.ts";

import { sessionBatches } from "../../batch/session-batches.ts";
import { hooksView } from "../../hooks/hooks-view.ts";
import { mcpView } from "../../mcp/mcp-view.ts";
import type { pluginShop } from "../../plugins/plugin-shop.ts";
import { registerSkills, skillsView } from "../../skills/session-skills.ts";
import { lazyFollowing } from "../../worktree/lazy-following.ts";
import { lazyBackups, lazyRewinds } from "../checkpoints/open-checkpoints.ts";
import { sessionInstructions } from "../notes/session-instructions.ts";
import { sessionMemory } from "../notes/session-memory.ts";
import type { OpenedSession } from "../opened-session.ts";
import { type PromptAdditions, sessionStyles } from "../session-prompt.ts";
import { editorModes } from "../settings/editor-modes.ts";
import { sessionThemes } from "../settings/themes.ts";
import { clearedConversations } from "./cleared-conversations.ts";
import { savedSessions } from "./saved-sessions.ts";
import type { ExportParts } from "./session-export.ts";
import type { SideQuestionParts } from "./side-questions.ts";
import { withoutArgument } from "./without-argument.ts";

/**
 * The initial slash commands of a session, and the services that only the program around the session can offer.
 */
export type CommandPorts = {
  readonly builtin: readonly Command[];
} & Pick<CommandContext, "doctor">;

/** The slash commands of a session, for every face. */
export type SessionCommands = {
  readonly registry: SourcedRegistry<Command>;
  /** Lists the session's commands and tools. */
  readonly inventory: Inventory;
  /** The services for commands; a face adds its own parts. */
  readonly context: CommandContext;
  /** The current commands that need no person at a keyboard. */
  list(): readonly Command[];
  /**
   * Runs a command that needs no person at a keyboard.
   * @param words The typed text: `/name argument`.
   * @returns undefined if the words name no command.
   * @throws {UserFacingError} (as a rejection) the command needs a screen.
   */
  run(words: string, signal: AbortSignal): Promise<CommandResult> | undefined;
  /** @throws {UserFacingError} (exit 2) the text names a command that needs a screen. */
  assertNeedsNoScreen(words: string): void;
  /**
   * Checks that a prompt in the form of a command names an existing command. Waits for the MCP server that a command
   * belongs to. A folder such as `/usr` is not a command.
   * @throws {UserFacingError} (as a rejection) there is no such command (exit 2), or its server has no such prompt
   * (exit 1).
   */
  assertKnown(words: string, signal: AbortSignal): Promise<void>;
};

function wayBack(session: OpenedSession): Pick<CommandContext, "rewinds" | "backups"> {
  const rewinds = lazyRewinds(session, lazyFollowing(session.main));
  return {
    rewinds,
    backups: lazyBackups({ environment: session.environment, restores: rewinds, shown: rewinds.shown }),
  };
}

export function sessionCommands({ builtin, doctor }: CommandPorts, session: OpenedSession): SessionCommands {
  const { app, main, catalog, spend, hooks } = session;
  const registry = commandRegistry(builtin.map(withoutArgument), (command) => hooks.command(command));
  if (builtin.length > 0) session.servers.offerPrompts(registry);
  if (builtin.length > 0) session.closers.defer(registerSkills(registry, session));
  if (builtin.length > 0) registerExtensions(registry, session);
  writeTitle(session);
  const inventory = createInventory({ commands: registry, tools: main.offered });
  const context: CommandContext = {
    ...(session.config.isSafe && { isSafe: true }),
    outputStyles: outputStyles(session),
    editorModes: editorModes(session.environment),
    themes: sessionThemes(session.environment),
    engine: main.engine,
    inventory,
    permissions: main.permissions,
    models: { list: () => [...catalog.list(), ...session.extensions.models] },
    spend,
    rateLimits: () => session.access.rateLimits.list(),
    ...contextViews(session),
    ports: main.ports,
    ...workViews(session),
    mcp: mcpView(session),
    ...(!session.config.isBare && { instructions: sessionInstructions(session) }),
    ...(main.memory && { memory: sessionMemory(session, main.memory, noteProposals(session)) }),
    ...(doctor && { doctor }),
    sideQuestions: lazySideQuestions(session),
    ...wayBack(session),
    exports: lazyExport(session),
    recall: session.recall,
    skills: skillsView(session, registry),
    hooks: hooksView(session),
    ...(!session.config.isBare && { extensions: extensionsView(session) }),
    ...(!session.config.isBare && { plugins: lazyPlugins(session, () => context.mcp) }),
    sessions: { ...savedSessions(session.conversation.folder, session), ...clearedConversations(session) },
    now: () => app.clock.now(),
    resume: () => undefined,
    exit: () => undefined,
  };
  const slash = new SlashCommands(registry, "none", context);
  return {
    registry,
    inventory,
    context,
    list: () => registry.entries.flatMap(({ value }) => (value.interactive ? [] : [value])),
    run(words, signal) {
      const typed = slash.typed(words) && parseSlash(words);
      return typed && slash.run(typed.name, typed.argument, signal);
    },
    async assertKnown(words, signal) {
      const name = parseSlash(words)?.name;
      if (name === undefined || slash.typed(words) || entryExists(`/${name}`)) return;
      const isOfServer = name.startsWith("mcp__");
      const server = isOfServer ? await startedServer(session, name, signal) : undefined;
      if (signal.aborted || slash.typed(words)) return;
      if (server && server.status !== "connected") {
        const why = server.error ?? server.status;
        throw new UserFacingError(`/${name} is not available: the MCP server ${server.name}: ${why}`);
      }
      const known = registry.entries.flatMap(({ name: one, value }) => [one, ...(value.aliases ?? [])]);
      throw new UserFacingError(unknownCommandLine(name, known, context.isSafe), isOfServer ? 1 : 2);
    },
    assertNeedsNoScreen: (words) => slash.assertRuns(words),
  };
}

/**
 * If a command of an extension has the same name as another command, a line says so, and the extension's command has no
 * effect.
 */
function registerExtensions(registry: SourcedRegistry<Command>, { extensions, main, notify }: OpenedSession): void {
  for (const { extension, commands } of extensions.commands(() => main.workspace.cwd)) {
    const isNew = (name: string) => registry.get(name)?.name !== name;
    const fresh = commands.filter(
      ({ name }, at) => isNew(name) && commands.findIndex((one) => one.name === name) === at,
    );
    for (const command of commands) if (!fresh.includes(command)) notify(extensions.shadowed(extension, command.name));
    if (fresh.length > 0) registry.set({ kind: "extension", name: extension }, fresh);
  }
}

function extensionsView({ extensions, environment }: OpenedSession): ExtensionsView {
  return {
    canReload: canReadModulesAgain(),
    list: () => extensions.view.list(),
    unapproved: () => environment.unapproved.flatMap(({ kind, lines }) => (kind === "extension" ? lines : [])),
  };
}

function outputStyles(session: OpenedSession): OutputStyles {
  return sessionStyles(session.environment, session.additions, {
    redactor: session.redactor,
    notify: session.notices.notify,
    setAdditions: (additions) => setAdditions(additions, session),
  });
}

/** @throws {UserFacingError} (as a rejection) a turn runs. */
async function setAdditions(
  additions: PromptAdditions,
  { config, main }: Pick<OpenedSession, "config" | "main">,
): Promise<void> {
  const [{ systemSections }, { joinSections }] = await Promise.all([
    import("../../agent/system-sections.ts"),
    import("../../../services/context/system-prompt.ts"),
  ]);
  if (main.engine.state.busy)
    throw new UserFacingError("A turn is running: wait for it or press Esc, then change the output style.");
  main.engine.system = joinSections(systemSections({ config, additions }, main.registry.names));
}

function lazyAgents(session: OpenedSession): AgentsView {
  const view = async () => (await import("../../agent/agents-view.ts")).agentsView(session);
  return {
    list: async () => (await view()).list(),
    shown: (path) => shortPath(path, session.environment.own.home),
    newFolder: async () => (await view()).newFolder(),
    create: async (agent, signal) => (await view()).create(agent, signal),
    remove: async (agent) => (await view()).remove(agent),
  };
}

function lazySideQuestions(session: SideQuestionParts): SideQuestions {
  const opened = async () => (await import("./side-questions.ts")).sideQuestions(session);
  return {
    ask: async (question, signal) => (await opened()).ask(question, signal),
    tryOut: async (signal) => (await opened()).tryOut(signal),
    recap: async (signal) => (await opened()).recap(signal),
  };
}

function lazyExport(session: ExportParts): SessionExport {
  const opened = async () => (await import("./session-export.ts")).sessionExport(session);
  return {
    lastAnswer: async () => (await opened()).lastAnswer(),
    markdown: async () => (await opened()).markdown(),
    write: async (file, mayReplace, signal) => (await opened()).write(file, mayReplace, signal),
  };
}

function lazyPlugins(session: OpenedSession, mcp: () => McpView | undefined): PluginsView {
  const { environment } = session;
  const reload = async (signal: AbortSignal) =>
    (await import("../../plugins/reload-plugins.ts")).reloadPlugins(session, signal);
  const toolTokens = ({ name }: Plugin) => {
    const own =
      mcp()
        ?.states()
        .filter((state) => state.name.startsWith(`plugin:${name}:`)) ?? [];
    const tools =
      mcp()
        ?.tools()
        .filter((tool) => own.some(({ toolPrefix }) => tool.name.startsWith(toolPrefix))) ?? [];
    return tools.reduce((sum, { tokens, isDeferred }) => sum + (isDeferred ? 0 : tokens), 0);
  };
  const view = async () =>
    (await import("../../plugins/plugins-view.ts")).pluginsView({ environment, toolTokens, reload });
  const setEnabled: PluginsView["setEnabled"] = async (id, isEnabled, signal) =>
    (await view()).setEnabled(id, isEnabled, signal);
  return {
    list: async () => (await view()).list(),
    setEnabled,
    reload,
    // Nobody else may agree to a plugin.
    ...(session.config.answerer === "person" && {
      shop: lazyShop({ environment, cwd: session.config.cwd, setEnabled }),
    }),
  };
}

function lazyShop(parts: Parameters<typeof pluginShop>[0]): PluginShop {
  // One shop for the session: it knows what the person was shown.
  const shop = lazy(async () => (await import("../../plugins/plugin-shop.ts")).pluginShop(parts));
  return {
    marketplaces: async () => (await shop()).marketplaces(),
    add: async (source, signal) => (await shop()).add(source, signal),
    update: async (name, signal) => (await shop()).update(name, signal),
    offer: async (wanted, signal) => (await shop()).offer(wanted, signal),
    install: async (wanted, tree, signal) => (await shop()).install(wanted, tree, signal),
  };
}

function contextViews(session: OpenedSession): Pick<CommandContext, "contextReport" | "contextEdits"> {
  const edits = async () => (await import("./context-edits.ts")).contextEdits(session);
  return {
    contextReport: async (counted) =>
      (await import("./session-context-report.ts")).sessionContextReport(session, counted),
    contextEdits: {
      preview: async (marks) => (await edits()).preview(marks),
      apply: async (marks) => (await edits()).apply(marks),
    },
  };
}

/** The types of agents, the running work, the tasks that agents share, and the batches. */
function workViews(session: OpenedSession): Pick<CommandContext, "agents" | "tasks" | "taskList" | "batches"> {
  const { main, work } = session;
  return {
    agents: lazyAgents(session),
    batches: sessionBatches(session),
    tasks: main.toolPorts.tasks,
    taskList: async () => (await work.list.open()).list().catch(asUserError),
  };
}

function asUserError(cause: unknown): never {
  throw new UserFacingError(errorMessage(cause), 1, { cause });
}

/** Waits for the server of a command. @returns undefined as soon as `signal` aborts. */
async function startedServer({ servers }: OpenedSession, command: string, signal: AbortSignal) {
  try {
    return await orAborted(Promise.resolve(servers.client?.startedBy(command)), signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    return undefined;
  }
}

/** A model writes the title of a new session if the person wants it. */
function writeTitle(session: OpenedSession): void {
  const { titleModel } = session.environment.settings.sessions ?? {};
  if (titleModel === undefined || session.conversation.restored || session.config.answerer !== "person") return;
  void import("../notes/title-session.ts").then(({ titleSession }) => titleSession(session, titleModel));
}

/** The notes that a model proposes after each turn, if the person wants it; the array changes. */
function noteProposals(session: OpenedSession): NoteFields[] {
  const proposals: NoteFields[] = [];
  if (session.environment.settings.memory?.extract === true && session.config.answerer === "person")
    void import("../notes/propose-notes.ts").then(({ proposeNotes }) => proposeNotes(session, proposals));
  return proposals;
}
