import { plainText } from "@quoll/terminal-text/plain-text";
import type { McpServerContents, McpView } from "../../contracts/mcp-view.ts";
import { declarationTokens } from "../../contracts/tool-offer.ts";
import type { McpClient } from "../../services/mcp/mcp-client.ts";
import { argumentHint } from "../../services/mcp/prompts/prompt-arguments.ts";
import type { Agent } from "../agent/open-agent.ts";
import type { LateServers } from "./connect-servers.ts";
import type { ServerEnvironment } from "./names-servers.ts";
import { ServerLogins } from "./server-logins.ts";

type Parts = {
  readonly main: Pick<Agent, "registry" | "offered">;
  readonly environment: ServerEnvironment;
  readonly servers: LateServers;
};

/** The maximum number of stderr lines of a server that a person sees. */
const MAX_STDERR_LINES = 200;

/** The servers of a session in the form in which `/mcp` shows and changes them. */
export function mcpView({ main, environment, servers }: Parts): McpView {
  const logins = new ServerLogins(() => servers.client);
  return {
    known: () => servers.known(),
    states: () => servers.client?.states ?? [],
    leftOut: () => servers.leftOut,
    tools() {
      const deferred = new Set(main.registry.deferred.map(({ spec }) => spec.name));
      return main.offered.entries
        .filter(({ source }) => source.kind === "mcp")
        .map(({ name, value: { spec } }) => ({
          name,
          summary: spec.summary,
          tokens: declarationTokens(spec),
          isDeferred: deferred.has(name),
        }));
    },
    contents: (name) => contentsOf(name, servers.client),
    reconnect: async (name) => (await servers.client?.reconnect(name)) ?? false,
    setEnabled: async (name, isEnabled) => (await servers.client?.setEnabled(name, isEnabled)) ?? false,
    logIn: (name, waiting, signal) => logins.logIn(name, waiting, signal),
    pasteLogin: (name, address) => logins.paste(name, address),
    async logOut(name, signal) {
      const { client } = servers;
      if (!client) throw new Error("there are no MCP servers");
      return client.logOut(name, signal);
    },
    reload: () => servers.reload(),
    pendingApproval: async (name) => (await import("./server-approval.ts")).pendingApproval(name, environment),
    async approve(name, mark) {
      const { approveServer } = await import("./server-approval.ts");
      const { isApproved, problem } = await approveServer({ name, mark }, environment);
      if (isApproved) await servers.reload();
      return { isApproved, ...(problem !== undefined && { problem }) };
    },
  };
}

function contentsOf(name: string, client: McpClient | undefined): McpServerContents {
  const prompts = client?.prompts() ?? [];
  const lines = plainText(client?.stderrOf(name) ?? "").split("\n");
  return {
    resources: client?.resources().filter(({ server }) => server === name) ?? [],
    prompts: prompts.flatMap(({ command, prompt }) => {
      if (prompt.server !== name) return [];
      const { description } = prompt;
      const hint = argumentHint(prompt);
      return { command, ...(hint !== undefined && { hint }), ...(description !== undefined && { description }) };
    }),
    stderr: lines.filter((line) => line.trim() !== "").slice(-MAX_STDERR_LINES),
  };
}
