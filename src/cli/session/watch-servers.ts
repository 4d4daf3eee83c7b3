import type { McpServers } from "../../contracts/mcp.ts";
import type { ReplWatcher } from "../../faces/repl/repl-props.ts";

type Place = {
  readonly mcp: Pick<McpServers, "states" | "onChanged"> | undefined;
  /** Calls back once, as soon as the confinement of commands is known. */
  readonly onSandbox: (changed: () => void) => void;
};

/** Shows which servers are starting, and each failed one or one that needs a login: once for each reason. */
export function watchServers({ mcp, onSandbox }: Place, { warn, starting, changed }: ReplWatcher): () => void {
  const told = new Map<string, string>();
  const look = () => {
    for (const { name, status, error = "" } of mcp?.states ?? []) {
      // A server that is reconnected has the same reason again, which was told already.
      if (status === "pending") continue;
      const line = status === "failed" || status === "needs-auth" ? serverLine(name, status, error) : "";
      if (line !== "" && told.get(name) !== line) warn(line);
      told.set(name, line);
    }
    starting(
      (mcp?.states ?? []).filter(({ status, tools }) => status === "pending" && tools === 0).map(({ name }) => name),
    );
  };
  onSandbox(changed);
  look();
  return mcp?.onChanged(look) ?? (() => undefined);
}

function serverLine(name: string, status: "failed" | "needs-auth", error: string): string {
  const advice = status === "needs-auth" ? ` (here: /mcp login ${name})` : "";
  return `The MCP server "${name}" is not available${error === "" ? "." : `: ${error}`}${advice}`;
}
