import { join } from "node:path";
import { type Hooks, NO_HOOKS } from "../contracts/hook.ts";
import type { PermissionMode } from "../contracts/permission.ts";
import type { Clock, Ids, ModelCatalog, Redactor, Sandbox, ServerPort, Workspace } from "../contracts/ports.ts";
import type { Provider } from "../contracts/provider.ts";
import type { Charge, SpendGuard, SpendSource } from "../contracts/spend.ts";
import systemPrompt from "../engine/prompt/system.md" with { type: "text" };
import { QueryEngine } from "../engine/query-engine.ts";
import type { OutputShape } from "../engine/structured-output.ts";
import { ToolRegistry } from "../engine/tool-registry.ts";
import { type ArtifactFolder, artifactFolder } from "../platform/artifact-folder.ts";
import { randomIds, systemClock } from "../platform/clock.ts";
import type { Directories } from "../platform/directories.ts";
import { checkedOutCommit } from "../platform/git/checked-out-commit.ts";
import { takeEndedCommands } from "../platform/processes/ended-commands.ts";
import { reduceImages } from "../services/compaction/reduce-images.ts";
import { resultStubs } from "../services/compaction/stub-results.ts";
import { rememberRules } from "../services/config/remember-rules.ts";
import { sessionContext } from "../services/context/session-context.ts";
import type { McpClient } from "../services/mcp/mcp-client.ts";
import { PermissionBroker } from "../services/permission/broker.ts";
import type { Answerer } from "../services/permission/confined-consent.ts";
import type { PermissionService } from "../services/permission/permission-engine.ts";
import { type AskingCatalog, modelCatalog } from "../services/provider/catalog.ts";
import { chooseProvider, type ProviderChoice } from "../services/provider/choose-provider.ts";
import { createProvider } from "../services/provider/create-provider.ts";
import type { Telemetry } from "../services/telemetry/create-telemetry.ts";
import {
  checkCaps,
  checkFallbacks,
  loadModel,
  type ModelAccess,
  modelNamed,
  providerPlaces,
  wantedModel,
} from "./choose-model.ts";
import { chooseTools } from "./choose-tools.ts";
import { lateServers, namesServers } from "./connect-servers.ts";
import type { ToolSet } from "./create-tools.ts";
import { notingSetup } from "./note-setup.ts";
import { openPlace, type Place, type PlaceRequest } from "./open-place.ts";
import { type OpenedSession, openSession } from "./open-session.ts";
import type { SessionOptions } from "./program.ts";
import { lazyTelemetry } from "./telemetry-lazily.ts";
import { wantedThinking } from "./wanted-thinking.ts";
import { WarmUp } from "./warm-up.ts";
import type { McpRequest } from "./wire-mcp.ts";
import { wirePermissions } from "./wire-permissions.ts";
import { type LazySandbox, lazyRedactor, lazySandbox } from "./wire-safety.ts";
import { chargesBefore, lazySpend } from "./wire-spend-lazily.ts";
import { endedCommandsFile, wireTools } from "./wire-tools.ts";

export type WireRequest = Pick<PlaceRequest, "askTrust"> & {
  readonly options: SessionOptions;
  readonly version: string;
  /** Who answers questions. */
  readonly answerer: Answerer;
  /** Tells the person one line. */
  warn(line: string): void;
  /** What a program that drives us hangs into the loop. */
  readonly hooks?: Hooks;
  /** The shape that each turn's answer must have. */
  readonly shape?: OutputShape;
  /** Servers of tools; nothing of theirs is loaded where there are none. */
  readonly mcp?: McpRequest;
  /** In place of our own system prompt, and behind it. */
  readonly systemPrompt?: { readonly instead?: string; readonly behind?: string };
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
  readonly place: Place;
  /** What the caps leave, for `/cost`. */
  readonly spend: Pick<ReturnType<typeof lazySpend>, "status">;
  /** Confined servers that are open to the person. */
  readonly ports: { list(): readonly ServerPort[]; askNext(): boolean };
  /** Undefined as long as there is no server. */
  readonly mcp: McpClient | undefined;
  /** The servers, for one to be added while the session runs. */
  openServers(): Promise<McpClient>;
  redactor(): Promise<Redactor>;
  /** Writes rules that allow into the user's own file for this project. @throws {UserFacingError} it can't be written. */
  rememberRules(rules: readonly string[]): Promise<void>;
  /** Ends the turn, background work and the session. @returns one phrase for each thing that still ran. */
  close(): Promise<readonly string[]>;
};

