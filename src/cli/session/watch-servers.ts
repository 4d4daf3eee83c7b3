import type { Session } from "../../app/session/session.ts";
import { AGENT_TOOL, type AgentDefinition } from "../../contracts/agent-definition.ts";
import type { McpResource, McpResourceTemplate, McpServers } from "../../contracts/mcp.ts";
import type { Mention } from "../../protocol/session-port.ts";
import type { SessionWatcher, SuggestMentions } from "../../protocol/surroundings-port.ts";
import type { McpClient } from "../../services/mcp/mcp-client.ts";

/** A word that a prompt can hold. */
const MENTION = /^@([^\s@:]+):(\S+)$/;

type NamedAgents = readonly Pick<AgentDefinition, "name" | "description">[];

/** The types of agents that a prompt can name. */
export function namedAgents({ main, delegation }: Pick<Session, "main" | "delegation">): NamedAgents {
  return main.registry.names.includes(AGENT_TOOL) ? delegation.types.all : [];
}

type Servers = Pick<McpServers, "states" | "onChanged"> & Pick<McpClient, "resources" | "completeUri">;

type Watched = {
  readonly servers: {
    /** True while the configuration of the servers is still to read. */
    readonly isExpecting: boolean;
    /** Resolves when the servers are known, or could not be read. */
    known(): Promise<void>;
    /** Calls back as soon as the session has servers. @returns the function that stops this. */
    onClient(listener: (mcp: Servers) => void): () => void;
  };
  /** The types of agents that a prompt can name. */
  readonly agents: NamedAgents;
};

/** Shows which servers are starting, and each failed one or one that needs a login: once for each reason. */
export function watchServers({ servers, agents }: Watched, watcher: SessionWatcher): () => void {
  const named = agents.map(({ name, description }) => ({ name: `@agent-${name}`, summary: description }));
  const mentions: SessionWatcher["mentions"] = (names, suggest) => watcher.mentions([...named, ...names], suggest);
  const told = { ...watcher, mentions };
  mentions([]);
  let unfollow = () => {};
  let isLoaded = !servers.isExpecting;
  // A first prompt that is entered at once waits for them too.
  if (!isLoaded) {
    told.starting(["MCP servers"]);
    void servers.known().then(() => {
      if (!isLoaded) told.starting([]);
    });
  }
  const unwait = servers.onClient((mcp) => {
    isLoaded = true;
    const look = showServers(mcp, told);
    look();
    unfollow = mcp.onChanged(look);
  });
  return () => {
    unwait();
    unfollow();
  };
}

function showServers(mcp: Servers, { notify, starting, mentions }: SessionWatcher): () => void {
  const told = new Map<string, string>();
  const suggest: SuggestMentions = async (word, signal) => {
    const [, server = "", typed = ""] = MENTION.exec(word) ?? [];
    const uris = await mcp.completeUri(server, typed, signal);
    return uris.map((uri) => ({ name: `@${server}:${uri}`, summary: "" })).filter(({ name }) => MENTION.test(name));
  };
  return () => {
    for (const { name, status, error = "" } of mcp.states) {
      // A server that reconnects still has the reason that was already reported.
      if (status === "pending") continue;
      const line = status === "failed" || status === "needs-auth" ? serverLine(name, status, error) : "";
      if (line !== "" && told.get(name) !== line) notify(line);
      told.set(name, line);
    }
    starting(mcp.states.filter(({ status, tools }) => status === "pending" && tools === 0).map(({ name }) => name));
    mentions(
      mcp
        .resources()
        .map(mentionOf)
        .filter(({ name }) => MENTION.test(name)),
      suggest,
    );
  };
}

/** A resource as a prompt names it. */
function mentionOf(one: McpResource | McpResourceTemplate): Mention {
  const uri = "uri" in one ? one.uri : one.uriTemplate;
  const about = [one.name === uri ? undefined : one.name, one.description].filter((part) => part !== undefined);
  return { name: `@${one.server}:${uri}`, summary: about.join(": ") };
}

function serverLine(name: string, status: "failed" | "needs-auth", error: string): string {
  const advice = status === "needs-auth" ? ` (here: /mcp login ${name})` : "";
  return `The MCP server "${name}" is not available${error === "" ? "." : `: ${error}`}${advice}`;
}
