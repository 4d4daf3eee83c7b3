import { join } from "node:path";
import { errorMessage } from "../../contracts/errors.ts";
import type { PermissionEngine } from "../../contracts/permission.ts";
import type { Sandbox, Workspace } from "../../contracts/ports.ts";
import type { SourcedRegistry } from "../../contracts/registry.ts";
import type { SessionConfig } from "../../contracts/session-config.ts";
import type { Tool } from "../../contracts/tool.ts";
import type { ModelTools } from "../../engine/model-tools.ts";
import type { QueryEngine } from "../../engine/query-engine.ts";
import type { OrphanWatch } from "../../platform/processes/orphan-watch.ts";
import type { McpClient } from "../../services/mcp/mcp-client.ts";
import type { ProjectEnvironment } from "./project-environment.ts";
import type { McpPorts } from "./wire-mcp.ts";

type Offering = Pick<Connecting, "offered" | "permissions" | "warn">;
type Request = { readonly config: Pick<SessionConfig, "mcp" | "isSaved">; readonly ports: McpPorts | undefined };
/** An MCP server is not expected to create files in the workspace that other programs obey. */
const NOTHING = { makes: [], mayMakeMore: false };
const NEVER = new AbortController().signal;
type HasTool = (prefix: string) => boolean;
type Connecting = {
  readonly place: Pick<ProjectEnvironment, "env" | "settings" | "own">;
  /** The registry in which the servers' tools join the built-in tools. */
  readonly offered: SourcedRegistry<Tool>;
  readonly permissions: Pick<PermissionEngine, "hiddenTools">;
  readonly engine: QueryEngine;
  readonly registry: Pick<ModelTools, "names">;
  readonly workspace: Workspace;
  readonly sandbox: Pick<Sandbox, "beginOutside">;
  readonly version: string;
  orphans(): Promise<OrphanWatch>;
  warn(line: string): void;
};

/** The servers of a session: the code for servers is loaded when the first server is added. */
export type LateServers = {
  /** Undefined until the first server is added. */
  readonly client: McpClient | undefined;
  /** The instructions of the connected servers, as one block; empty without any. */
  texts(hasTool: (prefix: string) => boolean): string;
  /**
   * Starts the servers that the session began with; their tools then join the built-in tools.
   * @throws {UserFacingError} (exit 2) a configuration can't be read.
   */
  open(): Promise<McpClient>;
};

export function lateServers(
  { config, ports = {} }: Request,
  { place, offered, permissions, workspace, sandbox, version, warn, orphans, engine, registry }: Connecting,
): LateServers {
  let client: McpClient | undefined;
  let textsOf: ((hasTool: HasTool) => string) | undefined;
  let opening: Promise<McpClient> | undefined;
  const open = async () => {
    const [{ wireMcp }, { tellServerTexts, textsFor }] = await Promise.all([
      import("./wire-mcp.ts"),
      import("./tell-server-texts.ts"),
    ]);
    const { env: environment, settings, own } = place;
    const connected = await wireMcp({
      servers: config.mcp ?? { configs: [], inProcess: [] },
      ports,
      workspace,
      environment,
      settings,
      version,
      warn,
      orphans,
      ...(config.isSaved && { sizesFile: join(own.cache, "mcp-tool-sizes.json") }),
      beforeServer: async () => (await sandbox.beginOutside(NOTHING, ports.signal ?? NEVER)).end(),
    });
    offerTools(connected, { offered, permissions, warn });
    const hasTool = (prefix: string) => registry.names.some((name) => name.startsWith(prefix));
    tellServerTexts({ client: connected, engine, hasTool });
    textsOf = (visible) => textsFor(connected, visible);
    client = connected;
    return connected;
  };
  return {
    get client() {
      return client;
    },
    texts: (hasTool) => textsOf?.(hasTool) ?? "",
    open: () => {
      opening ??= open();
      return opening;
    },
  };
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

/** True if a session begins with servers. */
export function namesServers({ mcp }: Pick<SessionConfig, "mcp">): boolean {
  return mcp !== undefined && mcp.configs.length + mcp.inProcess.length > 0;
}
