import { join } from "node:path";
import type { Command } from "../../contracts/command.ts";
import { errorMessage } from "../../contracts/errors.ts";
import type { LeftOutServer } from "../../contracts/mcp.ts";
import type { Clock, Sandbox, Workspace } from "../../contracts/ports.ts";
import type { SourcedRegistry } from "../../contracts/registry.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import type { Tool } from "../../contracts/tool.ts";
import type { OrphanWatch } from "../../platform/processes/orphan-watch.ts";
import type { McpClient } from "../../services/mcp/mcp-client.ts";
import type { McpServerConfig } from "../../services/mcp/server-config.ts";
import { namesServers, type ServerPlace } from "./names-servers.ts";
import type { ProjectEnvironment } from "./project-environment.ts";
import type { FeatureParts, ServerFeatures } from "./server-features.ts";
import type { McpPorts } from "./wire-mcp.ts";

type Offering = Pick<Connecting, "offered" | "permissions" | "warn">;
type Request = {
  readonly config: Pick<SessionConfig, "mcp" | "isSaved" | "isBare" | "settingSources">;
  readonly ports: McpPorts | undefined;
};
/** An MCP server is not expected to create files in the workspace that other programs obey. */
const NOTHING = { makes: [], mayMakeMore: false };
const NEVER = new AbortController().signal;
type Connecting = FeatureParts & {
  readonly place: ServerPlace & Pick<ProjectEnvironment, "machine">;
  /** Receives the tokens of servers, so that no result shows them. */
  readonly laterSecrets: (() => readonly string[])[];
  readonly workspace: Workspace;
  readonly sandbox: Pick<Sandbox, "beginOutside">;
  readonly clock: Clock;
  readonly version: string;
  orphans(): Promise<OrphanWatch>;
  warn(line: string): void;
};

/** The servers of a session: the code for servers is loaded when the first server is added. */
export type LateServers = {
  /** Undefined until the first server is added. */
  readonly client: McpClient | undefined;
  /** Undefined until the first server is added. */
  readonly features: ServerFeatures | undefined;
  /** Keeps the prompts of the servers, also of later ones, in the registry of commands. */
  offerPrompts(registry: SourcedRegistry<Command>): void;
  /** Configured servers that do not start, and why. */
  readonly leftOut: readonly LeftOutServer[];
  /**
   * Starts the servers that the session begins with, if there are any. In a session without a screen, waits for them as
   * long as the settings say.
   * @throws {UserFacingError} (exit 2) an option can't be read; (exit 1) a required server is not available.
   */
  begin(): Promise<void>;
  /** Lets the servers of a session in the background start. */
  start(): void;
  /** The client, also of a session that began without a server. */
  open(): Promise<McpClient>;
};

export function lateServers({ config, ports = {} }: Request, connecting: Connecting): LateServers {
  const { place, warn } = connecting;
  const started = Promise.withResolvers<void>();
  const isInBackground = config.mcp?.isInBackground === true;
  let client: McpClient | undefined;
  let leftOut: readonly LeftOutServer[] = [];
  let features: ServerFeatures | undefined;
  let commands: SourcedRegistry<Command> | undefined;
  let opening: Promise<McpClient> | undefined;
  const connect = async (servers: readonly McpServerConfig[]) => {
    const { workspace, sandbox, version, orphans, laterSecrets } = connecting;
    const [{ wireMcp }, { connectFeatures, featureCallbacks }, { openMcpLogins }] = await serverCode();
    const logins = openMcpLogins({ env: place.env, own: place.own, os: place.machine.os });
    laterSecrets.push(() => logins.secrets());
    const connected = await wireMcp({
      servers,
      ports,
      workspace,
      environment: place.env,
      settings: place.settings,
      version,
      orphans,
      features: featureCallbacks(connecting),
      logins,
      ...(isInBackground && { begin: started.promise }),
      ...(config.isSaved && { sizesFile: join(place.own.cache, "mcp-tool-sizes.json") }),
      beforeServer: async () => (await sandbox.beginOutside(NOTHING, ports.signal ?? NEVER)).end(),
    });
    offerTools(connected, connecting);
    features = connectFeatures(connected, connecting, commands);
    client = connected;
    return connected;
  };
  const open = () => {
    opening ??= connect([]);
    return opening;
  };
  return {
    get client() {
      return client;
    },
    get leftOut() {
      return leftOut;
    },
    get features() {
      return features;
    },
    offerPrompts(registry) {
      commands = registry;
      features?.offerPrompts(registry);
    },
    async begin() {
      if (!config.mcp) return;
      if (!namesServers(config, place)) return;
      const { findServers } = await import("./find-servers.ts");
      const found = await findServers(config, place, ports.signal ?? NEVER);
      leftOut = found.leftOut;
      for (const warning of found.warnings) warn(warning);
      if (!isInBackground) for (const line of forPerson(found.leftOut)) warn(line);
      if (found.servers.length === 0) return;
      opening = connect(found.servers);
      const { signal = NEVER } = ports;
      const opened = await opening;
      if (isInBackground) return;
      const { waitForServers } = await import("./wait-for-servers.ts");
      await waitForServers(opened, { ...connecting, settings: place.settings, signal });
    },
    start: () => started.resolve(),
    open,
  };
}

function serverCode() {
  return Promise.all([import("./wire-mcp.ts"), import("./server-features.ts"), import("../open-mcp-logins.ts")]);
}

/** Servers that a person may expect to start; other reasons are shown in `/mcp` and `quoll mcp list` only. */
function forPerson(leftOut: readonly LeftOutServer[]): readonly string[] {
  return leftOut
    .filter(({ reason }) => reason === "forbidden")
    .map(({ name, why }) => `the MCP server ${JSON.stringify(name)} was left out: ${why}`);
}

/** Offers the tools of each server under the server's name, so that a name clash names both servers. */
function offerTools(client: McpClient, { offered, permissions, warn }: Offering): void {
  const known = new Map<string, readonly Tool[]>();
  const offer = () => {
    for (const { name } of client.states) if (!known.has(name)) known.set(name, []);
    for (const [name, before] of known) {
      const tools = client.toolsOf(name);
      if (tools === before) continue;
      known.set(name, tools);
      const hidden = permissions.hiddenTools(tools.map(({ spec }) => spec.name));
      const visible = tools.filter(({ spec }) => !hidden.has(spec.name));
      try {
        offered.set({ kind: "mcp", name }, visible);
      } catch (error) {
        warn(errorMessage(error));
      }
    }
  };
  offer();
  client.onChanged(offer);
}