/** How requests are spaced when they are tried again. */
const TRIES = { clock: systemClock, random: Math.random } as const;

/**
 * The composition root: the only place that knows every part.
 * @throws {UserFacingError} something that the user can mend: a setting, an option, a missing key, a locked session.
 * @throws {LeftBeforeStart} the person chose to leave when asked about the folder.
 */
export async function wire(request: WireRequest): Promise<Wired> {
  const { options, version, warn } = request;
  const place = await openPlace(request);
  const { own, project } = place;
  const catalog = modelCatalog(place.settings);
  const access = providerPlaces(place);
  const choice = await chooseProvider({ ...wantedModel(options, place.settings), ...access });
  const warmUp = new WarmUp();
  const provider = await createProvider(choice, { ...TRIES, catalog, fetch: warmUp.fetch });
  await loadModel(choice, catalog);
  await checkCaps(choice.model, place, options, catalog);
  await checkFallbacks(options, access);

  const sessionsFolder = join(own.data, "sessions", project.id);
  const session = await openSession(options, {
    folder: sessionsFolder,
    cwd: project.cwd,
    version,
    clock: systemClock,
    ids: randomIds,
  });
  for (const warning of [...session.warnings, ...endedLines(own)]) warn(warning);
  const artifacts = artifactFolder(
    options.sessionPersistence ? join(sessionsFolder, session.log.sessionId) : undefined,
  );
  const telemetry = await lazyTelemetry({
    place,
    version,
    warn,
    catalog,
    sessionId: session.log.sessionId,
    isInteractive: request.askTrust !== undefined,
    redactor: lazyRedactor(place, access.keys),
  });
  try {
    const transcriptPath = options.sessionPersistence ? join(sessionsFolder, `${session.log.sessionId}.jsonl`) : "";
    const parts = { request, place, access, choice, catalog, session, artifacts, provider, transcriptPath, telemetry };
    const assembled = assemble({ ...parts, earlierCharges: await chargesBefore(session, own.data, warn) });
    const servers = lateServers(request, assembled);
    warmUp.prepare(assembled);
    const close = async () => {
      warmUp.stop();
      await servers.client?.close();
      return assembled.close();
    };
    if (namesServers(request)) {
      await servers.open().catch(async (error: unknown) => {
        await close();
        throw error;
      });
    }
    const remember = (rules: readonly string[]) => rememberRules(place.ownSettingsFile, rules);
    return {
      ...assembled,
      get mcp() {
        return servers.client;
      },
      openServers: () => servers.open(),
      close,
      rememberRules: remember,
      sessionsFolder,
      projectId: project.id,
      directories: own,
    };
  } catch (error) {
    session.close();
    artifacts.dispose();
    await telemetry?.close();
    throw error;
  }
}

function endedLines(own: Directories): readonly string[] {
  return takeEndedCommands(endedCommandsFile(own)).map(
    (line) => `Quoll was killed while this command ran; it was ended: ${line}`,
  );
}

type Opened = {
  readonly request: WireRequest;
  readonly place: Place;
  readonly access: ModelAccess;
  readonly choice: ProviderChoice;
  readonly catalog: AskingCatalog;
  readonly provider: Provider;
  readonly session: OpenedSession;
  readonly artifacts: ArtifactFolder;
  readonly transcriptPath: string;
  /** Undefined where nothing is sent. */
  readonly telemetry: Telemetry | undefined;
  /** What the session has spent in the processes before this one. */
  readonly earlierCharges: readonly Charge[];
};

