import { isAbsolute, join, resolve } from "node:path";
import type { FetchLike, Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { McpLink } from "../../../contracts/mcp.ts";
import type { Clock } from "../../../contracts/ports.ts";
import type { OrphanWatch } from "../../../platform/processes/orphan-watch.ts";
import { SPAWN_TAG_VARIABLE } from "../../../platform/processes/process-row.ts";
import { spawnPiped } from "../../../platform/processes/spawn-piped.ts";
import type { McpServerConfig } from "../config/server-config.ts";
import type { McpLimits } from "../mcp-limits.ts";
import type { McpLogins } from "../oauth/logins.ts";
import type { ServerLogin } from "../oauth/server-login.ts";
import type { SdkTransport } from "./sdk-transport.ts";
import { CHANGED_SERVER, McpStartError } from "./session-error.ts";
import { sizedFetch } from "./sized-fetch.ts";
import type { StdioTransport } from "./stdio-transport.ts";

export type TransportDeps = {
  readonly clock: Clock;
  readonly limits: McpLimits;
  /** The absolute base folder of relative commands and folders. */
  readonly cwd: string;
  readonly orphans: Pick<OrphanWatch, "expect" | "started" | "drop">;
  /**
   * The environment of a program, without credentials, with `tag` in the variable that marks Quoll's child processes.
   */
  environment(tag: string): Promise<Readonly<Record<string, string>>>;
  /** True if a server has changed since the person approved it; it is then not run. */
  isChanged?(config: McpServerConfig): boolean;
  readonly link?: McpLink;
  /** Absent if no server can have a login. */
  readonly logins?: McpLogins;
};

/** A transport to a server. `stdio` and `sdk` are set for these kinds. */
export type OpenTransport = {
  readonly transport: Transport;
  readonly stdio?: StdioTransport;
  readonly sdk?: SdkTransport;
  /** Set for a remote server whose configuration has no Authorization header. */
  readonly login?: ServerLogin;
  /** True for a transport that does not report its own end: after an error, nothing more arrives. */
  readonly endsOnError?: boolean;
};

type Usable = Exclude<McpServerConfig, { readonly kind: "invalid" }>;

/** The transport for a configuration, not yet started. */
export async function openTransport(config: Usable, deps: TransportDeps): Promise<OpenTransport> {
  switch (config.kind) {
    case "stdio": {
      const stdio = await stdioTransport(config, deps);
      return { transport: stdio, stdio };
    }
    case "http": {
      const [{ HttpTransport }, { StreamableHTTPClientTransport }] = await Promise.all([
        import("./http-transport.ts"),
        import("@modelcontextprotocol/sdk/client/streamableHttp.js"),
      ]);
      const { fetch: loggedIn, login } = await fetchFor(config, deps);
      return {
        transport: new HttpTransport({ ...config, Inner: StreamableHTTPClientTransport, fetch: loggedIn }),
        ...(login && { login }),
      };
    }
    case "sse": {
      const { SSEClientTransport } = await import("@modelcontextprotocol/sdk/client/sse.js");
      const { fetch: loggedIn, login } = await fetchFor(config, deps);
      const options = { requestInit: { headers: { ...config.headers } }, fetch: loggedIn };
      const transport = new SSEClientTransport(new URL(config.url), options);
      return { transport, endsOnError: true, ...(login && { login }) };
    }
    case "sdk": {
      const { SdkTransport } = await import("./sdk-transport.ts");
      const { link } = deps;
      const sdk = new SdkTransport((message, signal) => {
        if (!link) throw new Error("no program is connected that could run it");
        return link(config.server, message, signal);
      });
      return { transport: sdk, sdk };
    }
  }
}

/** The `fetch` of a remote server, which adds the token of its login. */
async function fetchFor(
  config: Extract<Usable, { readonly kind: "http" | "sse" }>,
  { logins, cwd, environment, isChanged, limits }: TransportDeps,
): Promise<{ readonly fetch: FetchLike; readonly login?: ServerLogin }> {
  const { headersHelper: command } = config;
  const sized = sizedFetch(fetch, limits.maxMessageBytes);
  if (command !== undefined) {
    const { helpedFetch } = await import("./headers-helper.ts");
    // The first two names are those of Claude Code, so that its helpers work unchanged.
    const variables = {
      CLAUDE_CODE_MCP_SERVER_NAME: config.name,
      CLAUDE_CODE_MCP_SERVER_URL: config.url,
      QUOLL_MCP_SERVER_NAME: config.name,
      QUOLL_MCP_SERVER_URL: config.url,
    };
    const ofHelper = async () => {
      const inherited = await environment(crypto.randomUUID());
      // The command runs again during the session, and its file may have changed since.
      if (isChanged?.(config)) throw new McpStartError(CHANGED_SERVER);
      return { ...inherited, ...variables };
    };
    return { fetch: helpedFetch(sized, { command, cwd, environment: ofHelper }) };
  }
  const login = logins?.of(config);
  const near = sameHostFetch(sized);
  if (!login) return { fetch: near };
  const { authorizedFetch } = await import("../oauth/authorized-fetch.ts");
  return { fetch: authorizedFetch(near, config.url, login), login };
}

async function stdioTransport(config: Extract<Usable, { readonly kind: "stdio" }>, deps: TransportDeps) {
  const { StdioTransport } = await import("./stdio-transport.ts");
  const { clock, orphans } = deps;
  const { maxMessageBytes } = deps.limits;
  const cwd = resolve(deps.cwd, config.cwd ?? ".");
  const isRelativePath = config.command.includes("/") && !isAbsolute(config.command);
  const spawn = async () => {
    const tag = crypto.randomUUID();
    const base = await deps.environment(tag);
    const env = { ...base, ...config.env, [SPAWN_TAG_VARIABLE]: base[SPAWN_TAG_VARIABLE] ?? tag };
    const file = isRelativePath ? join(cwd, config.command) : config.command;
    await orphans.expect(tag);
    try {
      const program = await spawnPiped({ file, args: config.args, cwd, env, tag });
      orphans.started(program);
      return program;
    } catch (error) {
      orphans.drop(tag);
      throw error;
    }
  };
  return new StdioTransport({ clock, maxMessageBytes, spawn, ended: (program) => orphans.drop(program.tag) });
}

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * A `fetch` that follows redirects only on the same host: headers of the configuration are often credentials, and a
 * server must not send them elsewhere.
 */
function sameHostFetch(fetch: FetchLike): FetchLike {
  return async (input, init) => {
    let address = new URL(input);
    let sent: RequestInit = { ...init, redirect: "manual" };
    for (let count = 0; ; count += 1) {
      const answer = await fetch(address, sent);
      const location = REDIRECTS.has(answer.status) ? answer.headers.get("location") : null;
      if (location === null) return answer;
      await answer.body?.cancel();
      const next = new URL(location, address);
      if (!isSameHost(address, next))
        throw new Error(`it redirects to ${next.origin}: if you trust it, set that address`);
      if (count >= MAX_REDIRECTS) throw new Error(`it redirects more than ${MAX_REDIRECTS} times`);
      address = next;
      // Only 307 and 308 keep the method (RFC 9110).
      if (answer.status < 307 && sent.method !== "GET") sent = withoutBody(sent);
    }
  };
}

function isSameHost(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true;
  return from.hostname === to.hostname && from.protocol === "http:" && to.protocol === "https:";
}

function withoutBody({ body: _, ...init }: RequestInit): RequestInit {
  return { ...init, method: "GET" };
}
