import type { SessionServers } from "../faces/headless/control-requests.ts";
import type { Wired } from "./wire.ts";

/** The servers of a session as a program may change them; the first may come while it runs. */
export function sessionServers(wired: Wired, warn: (line: string) => void): SessionServers {
  return {
    get states() {
      return wired.mcp?.states ?? [];
    },
    tools: () => wired.mcp?.tools() ?? [],
    reconnect: async (name) => (await wired.mcp?.reconnect(name)) ?? false,
    setEnabled: async (name, enabled) => (await wired.mcp?.setEnabled(name, enabled)) ?? false,
    receive: (server, message) => wired.mcp?.receive(server, message) ?? false,
    exchange: async (servers) => {
      const { namedServers } = await import("./wire-mcp.ts");
      const configs = namedServers(servers, { environment: wired.place.env, warn });
      return (await wired.openServers()).exchange(configs);
    },
  };
}
