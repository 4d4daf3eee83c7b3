import type { ServerRule } from "../../../contracts/settings.ts";
import type { McpServerConfig } from "../config/server-config.ts";

export type ServerPolicy = {
  /** The allow list; undefined if every server is allowed. An empty list allows no server. */
  readonly allowed?: readonly ServerRule[];
  readonly denied?: readonly ServerRule[];
};

/**
 * Checks a server against the administrator's lists. A deny rule always wins. If the allow list has rules about
 * commands, a local program must match one of them, and a matching name is not enough; the same applies to addresses of
 * remote servers. (Source: Claude Code's page about managed MCP servers.)
 * @returns the reason why the server is forbidden, or undefined.
 */
export function forbiddenBy(config: McpServerConfig, { allowed, denied = [] }: ServerPolicy): string | undefined {
  // A server in the program that drives Quoll is a part of that program.
  if (config.kind === "sdk") return undefined;
  if (denied.some((rule) => matches(rule, config))) return "deniedMcpServers in the managed settings forbids it";
  if (!allowed) return undefined;
  const strict = allowed.filter((rule) => isStrictFor(rule, config));
  const counting = strict.length > 0 ? strict : allowed;
  return counting.some((rule) => matches(rule, config))
    ? undefined
    : "allowedMcpServers in the managed settings does not list it";
}

function isStrictFor(rule: ServerRule, { kind }: McpServerConfig): boolean {
  if (kind === "stdio") return "serverCommand" in rule;
  return (kind === "http" || kind === "sse") && "serverUrl" in rule;
}

function matches(rule: ServerRule, config: McpServerConfig): boolean {
  if ("serverName" in rule) return rule.serverName === config.name;
  if ("serverCommand" in rule) {
    if (config.kind !== "stdio") return false;
    const words = [config.command, ...config.args];
    return words.length === rule.serverCommand.length && words.every((word, at) => word === rule.serverCommand[at]);
  }
  return (config.kind === "http" || config.kind === "sse") && matchesAddress(rule.serverUrl, config.url);
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

/**
 * `*` matches any text; in the scheme and the host it never extends into the path, so that `https://*.example.com/*`
 * does not match `https://other.org/a.example.com/`. Scheme and host are compared without regard to case.
 */
function matchesAddress(pattern: string, url: string): boolean {
  const parsed = URL.parse(url);
  if (!parsed) return false;
  const [, origin = "", path = pattern] = /^([^/]*\/\/[^/]*)(.*)$/.exec(pattern) ?? [];
  const source = wildcards(origin.toLowerCase(), "[^/]*") + wildcards(path === "" ? "/" : path, ".*");
  const expression = new RegExp(`^${source}$`, "s");
  const { protocol, hostname, port, pathname, search } = parsed;
  // A user name in the address is omitted, because it could look like another host.
  const hosts = [port === "" ? hostname : `${hostname}:${port}`, `${hostname}:${port || DEFAULT_PORTS[protocol]}`];
  return hosts.some((host) => expression.test(`${protocol}//${host}${pathname}${search}`));
}

function wildcards(text: string, any: string): string {
  const parts = text.split("*").map((part) => part.replace(/[\\^$.+?()[\]{}|]/g, "\\$&"));
  return parts.join(any);
}
