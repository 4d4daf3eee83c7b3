import { join } from "node:path";
import { atMost } from "@quoll/async/at-most";
import { lazy } from "@quoll/async/lazy";
import { oneLine } from "@quoll/terminal-text/one-line";
import type { Command } from "../../contracts/command.ts";
import { errorMessage } from "../../contracts/errors.ts";
import type { FileStamp } from "../../contracts/files.ts";
import type { LeftOutServer, McpScope } from "../../contracts/mcp.ts";
import type { McpReload } from "../../contracts/mcp-view.ts";
import type { SourcedRegistry } from "../../contracts/registry.ts";
import type { SpendGuard } from "../../contracts/spend.ts";
import { shortPath } from "../../platform/directories.ts";
import { isSameState, readStamp } from "../../platform/files/file-stamp.ts";
import type { McpServerConfig } from "../../services/mcp/config/server-config.ts";
import type { McpClient } from "../../services/mcp/mcp-client.ts";
import type { MainFolders } from "../agent/main-folders.ts";
import type { Agent } from "../agent/open-agent.ts";
import type { ProjectEnvironment } from "../session/project-environment.ts";
import type { SessionParts } from "../session/session-parts.ts";
import { checkServerValues } from "./check-server-values.ts";
import type { FoundServers } from "./find-servers.ts";
import { hookedPorts } from "./hooked-elicit.ts";
import { filesOfServers, namesServers } from "./names-servers.ts";
import { offerServerTools } from "./offer-server-tools.ts";
import type { ServerFeatures } from "./server-features.ts";
import type { McpPorts } from "./wire-mcp.ts";

/** An MCP server is not expected to create files in the workspace that other programs obey. */
const NOTHING = { makes: [], mayMakeMore: false };
const MAX_NAME_COLUMNS = 60;
const RELOAD_WAIT_MS = 5_000;
const NO_SERVERS = { configs: [], inProcess: [] };
/** The scopes whose files are read again. */
const FILE_SCOPES = ["managed", "local", "project", "user", "plugin"] as const satisfies readonly McpScope[];
const NEVER = new AbortController().signal;

type Connecting = {
  /** The agent whose model gets the tools of the servers. */
  readonly main: Agent;
  /** Servers belong to the folders in which the session began. */
  readonly folders: MainFolders;
  readonly spend: SpendGuard;
  /** Receives the tokens of servers, so that no result shows them. */
  readonly laterSecrets: (() => readonly string[])[];
  readonly ports: { readonly mcp?: McpPorts; startupWarning(line: string): void };
};

/** The servers of a session: the code for servers is loaded when the first server is added. */
export type LateServers = {
  /** Undefined until the first server is added. */
  readonly client: McpClient | undefined;
  /** Undefined until the first server is added. */
  readonly features: ServerFeatures | undefined;
  /** Keeps the servers' prompts in the registry of commands, including prompts that are added later. */
  offerPrompts(registry: SourcedRegistry<Command>): void;
  /** True until the initial servers of the session are known. */
  readonly isExpecting: boolean;
  /** Configured servers that do not start, with the reasons. */
  readonly leftOut: readonly LeftOutServer[];
  /**
   * Starts the initial servers of the session, if there are any. In a session without a screen, waits for the servers
   * as long as the settings allow.
   * @throws {UserFacingError} (exit 2) an option can't be read; (exit 1) a required server is not available.
   */
  begin(): Promise<void>;
  /** Starts the servers of a session in the background. */
  start(): void;
  /** Resolves when the servers of the session are known, although they may not be connected yet. Never rejects. */
  known(): Promise<void>;
  /** Opens the client, also in a session that began without a server. */
  open(): Promise<McpClient>;
  /** Calls back with the client as soon as it exists. @returns the function that removes the callback. */
  onClient(listener: (client: McpClient) => void): () => void;
  /** Tells the person once if a file of servers has changed since it was read. */
  noticeChanges(): Promise<void>;
  /**
   * Reads the files of servers again, and changes the servers accordingly. Waits a few seconds for the new servers to
   * start.
   * @param scopes The scopes whose servers change; by default all scopes of files and plugins.
   */
  reload(scopes?: readonly McpScope[]): Promise<McpReload>;
  /** Ends the servers, including servers that have not started yet. Never rejects. */
  close(): Promise<void>;
};

