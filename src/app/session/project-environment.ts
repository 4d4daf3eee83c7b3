import { dirname, join } from "node:path";
import { oneLine } from "@quoll/terminal-text/one-line";
import type { Approvable, Approvals } from "../../contracts/approval.ts";
import type { DeclaredHook } from "../../contracts/declared-hook.ts";
import type { Plugin } from "../../contracts/plugin.ts";
import type { Workspace } from "../../contracts/ports.ts";
import type { ProjectConfig } from "../../contracts/session-config.ts";
import type { PluginChoices, RuleSource, Settings } from "../../contracts/settings.ts";
import { CreatedFiles } from "../../platform/created-files.ts";
import { type Directories, shortPath } from "../../platform/directories.ts";
import type { Environment } from "../../platform/env.ts";
import type { Host } from "../../platform/host.ts";
import { isInside, realPathOrSelf } from "../../platform/paths.ts";
import type { LoadedSettings } from "../../services/config/load-settings.ts";
import { createApprovalStore, NO_APPROVALS } from "../../services/trust/approval-store.ts";
import { hookApprovables } from "../../services/trust/hook-approvables.ts";
import { type CollectedContent, projectServers } from "../../services/trust/project-servers.ts";
import { withinReach } from "../../services/trust/shown-effects.ts";
import { createTrustStore } from "../../services/trust/trust-store.ts";
import { openWorkspace, type Project } from "../../services/workspace/open-workspace.ts";
import { AGENT_FOLDERS, projectFolders, readsContent, SKILL_FOLDERS } from "../content-folders.ts";
import { projectExtensionItems } from "../extensions/chosen-extensions.ts";
import type { HookContents } from "../hooks/changed-hooks.ts";
import { LivePlugins, type PluginChanges } from "../plugins/live-plugins.ts";
import type { OpenedPlugins, PluginEnvironment } from "../plugins/open-plugins.ts";
import type { ProcessEnvironment } from "../process-environment.ts";
import { statusLineItems } from "../status-line/project-status-line.ts";
import { LiveSettings } from "./settings/live-settings.ts";
import { readProjectSettings } from "./settings/read-project-settings.ts";
import { type ProjectPorts, settleApproval, settleTrust } from "./settle-trust.ts";

const MAX_OFFER_COLUMNS = 200;
const SAFE_MODE =
  "safe mode: hooks, skills, commands, agents, plugins, extensions, MCP servers, instruction files, memory, status line, output style, theme and keys of yours and of the project are off; allow rules of files don't count, deny and ask rules do.";

/** The folders of a session, and the settings that apply to them. */
export type ProjectEnvironment = {
  readonly env: Environment;
  readonly machine: Host;
  readonly own: Directories;
  readonly project: Project;
  readonly workspace: Workspace;
  /** The settings in effect. Few parts of a session read the settings again: see `live`. */
  readonly settings: Settings;
  readonly rules: readonly RuleSource[];
  /** The files that the model, or an agent of it, created in this session. */
  readonly created: CreatedFiles;
  /** Applies changes of the settings files to the running session. */
  readonly live: LiveSettings;
  /** The plugins in effect. */
  readonly plugins: readonly Plugin[];
  /** Reads the plugins again; the caller applies their hooks, servers, skills and agents. */
  reloadPlugins(approve?: (item: Approvable) => Promise<void>): Promise<PluginChanges>;
  /** The hooks of settings and plugins that run; hooks of the project only if the person approved them. */
  readonly hooks: readonly DeclaredHook[];
  /** Returns the hooks for settings that changed during the session; the project's hooks stay the approved ones. */
  hooksOf(changed: LoadedSettings): readonly DeclaredHook[];
  /**
   * The files that a hook of the project or of an installed plugin names and that have changed since the person approved
   * it; undefined if the hook may run. An edit during the session must not make an approved hook run other code.
   */
  changesOfHook(hook: DeclaredHook): readonly string[] | undefined;
  /**
   * Asks about the current content of a project's hook that has changed.
   * @returns true if the person approved the content, and it has not changed again.
   */
  approveHook(hook: DeclaredHook, ask: (item: Approvable) => Promise<void>): Promise<boolean>;
  /** True if settings disable all hooks except those of the administrator. */
  readonly hasManagedHooksOnly: boolean;
  /** True if the person trusts this folder. */
  readonly isTrusted: boolean;
  /**
   * The person's answers about the project's servers, hooks and similar content; in an untrusted folder, all content is
   * `new`.
   */
  readonly approvals: Approvals;
  /** New or changed content of a trusted project that is left out, because the person has not approved it. */
  readonly unapproved: readonly Approvable[];
  /** The user's settings for all projects. */
  readonly userSettingsFile: string;
  /** The file that stores "always" answers. */
  readonly ownSettingsFile: string;
  /** The path of the administrator's settings, which may be missing. */
  readonly managedSettingsFile: string;
  /** Folders above the project whose instruction files the person includes, the outermost first. */
  readonly instructionsAbove: readonly string[];
};

