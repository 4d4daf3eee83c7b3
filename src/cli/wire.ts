import { join } from "node:path";
import { UserFacingError } from "../contracts/errors.ts";
import { nearestNames } from "../contracts/nearest.ts";
import type { PermissionMode } from "../contracts/permission.ts";
import type { Clock, Ids, ModelCatalog, Redactor, Sandbox, Workspace } from "../contracts/ports.ts";
import type { Provider } from "../contracts/provider.ts";
import type { Settings } from "../contracts/settings.ts";
import type { Tool } from "../contracts/tool.ts";
import systemPrompt from "../engine/prompt/system.md" with { type: "text" };
import { QueryEngine } from "../engine/query-engine.ts";
import { ToolRegistry } from "../engine/tool-registry.ts";
import { type ArtifactFolder, artifactFolder } from "../platform/artifact-folder.ts";
import { randomIds, systemClock } from "../platform/clock.ts";
import type { Directories } from "../platform/directories.ts";
import type { Environment } from "../platform/env.ts";
import { sessionContext } from "../services/context/session-context.ts";
import { PermissionBroker } from "../services/permission/broker.ts";
import type { PermissionService } from "../services/permission/permission-engine.ts";
import { modelCatalog } from "../services/provider/catalog.ts";
import { chooseProvider, type ProviderChoice } from "../services/provider/choose-provider.ts";
import type { ToolSet } from "./create-tools.ts";
import { openPlace, type PlaceRequest } from "./open-place.ts";
import { type OpenedSession, openSession } from "./open-session.ts";
import type { SessionOptions } from "./program.ts";
import { wirePermissions } from "./wire-permissions.ts";
import { lazyRedactor, lazySandbox } from "./wire-safety.ts";
import { wireTools } from "./wire-tools.ts";

export type WireRequest = Pick<PlaceRequest, "askTrust"> & {
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
  readonly sandbox: Sandbox;
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
  redactor(): Promise<Redactor>;
  /** Ends the turn, background work and the session. @returns one phrase for each thing that still ran. */
  close(): Promise<readonly string[]>;
};

/**
 * The composition root: the only place that knows every part.
 * @throws {UserFacingError} something that the user can mend: a setting, an option, a missing key, a locked session.
 * @throws {LeftBeforeStart} the person chose to leave when asked about the folder.
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
    const sandbox = lazySandbox(place, artifacts);
    const redactor = lazyRedactor(place);
    const judging = { provider, model: catalog.resolve(choice.model), isOffline: choice.provider === "offline" };
    const late: { engine?: QueryEngine } = {};
    const permissions = wirePermissions({
      place,
      broker,
      artifacts,
      sandbox,
      canAsk: request.canAsk,
      warn,
      judging: () => judging,
      charge: (model, usage) => late.engine?.charge(model, usage),
      userWords: () => late.engine?.prompts ?? [],
    });
    const setMode = (mode: PermissionMode) => late.engine?.setMode(mode);
    const toolSet = wireTools({ ...request, place, permissions, broker, artifacts, sandbox, redactor, setMode });
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
        redactor,
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
        selectModel: async (name) => {
          const selected = await selectModel(name, env, catalog);
          Object.assign(judging, selected);
          return selected;
        },
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
    late.engine = engine;
    const close = closing({ engine, tools: toolSet, session, artifacts, sandbox });
    const parts = { engine, catalog, permissions, sandbox, workspace, session, registry, artifacts, clock, ids, close };
    return { ...parts, sessionsFolder, projectId: project.id, choice, directories: own, redactor };
  } catch (error) {
    session.close();
    artifacts.dispose();
    throw error;
  }
}

/** The settings hold the flag too, unless managed policy outranks it. */
function wantedModel({ model: flag }: SessionOptions, { model: setting }: Settings) {
  return { flag: setting === flag ? flag : undefined, setting };
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
  const provider = await createProvider(choice, catalog);
  return { provider, model: catalog.resolve(choice.model), isOffline: choice.provider === "offline" };
}

type Closing = {
  readonly engine: QueryEngine;
  readonly tools: ToolSet;
  readonly session: OpenedSession;
  readonly artifacts: ArtifactFolder;
  readonly sandbox: Sandbox;
};

function closing({ engine, tools, session, artifacts, sandbox }: Closing) {
  let closed: Promise<readonly string[]> | undefined;
  return () => {
    closed ??= (async () => {
      engine.interrupt();
      const ended = await tools.endBackgroundWork();
      await engine.close();
      await sandbox.close();
      session.close();
      artifacts.dispose();
      return ended;
    })();
    return closed;
  };
}