type Later = "sessionsFolder" | "projectId" | "directories" | "mcp" | "openServers" | "rememberRules";
type Assembled = Omit<Wired, Later> & { readonly sandbox: LazySandbox };

/** Puts the parts of an opened session together. */
function assemble(opened: Opened): Assembled {
  const { request, place, choice, catalog, session, artifacts, telemetry } = opened;
  const { workspace } = place;
  const canAsk = request.answerer !== "nobody";
  const told = (provider: Provider, source: SpendSource) => telemetry?.watchProvider(provider, source) ?? provider;
  const [judge, provider] = [told(opened.provider, "judge"), told(opened.provider, "main")];
  const broker = new PermissionBroker();
  const late: Late = {};
  const warn = lineTeller(request, late);
  const asker = broker.asker(canAsk);
  const sandbox = lazySandbox(place, artifacts, { warn, asker, rules: () => permissions.pathRules() });
  const redactor = lazyRedactor(place, opened.access.keys);
  const judging = { provider: judge, model: choice.model, isOffline: choice.provider === "offline" };
  const spend = lazySpend({
    data: place.own.data,
    projectRoot: place.project.root,
    settings: place.settings,
    maxBudgetUsd: request.options.maxBudgetUsd,
    catalog,
    sessionId: session.log.sessionId,
    isResumed: session.restored !== undefined,
    startedAt: session.restored?.startedAt,
    asker,
    notice: warn,
  });
  const surroundings = { place, broker, artifacts, sandbox, warn, answerer: request.answerer };
  const permissions = wirePermissions({
    ...surroundings,
    settingSources: request.options.settingSources,
    judging: { model: () => judging, spend },
    userWords: () => late.engine?.prompts ?? [],
  });
  const setMode = (mode: PermissionMode) => late.engine?.setMode(mode);
  const tools = wireTools({ ...request, warn, place, permissions, broker, artifacts, sandbox, redactor, setMode });
  const registry = new ToolRegistry(chooseTools(request, tools.tools, permissions));
  const selectModel = async (name: string) => {
    const selected = await modelNamed(name, opened.access, catalog);
    await checkCaps(selected.model, place, request.options, catalog);
    Object.assign(judging, { ...selected, provider: told(selected.provider, "judge") });
    return { ...selected, provider: told(selected.provider, "main") };
  };
  const engine = createEngine({
    ...opened,
    provider,
    permissions,
    broker,
    tools,
    registry,
    redactor,
    selectModel,
    spend,
    now: judging,
  });
  late.engine = engine;
  if (telemetry) engine.subscribe(telemetry.observe);
  telemetry?.tellFirstLoss(warn);
  const closeAll = closing({ engine, tools, session, artifacts, sandbox, spend, telemetry });
  const close = () => {
    late.isClosing = true;
    return closeAll();
  };
  const shared = { place, spend, clock: systemClock, ids: randomIds, catalog, workspace, session, choice, artifacts };
  const ports = { list: () => tools.openPorts(), askNext: () => tools.askNextPorts() };
  return { ...shared, engine, permissions, sandbox, registry, redactor, ports, close };
}

type Late = { engine?: QueryEngine; isClosing?: boolean };

/** Where somebody reads a conversation, what is worth a line belongs into it, as long as it is not being closed. */
function lineTeller({ answerer, options, warn }: WireRequest, late: Late): (line: string) => void {
  const isAnswered = answerer !== "nobody";
  const isRead = isAnswered || options.outputFormat === "stream-json";
  return (line) => {
    const engine = isRead && !late.isClosing ? late.engine : undefined;
    engine?.tell(line);
    if (!engine || !isAnswered) warn(line);
  };
}