/**
 * Finds the project, reads its settings as far as it is trusted, and opens its folders.
 * @param ports Without these, nobody is asked or warned.
 * @throws {UserFacingError} (exit 2) a setting, an option or a folder is wrong.
 * @throws {StartupCancelledError} the person chose to leave when asked whether the folder is trusted.
 */
export async function openProjectEnvironment(
  { env, machine, own }: ProcessEnvironment,
  config: ProjectConfig,
  ports: ProjectPorts = { startupWarning: () => undefined },
): Promise<ProjectEnvironment> {
  const { startupWarning: notify } = ports;
  // The files are read once, so that exactly the settings about which the person was asked take effect.
  const { project, paths, states, load, read } = await readProjectSettings({ machine, own }, config);
  const answers = await openAnswers(own, project);
  for (const warning of [...answers.trust.warnings, ...answers.approvals.warnings]) notify(warning);
  if (config.isSafe) notify(SAFE_MODE);
  const known = config.isTrusted === true || answers.trust.isTrusted(project.trustRoot);
  const first = load(known);
  const hookItems = itemsOfHooks(first.hooks, config, project);
  const { servers, skills, others } = await contentOfFiles(config, project, first);
  const readPlugins = pluginReader(config, hookItems, { root: project.root, own });
  const atStart = await readPlugins(first.settings.plugins, { notify, remark: notify });
  const serverItems = await itemsOfServers(servers, first.rules);
  const ofFiles = [...serverItems, ...hookItems.values(), ...skills.items, ...others];
  const { items, problems } = withinReach([...ofFiles, ...atStart.opened.ofProject.map(({ item }) => item)]);
  const content: CollectedContent = { items, problems: [...servers.problems, ...problems] };
  if (config.isTrusted === true) await approveForRun(items, answers.approvals);
  const isTrusted = known || (await settleTrust({ held: first.held, content, project, answers }, ports));
  if (isTrusted) for (const line of [...skills.problems, ...problems.map(sentence)]) notify(line);
  const unapproved = isTrusted ? await settleApproval({ content, project, answers }, ports) : [];
  const loaded = isTrusted === known ? first : load(isTrusted);
  for (const warning of loaded.warnings) notify(warning);
  const instructionsAbove = await readAbove({ env, own, project }, config, ports);
  const workspace = openWorkspace({ cwd: config.cwd, home: own.home, addDirs: loaded.settings.additionalDirectories });
  if (workspace.isBroad) notify(broadFolderWarning(workspace));
  const files = { userSettingsFile: paths.user, ownSettingsFile: paths.own, managedSettingsFile: paths.managed };
  const shown = (file: string) => shortPath(file, own.home, project.root);
  const live = new LiveSettings({ states, isTrusted, start: loaded, read, shown });
  const approvals = isTrusted ? answers.approvals : NO_APPROVALS;
  const plugins = await settledPlugins({ atStart, approvals, live, readPlugins });
  if (isTrusted && ports.askApproval) for (const line of offerLines(atStart.opened.offered)) notify(line);
  const hooksOf = (now: LoadedSettings) =>
    runningHooks(now, {
      plugins: plugins.current,
      mayRun: (hook) =>
        mayRun(hook, hookItems.get(hook), config, { approvals, isAsked: ports.askApproval !== undefined }),
    });
  return {
    env,
    machine,
    own,
    project,
    workspace,
    live,
    created: new CreatedFiles(),
    instructionsAbove,
    hooks: hooksOf(loaded),
    hooksOf,
    isTrusted,
    approvals,
    unapproved,
    ...files,
    ...hookApproval(hookItems, approvals, plugins),
    reloadPlugins: (approve) => plugins.reload(approve),
    hasManagedHooksOnly: loaded.hasManagedHooksOnly === true,
    get settings() {
      return live.settings;
    },
    get rules() {
      return live.rules;
    },
    get plugins() {
      return plugins.current;
    },
  };
}

