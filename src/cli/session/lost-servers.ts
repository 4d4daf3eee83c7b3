import type { Session } from "../../app/session/open-session.ts";
import type { McpServerState } from "../../contracts/mcp.ts";

const MAX_NAMED_SERVERS = 10;

/** Names missing servers, at most one line of each kind, since there is no screen with a list of them. */
export function lostServers({ mcp }: Pick<Session, "mcp">): readonly string[] {
  const states = mcp?.states ?? [];
  const pending = states.filter(({ status }) => status === "pending").map(({ name }) => JSON.stringify(name));
  const lost = states.filter(isLost);
  const [first] = lost;
  const why = ({ error, status }: McpServerState) => error ?? status;
  return [
    ...(pending.length === 1
      ? [`the MCP server ${pending[0]} is still starting: the run continues without its tools until it answers`]
      : []),
    ...(pending.length > 1
      ? [`${listed(pending)} are still starting: the run continues without their tools until they answer`]
      : []),
    ...(first && lost.length === 1
      ? [`the MCP server ${JSON.stringify(first.name)} is not available: ${why(first)}`]
      : []),
    ...(lost.length > 1
      ? [
          `${lost.length} MCP servers are not available: ${named(lost.map((one) => `${JSON.stringify(one.name)} (${why(one)})`))}`,
        ]
      : []),
  ];
}

function listed(servers: readonly string[]): string {
  return `${servers.length} MCP servers, ${named(servers)},`;
}

function named(servers: readonly string[]): string {
  const more = servers.length - MAX_NAMED_SERVERS;
  return `${servers.slice(0, MAX_NAMED_SERVERS).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/**
 * Reports the first loss of each server that was connected, or was still starting when the run began.
 * @returns the function that stops this.
 */
export function watchServerLosses({ onServers }: Pick<Session, "onServers">, warn: (line: string) => void): () => void {
  const ends: (() => void)[] = [];
  ends.push(
    onServers((client) => {
      const told = new Set(client.states.filter(isLost).map(({ name }) => name));
      const connected = new Set<string>();
      const look = () => {
        for (const state of client.states) {
          const { name, status, error } = state;
          if (status === "connected") connected.add(name);
          if (!isLost(state) || told.has(name)) continue;
          told.add(name);
          warn(
            `the MCP server ${JSON.stringify(name)} ${connected.has(name) ? "was lost" : "is not available"}: ${error ?? status}`,
          );
        }
      };
      look();
      ends.push(client.onChanged(look));
    }),
  );
  return () => {
    for (const end of ends) end();
  };
}

function isLost({ status }: McpServerState): boolean {
  return status === "failed" || status === "needs-auth";
}
