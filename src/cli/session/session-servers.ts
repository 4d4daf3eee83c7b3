import type { Session } from "../../app/session/open-session.ts";
import type { SessionServers } from "../../faces/headless/control-requests.ts";

/** The servers of a session as a program may change them; the first may come while it runs. */
export function sessionServers(session: Session, warn: (line: string) => void): SessionServers {
  return {
    get states() {
      return session.mcp?.states ?? [];
    },
    tools: () => session.mcp?.tools() ?? [],
    reconnect: async (name) => (await session.mcp?.reconnect(name)) ?? false,
    setEnabled: async (name, enabled) => (await session.mcp?.setEnabled(name, enabled)) ?? false,
    receive: (server, message) => session.mcp?.receive(server, message) ?? false,
    exchange: async (servers) => {
      const { namedServers } = await import("../../app/session/wire-mcp.ts");
      const configs = namedServers(servers, { environment: session.place.env, warn });
      return (await session.openServers()).exchange(configs);
    },
  };
}