/** Makes the servers of a session; `begin` starts them. */
export function lateServers(connecting: Connecting): LateServers {
  return new SessionServers(connecting);
}

class SessionServers implements LateServers {
  readonly #connecting: Connecting;
  readonly #session: SessionParts;
  /** The folders in which the session began. */
  readonly environment: ProjectEnvironment;
  readonly #ports: McpPorts;
  /** A background session uses its servers only after this promise resolves. */
  readonly #started = Promise.withResolvers<void>();
  /** True if a file or an option names servers, which a background session reads after the first frame. */
  isExpecting = false;
  readonly known = lazy(() => this.#openFirst());
  #isClosed = false;
  readonly #waiting = new Set<(client: McpClient) => void>();
  readonly #isInBackground: boolean;
  client: McpClient | undefined;
  leftOut: readonly LeftOutServer[] = [];
  /** Names of changed servers that the person was told about. */
  readonly #notified = new Set<string>();
  #isChanged: FoundServers["isChanged"] = () => false;
  features: ServerFeatures | undefined;
  #commands: SourcedRegistry<Command> | undefined;
  #opening: Promise<McpClient> | undefined;
  /**
   * The states of the configuration files when they were read; undefined before the first turn of a session without
   * servers.
   */
  #stamps: ReadonlyMap<string, FileStamp | undefined> | undefined;

  constructor(connecting: Connecting) {
    const { main, folders, ports } = connecting;
    this.#connecting = connecting;
    this.#session = main.session;
    this.environment = folders.start.environment;
    this.#ports = hookedPorts(ports.mcp, this.#session, this.environment);
    this.#isInBackground = this.#session.config.mcp?.isInBackground === true;
  }

  offerPrompts(registry: SourcedRegistry<Command>): void {
    this.#commands = registry;
    this.features?.offerPrompts(registry);
  }

  async begin(): Promise<void> {
    const environment = this.environment;
    const { app, config } = this.#session;
    const { mcp } = config;
    if (!mcp || !namesServers(config, environment)) return;
    if (this.#isInBackground) {
      await checkServerValues(
        mcp.configs,
        { cwd: environment.workspace.cwd, environment: environment.env },
        this.#signal,
      );
      this.isExpecting = true;
      return;
    }
    const found = await this.#find();
    for (const line of [...found.warnings, ...forPerson(found.leftOut)]) this.#connecting.ports.startupWarning(line);
    if (found.servers.length === 0) return;
    const opened = await this.#openWith(found.servers);
    const { waitForServers } = await import("./wait-for-servers.ts");
    await waitForServers(opened, { clock: app.clock, settings: environment.settings, signal: this.#signal });
  }

  start(): void {
    this.#started.resolve();
    void this.known();
  }

  /** Reads the configuration and starts the servers that it names. Never rejects. */
  async #openFirst(): Promise<void> {
    if (!this.isExpecting) return;
    await this.#started.promise;
    try {
      if (this.#isClosed) return;
      const { servers, warnings } = await this.#find();
      for (const warning of warnings) this.#session.notices.notify(warning);
      if (servers.length > 0 && !this.#isClosed) await this.#openWith(servers);
    } catch (error) {
      this.#session.notices.notify(`The MCP servers were not started: ${errorMessage(error)}`);
    } finally {
      this.isExpecting = false;
    }
  }

  async open(): Promise<McpClient> {
    await this.known();
    return this.#openWith([]);
  }

  /** Creates the only client, which begins with these servers. */
  #openWith(servers: readonly McpServerConfig[]): Promise<McpClient> {
    this.#opening ??= this.#connect(servers);
    return this.#opening;
  }

  onClient(listener: (client: McpClient) => void): () => void {
    if (this.client) listener(this.client);
    else this.#waiting.add(listener);
    return () => this.#waiting.delete(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#started.resolve();
    await this.known.begun;
    await this.#opening?.catch(() => undefined);
    await this.client?.close();
  }

  async reload(scopes: readonly McpScope[] = FILE_SCOPES): Promise<McpReload> {
    const found = await this.#find();
    const opened = await this.open();
    const isMeant = ({ scope, name }: McpServerConfig) =>
      scopes === FILE_SCOPES || scopes.includes(scope ?? "flag") || opened.states.some((one) => one.name === name);
    const changes = await opened.sync(found.servers.filter(isMeant), scopes);
    await this.#settledSoon(opened);
    return { ...changes, warnings: found.warnings };
  }

  /** Waits a short time for starting servers: a server that never answers must not delay the person. */
  async #settledSoon(client: McpClient): Promise<void> {
    await atMost(client.settled(), RELOAD_WAIT_MS, { clock: this.#session.app.clock });
  }

  async noticeChanges(): Promise<void> {
    const { mcp, isBare } = this.#session.config;
    if (!mcp || mcp.isStrict || isBare) return;
    const before = this.#stamps;
    const now = await this.#readStamps();
    const changed = [...now].filter(([file, stamp]) => before && !isSameState(before.get(file), stamp));
    this.#stamps = now;
    for (const [file] of changed)
      this.#session.notices.notify(`${shortPath(file, this.environment.own.home)} has changed: /mcp reload uses it.`);
  }

  async #readStamps(): Promise<ReadonlyMap<string, FileStamp | undefined>> {
    const files = Object.values(filesOfServers(this.environment));
    const stamps = await Promise.all(files.map((file) => readStamp(file).catch(() => undefined)));
    return new Map(files.map((file, at) => [file, stamps[at]]));
  }

  get #signal(): AbortSignal {
    return this.#ports.signal ?? NEVER;
  }

  async #find(): Promise<FoundServers> {
    this.#stamps = await this.#readStamps();
    const { findServers } = await import("./find-servers.ts");
    const { config } = this.#session;
    const found = await findServers({ ...config, mcp: config.mcp ?? NO_SERVERS }, this.environment, this.#signal);
    this.leftOut = found.leftOut;
    this.#isChanged = found.isChanged;
    return found;
  }

  /** Reports each changed server once. */
  #isChangedServer(server: McpServerConfig): boolean {
    if (!this.#isChanged(server)) return false;
    const { name, scope } = server;
    const next =
      scope === "plugin"
        ? "The next start names the command that restores the plugin."
        : "You are asked about it at the next start.";
    if (!this.#notified.has(name))
      this.#session.notices.notify(
        `The MCP server ${oneLine(name, MAX_NAME_COLUMNS)} was not started: a file that it names has changed since you approved it. ${next}`,
      );
    this.#notified.add(name);
    return true;
  }

  async #connect(servers: readonly McpServerConfig[]): Promise<McpClient> {
    const { main, folders, spend, laterSecrets, ports } = this.#connecting;
    const { app, config, notices, work } = this.#session;
    const environment = this.environment;
    // Once there is a screen, warnings from the startup are no longer shown.
    const notify = this.#isInBackground ? notices.notify : ports.startupWarning;
    const [{ wireMcp }, { connectFeatures, featureCallbacks }, { openMcpLogins }] = await serverCode();
    const logins = openMcpLogins({ env: environment.env, own: environment.own, os: environment.machine.os });
    laterSecrets.push(() => logins.secrets());
    const connected = await wireMcp({
      servers,
      ports: this.#ports,
      workspace: main.workspace,
      environment,
      version: app.version,
      orphans: work.orphans.watch,
      logins,
      ofSession: {
        features: featureCallbacks(main, spend),
        sizesFile: config.isSaved ? join(environment.own.cache, "mcp-tool-sizes.json") : undefined,
        isChanged: (server) => this.#isChangedServer(server),
        beforeServer: async () => (await folders.sandbox.beginUnconfined(NOTHING, this.#signal)).end(),
      },
    });
    offerServerTools(connected, main, notify);
    this.features = connectFeatures(connected, { main, leftOut: () => this.leftOut, notify }, this.#commands);
    this.client = connected;
    for (const listener of this.#waiting) listener(connected);
    this.#waiting.clear();
    return connected;
  }
}

function serverCode() {
  return Promise.all([import("./wire-mcp.ts"), import("./server-features.ts"), import("../open-mcp-logins.ts")]);
}

/** Servers that a person may expect to start; only `/mcp` and `quoll mcp list` show other reasons. */
function forPerson(leftOut: readonly LeftOutServer[]): readonly string[] {
  return leftOut
    .filter(({ reason }) => reason === "forbidden")
    .map(({ name, why }) => `the MCP server ${JSON.stringify(name)} was left out: ${why}`);
}
