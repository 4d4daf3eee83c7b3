import type { McpClient } from "../services/mcp/mcp-client.ts";
import type { Wired, WireRequest } from "./wire.ts";

type Connecting = Pick<Wired, "place" | "registry" | "permissions" | "workspace">;

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
  request: WireRequest,
  { place, registry, permissions, workspace }: Connecting,
): LateServers {
  let client: McpClient | undefined;
  let opening: Promise<McpClient> | undefined;
  const open = async () => {
    const { wireMcp } = await import("./wire-mcp.ts");
    const { env: environment, settings } = place;
    const { mcp = { configs: [], inProcess: [] }, version, warn } = request;
    const connected = await wireMcp({ request: mcp, workspace, environment, settings, version, warn });
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
export function namesServers({ mcp }: WireRequest): boolean {
  return mcp !== undefined && mcp.configs.length + mcp.inProcess.length > 0;
}
