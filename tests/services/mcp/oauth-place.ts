import { openMcpLogins } from "../../../src/app/open-mcp-logins.ts";
import type { McpLoginPrompt } from "../../../src/contracts/mcp.ts";
import { tempProject } from "../../support/temp-project.ts";
import { httpServer, type Seen } from "./servers/http-server.ts";
import { type Knobs, oauthServer } from "./servers/oauth-server.ts";

type Options = {
  readonly knobs?: Knobs;
  /** The scope that a request needs; undefined for none in particular. */
  readonly needs?: (seen: Seen) => string | undefined;
  /** The protected resource metadata, in place of the usual fields. */
  readonly resource?: Readonly<Record<string, unknown>>;
  /** Answers in place of the MCP server. */
  readonly intercept?: (seen: Seen) => Response | undefined;
};

/** An MCP server that needs a login, its authorization server, and a home in which logins are kept. */
export async function oauthPlace({ knobs = {}, needs = () => undefined, resource = {}, intercept }: Options = {}) {
  const cleanup = new AsyncDisposableStack();
  const home = cleanup.use(await tempProject());
  const authority = cleanup.use(oauthServer(knobs));
  const metadata = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (): Response => Response.json({ resource: web.url, authorization_servers: [authority.url], ...resource }),
  });
  cleanup.defer(() => metadata.stop(true));
  const challenge = (status: number, scope: string | undefined, error?: string): Response => {
    const parts = [
      `resource_metadata="http://127.0.0.1:${metadata.port}/about"`,
      ...(scope === undefined ? [] : [`scope="${scope}"`]),
      ...(error === undefined ? [] : [`error="${error}"`]),
    ];
    return new Response("no", { status, headers: { "www-authenticate": `Bearer ${parts.join(", ")}` } });
  };
  const web = cleanup.use(
    httpServer({
      intercept: (seen) => {
        const other = intercept?.(seen);
        if (other) return other;
        const wanted = needs(seen);
        const scope = authority.scopeOf(seen.headers);
        if (scope === undefined) return challenge(401, wanted);
        const isEnough = wanted === undefined || scope.split(" ").includes(wanted);
        return isEnough ? undefined : challenge(403, wanted, "insufficient_scope");
      },
    }),
  );
  const own = {
    config: home.path("config"),
    data: home.path("data"),
    state: home.path("state"),
    cache: home.path("cache"),
    home: home.dir,
  };
  const told: string[] = [];
  /** A person whose browser is `visit`. */
  const prompt = (visit: (address: string) => Promise<unknown> = fetch): McpLoginPrompt => ({
    show: (address) => void visit(address),
    notify: (line) => told.push(line),
  });
  return {
    authority,
    web,
    home,
    told,
    prompt,
    /** The logins as a new process finds them. */
    logins: (answering?: (url: string | URL) => Promise<Response>) =>
      openMcpLogins({
        ...{ env: { HOME: home.dir, PATH: "" }, own, os: "linux" },
        ...(answering && { fetch: answering }),
      }),
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  };
}
