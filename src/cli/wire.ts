import { join, resolve } from "node:path";
import { UserFacingError } from "../contracts/errors.ts";
import { nearestNames } from "../contracts/nearest.ts";
import type { Clock, Ids, ModelCatalog, Workspace } from "../contracts/ports.ts";
import type { Provider } from "../contracts/provider.ts";
import type { RuleSource, Settings } from "../contracts/settings.ts";
import type { Tool } from "../contracts/tool.ts";
import systemPrompt from "../engine/prompt/system.md" with { type: "text" };
import { QueryEngine } from "../engine/query-engine.ts";
import { ToolRegistry } from "../engine/tool-registry.ts";
import { type ArtifactFolder, artifactFolder } from "../platform/artifact-folder.ts";
import { randomIds, systemClock } from "../platform/clock.ts";
import { type Directories, directories } from "../platform/directories.ts";
import { type Environment, environment } from "../platform/env.ts";
import { type Host, host } from "../platform/host.ts";
import { realPathOrSelf } from "../platform/paths.ts";
import { loadSettings, type SettingsFlags } from "../services/config/load-settings.ts";
import { rememberRules } from "../services/config/remember-rules.ts";
import { settingsPaths } from "../services/config/settings-paths.ts";
import { sessionContext } from "../services/context/session-context.ts";
import { PermissionBroker } from "../services/permission/broker.ts";
import { checkBypass } from "../services/permission/check-bypass.ts";
import { createPermissionEngine, type PermissionService } from "../services/permission/permission-engine.ts";
import { modelCatalog } from "../services/provider/catalog.ts";
import { chooseProvider, type ProviderChoice } from "../services/provider/choose-provider.ts";
import { findProject, openWorkspace, type Project } from "../services/workspace/open-workspace.ts";
import { createTools, type ToolSet } from "./create-tools.ts";
import { type OpenedSession, openSession } from "./open-session.ts";
import type { SessionOptions } from "./program.ts";

export type WireRequest = {
  readonly options: SessionOptions;
  readonly version: string;
  /** Whether a person is there to answer questions. */
  readonly canAsk: boolean;
  /** Tells the person one line. */
  warn(line: string): void;
};

/** Everything a face needs, put together. */
export type Wired = {
  readonly engine: QueryEngine;
  readonly catalog: ModelCatalog;
  readonly permissions: PermissionService;
  readonly workspace: Workspace;
  readonly session: OpenedSession;
  readonly sessionsFolder: string;
  readonly projectId: string;
  readonly choice: ProviderChoice;
  readonly registry: ToolRegistry;
  readonly artifacts: ArtifactFolder;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly directories: Directories;
  /** Ends the turn, background work and the session. @returns one phrase for each thing that still ran. */
  close(): Promise<readonly string[]>;
};

type Place = {
  readonly env: Environment;
  readonly machine: Host;
  readonly own: Directories;
  readonly project: Project;
  readonly workspace: Workspace;
  readonly settings: Settings;
  readonly rules: readonly RuleSource[];
  /** Where "always" answers go. */
  readonly ownSettingsFile: string;
};

/**
 * The composition root: the only place that knows every part.
 * @throws {UserFacingError} something that the user can mend: a setting, an option, a missing key, a locked session.
 */
export async function wire(request: WireRequest): Promise<Wired> {
  const { options, version, warn } = request;
  const place = await openPlace(request);
  const { env, own, workspace, project } = place;
  const choice = chooseProvider({ ...wantedModel(options, place.settings), environment: env });
  const catalog = modelCatalog();
  const provider = await createProvider(choice, catalog);

  const sessionsFolder = join(own.data, "sessions", project.id);
  const clock = systemClock;
  const ids = randomIds;
  const session = await openSession(options, { folder: sessionsFolder, cwd: project.cwd, version, clock, ids });
  for (const warning of session.warnings) warn(warning);
  const artifacts = artifactFolder(
    options.sessionPersistence ? join(sessionsFolder, session.log.sessionId) : undefined,
  );
  try {
    const broker = new PermissionBroker();
    const permissions = createPermissions(request, place, broker, artifacts);
    const toolSet = wireTools(place, permissions, artifacts, version);
    const registry = new ToolRegistry(chooseTools(toolSet.tools, options.tools, permissions));
    const engine = new QueryEngine(
      {
        catalog,
        clock,
        ids,
        log: session.log,
        permissions,
        questions: broker,
        tools: registry,
        artifacts,
        cwd: () => workspace.cwd,
        system: systemPrompt.trim(),
        describeSession: async () =>
          sessionContext({
            cwd: workspace.cwd,
            projectRoot: project.root,
            platform: place.machine.platform,
            clock,
            canAsk: request.canAsk,
            isHidden: (path) => workspace.isBroad || permissions.isHidden(path),
          }),
        selectModel: (name) => selectModel(name, env, catalog),
        forgetFiles: () => toolSet.forgetFiles(),
        endBackgroundWork: () => toolSet.endBackgroundWork(),
      },
      {
        provider,
        model: catalog.resolve(choice.model),
        ...(session.restored && { restored: session.restored }),
        ...(options.maxTurns !== undefined && { maxSteps: options.maxTurns }),
      },
    );
    const close = closing(engine, toolSet, session, artifacts);
    const parts = { engine, catalog, permissions, workspace, session, registry, artifacts, clock, ids, close };
    return { ...parts, sessionsFolder, projectId: project.id, choice, directories: own };
  } catch (error) {
    session.close();
    artifacts.dispose();
    throw error;
  }
}