function broadFolderWarning({ roots }: Workspace): string {
  return `${roots[0]} holds more than one project, so Quoll also asks before reading: start Quoll in a project's folder.`;
}

type PluginsAtStart = {
  readonly atStart: Awaited<ReturnType<ReturnType<typeof pluginReader>>>;
  readonly approvals: Approvals;
  readonly live: LiveSettings;
  readonly readPlugins: ReturnType<typeof pluginReader>;
};

/** The plugins of the start, which follow the settings from now on. */
async function settledPlugins({ atStart, approvals, live, readPlugins }: PluginsAtStart): Promise<LivePlugins> {
  const plugins = new LivePlugins({
    first: atStart,
    approvals,
    open: (notify) => readPlugins(live.settings.plugins, { notify, remark: () => undefined }),
    ready: async (chosen) => (await pluginCode()).readyPlugins(chosen),
  });
  await plugins.settle();
  return plugins;
}

/** @returns the folders above the project whose instruction files are read. */
async function readAbove(
  { env, own, project }: Pick<ProjectEnvironment, "env" | "own" | "project">,
  { isBare, isSafe, asksNoModel, isTrusted }: ProjectConfig,
  ports: ProjectPorts,
): Promise<readonly string[]> {
  if (isBare || isSafe || asksNoModel) return [];
  const { root, trustRoot, gitFolders } = project;
  // A worktree can lie inside the repository that it belongs to.
  const top = isInside(trustRoot, root) ? trustRoot : root;
  const repositories = gitFolders.map((folder) => dirname(folder));
  const ofPerson = [own.config, env["CLAUDE_CONFIG_DIR"] || join(own.home, ".claude"), env["CODEX_HOME"] ?? ""];
  const others = [...repositories, ...ofPerson.map(realPathOrSelf)];
  const { foldersAbove } = await import("../../services/context/instructions/find-above.ts");
  const found = foldersAbove({ top, home: realPathOrSelf(own.home), others });
  if (found.length === 0) return [];
  const { settleAbove } = await import("./settle-above.ts");
  return settleAbove(found, { root, own, isTrusted: isTrusted === true }, ports);
}

/** @param items The approved content of the project's hooks, which a new approval replaces. */
function hookApproval(
  items: Map<DeclaredHook, Approvable>,
  approvals: Approvals,
  plugins: Pick<LivePlugins, "hookContents">,
): Pick<ProjectEnvironment, "changesOfHook" | "approveHook"> {
  const changesOfHook = (hook: DeclaredHook) => {
    const item = items.get(hook);
    const isOpen = item !== undefined && approvals.state(item) !== "approved";
    return plugins.hookContents.changesOf(hook) ?? (isOpen ? [] : undefined);
  };
  return {
    changesOfHook,
    approveHook: async (hook, ask) => {
      const item = plugins.hookContents.itemOf(hook);
      if (!item) return false;
      await ask(item);
      if (approvals.state(item) !== "approved") return false;
      items.set(hook, item);
      return changesOfHook(hook) === undefined;
    },
  };
}

const NO_HOOK_CONTENTS: HookContents = { changesOf: () => undefined, itemOf: () => undefined };
const NO_PLUGINS: OpenedPlugins = { ofPerson: [], ofProject: [], offered: [] };

/** Reads the plugins, and the current content of their hooks and the project's hooks. */
function pluginReader(
  config: ProjectConfig,
  items: ReadonlyMap<DeclaredHook, Approvable>,
  { root, own }: { readonly root: string; readonly own: Directories },
) {
  return async (
    choices: PluginChoices | undefined,
    { notify, remark }: Pick<PluginEnvironment, "notify" | "remark">,
  ) => {
    // If no option and no setting names a plugin, no plugin code is loaded and no file is read.
    const isNamed = !config.isBare && ((config.pluginDirs ?? []).length > 0 || choices !== undefined);
    const opened = isNamed
      ? await (await pluginCode()).openPlugins(config, choices, { own, notify, remark })
      : NO_PLUGINS;
    const plugins = [...opened.ofPerson, ...opened.ofProject.map(({ plugin }) => plugin)];
    const hooks = [...items.keys(), ...plugins.flatMap((plugin) => plugin.hooks)];
    if (hooks.length === 0) return { opened, hookContents: NO_HOOK_CONTENTS };
    const { hookContents } = await import("../hooks/changed-hooks.ts");
    return { opened, hookContents: hookContents(hooks, { root, own, items }) };
  };
}

