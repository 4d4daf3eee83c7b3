import type { PermissionEngine } from "../contracts/permission.ts";
import type { Sandbox, Workspace } from "../contracts/ports.ts";
import type { ToolRegistry } from "../engine/tool-registry.ts";
import type { McpClient } from "../services/mcp/mcp-client.ts";
import type { Place } from "./open-place.ts";
import type { McpRequest } from "./wire-mcp.ts";

type Request = { readonly mcp?: McpRequest; readonly version: string; warn(line: string): void };
/** A server makes nothing in the workspace that others obey. */
const NOTHING = { makes: [], mayMakeMore: false };
const NEVER = new AbortController().signal;
type Connecting = {
  readonly place: Pick<Place, "env" | "settings">;
  readonly registry: ToolRegistry;
  readonly permissions: Pick<PermissionEngine, "hiddenTools">;
  readonly workspace: Workspace;
  readonly sandbox: Pick<Sandbox, "beginOutside">;
};

/** The servers of a session: nothing of theirs is loaded before there is one. */
export type LateServers = {
  /** Undefined as long as there was none. */
  readonly client: McpClient | undefined;
  /**
   * Starts those that the session began with; their tools stand beside the built-in ones from then on.
   * @throws {UserFacingError} (exit 2) a configuration can't be read.
   */
  open(): Promise<McpClient>;
};

export function lateServers(
  request: Request,
  { place, registry, permissions, workspace, sandbox }: Connecting,
): LateServers {
  let client: McpClient | undefined;
  let opening: Promise<McpClient> | undefined;
  const open = async () => {
    const { wireMcp } = await import("./wire-mcp.ts");
    const { env: environment, settings } = place;
    const { mcp = { configs: [], inProcess: [] }, version, warn } = request;
    const connected = await wireMcp({
      request: mcp,
      workspace,
      environment,
      settings,
      version,
      warn,
      beforeServer: async () => (await sandbox.beginOutside(NOTHING, mcp.signal ?? NEVER)).end(),
    });
    const offer = () => {
      const tools = connected.tools();
      const hidden = permissions.hiddenTools(tools.map(({ spec }) => spec.name));
      registry.setServerTools(tools.filter(({ spec }) => !hidden.has(spec.name)));
    };
    offer();
    connected.onChanged(offer);
    client = connected;
    return connected;
  };
  return {
    get client() {
      return client;
    },
    open: () => {
      opening ??= open();
      return opening;
    },
  };
}

/** Whether a session begins with servers. */
export function namesServers({ mcp }: Pick<Request, "mcp">): boolean {
  return mcp !== undefined && mcp.configs.length + mcp.inProcess.length > 0;
}