type EngineParts = Opened & {
  readonly permissions: PermissionService;
  readonly broker: PermissionBroker;
  readonly tools: ToolSet;
  readonly registry: ToolRegistry;
  redactor(): Promise<Redactor>;
  selectModel(name: string): Promise<{ readonly provider: Provider; readonly model: string }>;
  readonly spend: SpendGuard;
  /** The model that was chosen last. */
  readonly now: { readonly model: string };
};

function createEngine(parts: EngineParts): QueryEngine {
  const { request, place, choice, catalog, provider, session, artifacts, permissions, broker, tools } = parts;
  const { workspace, project, machine } = place;
  const { maxTurns, fallbackModel, effort, bare } = request.options;
  const thinking = wantedThinking(request.options, place.settings, place.env);
  return new QueryEngine(
    {
      catalog,
      clock: systemClock,
      ids: randomIds,
      log: notingSetup(session.log, () => ({
        cwd: project.cwd,
        mode: permissions.mode,
        model: parts.now.model,
        tools: parts.registry.names,
        platform: machine.platform,
        version: request.version,
        ...headOf(project.cwd),
      })),
      permissions: parts.telemetry?.watchPermissions(permissions) ?? permissions,
      questions: broker,
      tools: parts.registry,
      artifacts,
      redactor: parts.redactor,
      cwd: () => workspace.cwd,
      system: systemText(request.systemPrompt),
      spend: parts.spend,
      hooks: request.hooks ?? NO_HOOKS,
      asker: broker.asker(request.answerer !== "nobody"),
      compactor: resultStubs(),
      reduceImages,
      transcriptPath: parts.transcriptPath,
      describeSession: async () =>
        sessionContext({
          cwd: workspace.cwd,
          projectRoot: project.root,
          platform: machine.platform,
          clock: systemClock,
          questions:
            permissions.mode === "bypassPermissions"
              ? "never asked"
              : request.answerer === "nobody"
                ? "unanswered"
                : "answered",
          instructions: !bare,
          isHidden: (path) => workspace.isBroad || permissions.isHidden(path),
        }),
      selectModel: parts.selectModel,
      forgetFiles: () => tools.forgetFiles(),
      endBackgroundWork: () => tools.endBackgroundWork(),
    },
    {
      provider,
      model: choice.model,
      ...(session.restored && { restored: session.restored }),
      earlierCharges: parts.earlierCharges,
      ...(maxTurns !== undefined && { maxSteps: maxTurns }),
      ...(fallbackModel && { fallbackModels: fallbackModel }),
      ...(effort !== undefined && { effort }),
      ...(thinking !== undefined && { thinking }),
      ...(request.shape && { shape: request.shape }),
    },
  );
}

function headOf(folder: string): { readonly head?: string } {
  const head = checkedOutCommit(folder);
  return head === undefined ? {} : { head };
}

function systemText({ instead, behind }: NonNullable<WireRequest["systemPrompt"]> = {}): string {
  const own = instead ?? systemPrompt.trim();
  return behind === undefined ? own : `${own}\n\n${behind}`;
}

type Closing = {
  readonly engine: QueryEngine;
  readonly tools: ToolSet;
  readonly session: OpenedSession;
  readonly artifacts: ArtifactFolder;
  readonly sandbox: Sandbox;
  readonly spend: SpendGuard;
  readonly telemetry: Telemetry | undefined;
};

function closing({ engine, tools, session, artifacts, sandbox, spend, telemetry }: Closing) {
  let closed: Promise<readonly string[]> | undefined;
  return () => {
    closed ??= (async () => {
      engine.interrupt();
      try {
        const ended = await tools.endBackgroundWork();
        await engine.close();
        return ended;
      } finally {
        // A log that can't be written keeps nothing else open.
        await Promise.allSettled([spend.close(), sandbox.close()]);
        session.close();
        artifacts.dispose();
        await telemetry?.close();
      }
    })();
    return closed;
  };
}