function pluginCode() {
  return import("../plugins/open-plugins.ts");
}

/** A project's plugins are offered, but never installed without asking. */
function offerLines(ids: readonly string[]): readonly string[] {
  return ids.length === 0
    ? []
    : [
        `This project uses plugins that you have not installed: ${oneLine(ids.join(", "), MAX_OFFER_COLUMNS)}. quoll plugin install NAME shows what one may do.`,
      ];
}

/**
 * A rule that applies to a server's tools, such as `mcp__*`, begins like this; for other rules, the reader is not
 * loaded.
 */
const RULE_FOR_SERVERS = /^\s*[m*]/;

async function itemsOfServers({ items }: CollectedContent, rules: readonly RuleSource[]) {
  if (items.length === 0 || !rules.some(({ rule }) => RULE_FOR_SERVERS.test(rule))) return items;
  return (await import("../mcp/rules-for-servers.ts")).withOwnRules(items, rules);
}

/** The hooks of the project's own file, as items to approve. */
function itemsOfHooks(hooks: readonly DeclaredHook[], { isBare }: ProjectConfig, { root }: Project) {
  const ofProject = isBare ? [] : hooks.filter(({ layer }) => layer === "project");
  const items = hookApprovables(ofProject, root);
  return new Map(items.flatMap((item, at) => (ofProject[at] ? [[ofProject[at], item] as const] : [])));
}

/**
 * The hooks of settings and plugins that run. There is no answer yet for a project's hook that the initial settings did
 * not contain.
 */
function runningHooks(
  { hooks, hasManagedHooksOnly }: LoadedSettings,
  parts: { readonly plugins: ProjectEnvironment["plugins"]; mayRun(hook: DeclaredHook): boolean },
): readonly DeclaredHook[] {
  const ofPlugins = hasManagedHooksOnly ? [] : parts.plugins.flatMap((plugin) => plugin.hooks);
  return [...hooks.filter((hook) => parts.mayRun(hook)), ...ofPlugins];
}

/**
 * With `--bare`, only hooks from the administrator or the command line run. A project's hook whose content has changed
 * since the approval counts too if nobody was asked at the start: it does not run, but refuses what it guards.
 */
function mayRun(
  { layer }: DeclaredHook,
  item: Approvable | undefined,
  { isBare }: ProjectConfig,
  { approvals, isAsked }: { readonly approvals: Approvals; readonly isAsked: boolean },
): boolean {
  if (layer === "managed" || layer === "settings-flag") return true;
  if (isBare) return false;
  if (layer !== "project") return true;
  const state = item && approvals.state(item);
  return state === "approved" || (state === "changed" && !isAsked);
}

/**
 * `--trust` approves the content at the start of the run, but not later edits of it; refused content stays excluded.
 */
async function approveForRun(items: readonly Approvable[], approvals: Approvals): Promise<void> {
  await approvals.approve(
    items.filter((item) => approvals.state(item) !== "refused"),
    "session",
  );
}

function sentence(problem: string): string {
  return `This project ${problem}.`;
}

/** The servers, skills, status line, agents and extensions of the project's own files, as items to approve. */
async function contentOfFiles(config: ProjectConfig, project: Project, loaded: LoadedSettings) {
  if (!readsContent(config, "project")) return { servers: NO_CONTENT, skills: NO_CONTENT, others: [] };
  const servers = await projectServers(project.root);
  // Without such files, the code that reads them is not loaded.
  const has = (names: typeof SKILL_FOLDERS | typeof AGENT_FOLDERS) => projectFolders(project, names).length > 0;
  const skills = has(SKILL_FOLDERS)
    ? await (await import("../skills/skill-permissions.ts")).projectSkillItems(project)
    : NO_CONTENT;
  const agents = has(AGENT_FOLDERS)
    ? await (await import("../agent/agent-permissions.ts")).projectAgentItems(project)
    : [];
  const extensions = await projectExtensionItems(project.root);
  return { servers, skills, others: [...statusLineItems(loaded, project.root), ...agents, ...extensions] };
}

const NO_CONTENT: CollectedContent = { items: [], problems: [] };

/** The person's stored answers about this project. */
async function openAnswers({ state, home }: Directories, { trustRoot: root }: Project) {
  const [trust, approvals] = await Promise.all([
    createTrustStore(join(state, "trusted-folders.json"), { home }),
    createApprovalStore(join(state, "approved-content.json"), { root, home }),
  ]);
  return { trust, approvals };
}