async function openPlace({ options, warn }: WireRequest): Promise<Place> {
  const env = environment();
  const machine = host();
  const own = directories(env);
  const cwd = resolve(machine.cwd, options.cwd ?? ".");
  const project = findProject({ cwd, home: own.home });
  const paths = settingsPaths({
    config: own.config,
    projectRoot: project.root,
    projectId: project.id,
    platform: machine.os,
  });
  const { settings, rules, warnings } = await loadSettings({
    paths,
    projectRoot: project.root,
    cwd: project.cwd,
    home: own.home,
    flags: settingsFlags(options),
  });
  for (const warning of warnings) warn(warning);
  const workspace = openWorkspace({ cwd, home: own.home, addDirs: settings.additionalDirectories });
  if (workspace.isBroad) {
    warn(`${workspace.roots[0]} holds more than one project, so reading asks too: start Quoll in a project's folder.`);
  }
  return { env, machine, own, project, workspace, settings, rules, ownSettingsFile: paths.own };
}

/** The settings hold the flag too, unless managed policy outranks it. */
function wantedModel({ model: flag }: SessionOptions, { model: setting }: Settings) {
  return { flag: setting === flag ? flag : undefined, setting };
}

function settingsFlags(options: SessionOptions): SettingsFlags {
  const mode = options.dangerouslySkipPermissions ? "bypassPermissions" : options.permissionMode;
  return {
    ...(options.model !== undefined && { model: options.model }),
    ...(mode && { permissionMode: mode }),
    ...(options.allowedTools && { allow: options.allowedTools }),
    ...(options.disallowedTools && { deny: options.disallowedTools }),
    ...(options.addDir && { additionalDirectories: options.addDir }),
    ...(options.settings !== undefined && { settings: options.settings }),
  };
}

function createPermissions(
  { canAsk, warn }: WireRequest,
  { env, machine, own, project, workspace, settings, rules, ownSettingsFile }: Place,
  broker: PermissionBroker,
  artifacts: ArtifactFolder,
): PermissionService {
  return createPermissionEngine({
    rules,
    mode: settings.defaultMode ?? "default",
    workspace,
    home: realPathOrSelf(own.home),
    freeReadRoots: [artifacts.path],
    ownFolders: [...[own.config, own.data, own.state, own.cache].map(realPathOrSelf), ...project.gitFolders],
    broker,
    canAsk,
    ids: randomIds,
    checkBypass: () =>
      checkBypass({ uid: machine.uid, isSandbox: env["IS_SANDBOX"], disabled: settings.bypassDisabled }),
    persist: (added) => rememberRules(ownSettingsFile, added),
    warn,
  });
}

function wireTools(place: Place, permissions: PermissionService, artifacts: ArtifactFolder, version: string): ToolSet {
  const { env, own, workspace, settings } = place;
  return createTools({
    workspace,
    artifacts,
    clock: systemClock,
    environment: { ...env, ...settings.env },
    settings: settings.tools,
    home: own.home,
    cache: own.cache,
    version,
    isHidden: (path) => permissions.isHidden(path),
  });
}

/**
 * The tools that this session's model sees: those that `--tools` names, less those that a bare deny rule removes.
 * @throws {UserFacingError} (exit 2) `--tools` names one that does not exist.
 */
function chooseTools(
  tools: readonly Tool[],
  wanted: readonly string[] | undefined,
  permissions: PermissionService,
): readonly Tool[] {
  const names = tools.map(({ spec }) => spec.name);
  for (const name of wanted ?? []) {
    if (names.includes(name)) continue;
    const nearest = nearestNames(name, names);
    throw new UserFacingError(
      `--tools: there is no tool "${name}"; ${nearest.length > 0 ? `did you mean ${nearest[0]}?` : `there are ${names.join(", ")}.`}`,
      2,
    );
  }
  const hidden = permissions.hiddenTools(names);
  return tools.filter(({ spec }) => !hidden.has(spec.name) && (wanted?.includes(spec.name) ?? true));
}

async function createProvider(choice: ProviderChoice, catalog: ModelCatalog): Promise<Provider> {
  if (choice.provider === "offline") {
    const { offlineProvider } = await import("../services/provider/offline/offline-provider.ts");
    return offlineProvider({ fallback: choice.fallback });
  }
  const { anthropicProvider } = await import("../services/provider/anthropic/provider.ts");
  return anthropicProvider({ ...choice.access, catalog, clock: systemClock, random: Math.random });
}

async function selectModel(name: string, env: Environment, catalog: ModelCatalog) {
  const choice = chooseProvider({ flag: name, setting: undefined, environment: env });
  return { provider: await createProvider(choice, catalog), model: catalog.resolve(choice.model) };
}

function closing(engine: QueryEngine, tools: ToolSet, session: OpenedSession, artifacts: ArtifactFolder) {
  let closed: Promise<readonly string[]> | undefined;
  return () => {
    closed ??= (async () => {
      engine.interrupt();
      const ended = await tools.endBackgroundWork();
      await engine.close();
      session.close();
      artifacts.dispose();
      return ended;
    })();
    return closed;
  };
}
