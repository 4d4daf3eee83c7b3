import type { McpLoginPrompt } from "../../../contracts/mcp.ts";
import type { McpServerConfig } from "../config/server-config.ts";
import { type LoginDeps, ServerLogin } from "./server-login.ts";

type Remote = Extract<McpServerConfig, { readonly kind: "http" | "sse" }>;

/** The logins of this user to MCP servers. */
export class McpLogins {
  readonly #deps: LoginDeps;

  constructor(deps: LoginDeps) {
    this.#deps = deps;
  }

  /** Tokens that results must not show. */
  secrets(): readonly string[] {
    return this.#deps.store.seen();
  }

  /** The login of a server for one session; undefined if the configuration has its own Authorization header. */
  of(config: Remote): ServerLogin | undefined {
    return hasOwnHeader(config) ? undefined : new ServerLogin(serverOf(config), this.#deps);
  }

  /**
   * @returns one line that says where the login is stored.
   * @throws {LoginError} Rejects with the abort reason when `signal` aborts.
   */
  async logIn(config: McpServerConfig, prompt: McpLoginPrompt, signal: AbortSignal): Promise<string> {
    const remote = assertRemote(config);
    const { LoginError } = await import("./login-error.ts");
    if (hasOwnHeader(remote))
      throw new LoginError("its configuration has an Authorization header, which it uses instead");
    const { logIn } = await import("./log-in.ts");
    const { place, scope } = await logIn(serverOf(remote), this.#deps, prompt, signal);
    return `Logged in to ${config.name}${scope === undefined ? "" : ` (${scope})`}. The login is kept in ${place}.`;
  }

  /** @returns one line. @throws {UserFacingError} the login may still be saved. */
  async logOut(config: McpServerConfig, signal: AbortSignal): Promise<string> {
    const { url } = assertRemote(config);
    const { logOut } = await import("./log-out.ts");
    const left = await logOut(url, this.#deps, signal);
    if (left === "none") return `There was no login to ${config.name}.`;
    const until = left === "revoked" ? "" : " Its tokens stay valid at the server until they expire.";
    return `Logged out of ${config.name}: the saved login was removed.${until}`;
  }
}

function serverOf({ url, oauth = {} }: Remote) {
  return { url, oauth };
}

function hasOwnHeader({ headers }: Remote): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
}

/** @throws {Error} one line: the server takes no login. */
function assertRemote(config: McpServerConfig): Remote {
  if (config.kind === "http" || config.kind === "sse") return config;
  if (config.kind === "invalid") throw new Error(config.problem);
  throw new Error("it is not reached over HTTP, so it takes no login");
}
