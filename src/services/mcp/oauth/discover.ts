import type { AuthorizationServerMetadata } from "@modelcontextprotocol/sdk/shared/auth.js";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { errorMessage } from "../../../contracts/errors.ts";
import { assertSafe } from "./limited-fetch.ts";
import { loadAuth } from "./load-auth.ts";
import { LoginError } from "./login-error.ts";

/** The content of a server's refusal of a request (WWW-Authenticate). */
export type Challenge = { readonly metadataUrl?: URL; readonly scope?: string };

/** The authorization server and the resource of a login. */
export type Authority = {
  /** The identity of the authorization server, to which tokens and clients are bound. */
  readonly issuer: string;
  /** The base address of endpoints that no metadata names. */
  readonly url: string;
  /** Undefined for a server of the specification of 2025-03-26 without metadata. */
  readonly metadata: AuthorizationServerMetadata | undefined;
  /** RFC 8707, spelled as the server spells it. */
  readonly resource: string | undefined;
  /** The scopes that the server itself names. */
  readonly scopes: readonly string[] | undefined;
};

type Discovery = {
  readonly serverUrl: string;
  readonly challenge: Challenge;
  /** Replaces the search for the metadata of the authorization server. */
  readonly metadataUrl?: string | undefined;
  readonly fetch: FetchLike;
};

/**
 * Finds the authorization server of an MCP server: RFC 9728, then RFC 8414 or OpenID Connect Discovery, otherwise the
 * addresses of the specification of 2025-03-26.
 * @throws {LoginError} one line: it can't be found, or must not be used.
 */
export async function discover({ serverUrl, challenge, metadataUrl, fetch }: Discovery): Promise<Authority> {
  const { checkResourceAllowed } = await loadAuth();
  const about = await resourceMetadata(serverUrl, challenge, fetch);
  if (about && !checkResourceAllowed({ requestedResource: serverUrl, configuredResource: about.resource }))
    throw new LoginError(`it names the resource ${shown(about.resource)}, which is not its own address`);
  const named = about?.authorization_servers?.[0];
  const found = metadataUrl === undefined ? undefined : await metadataAt(metadataUrl, fetch);
  const url = found?.issuer ?? named ?? new URL("/", serverUrl).href;
  const metadata = found ?? (await authorityMetadata(url, fetch));
  if (!metadata && named !== undefined)
    throw new LoginError(`its authorization server ${shown(url)} publishes no metadata`);
  if (metadata) checkMetadata(metadata, { url, isNamed: named !== undefined, isConfigured: found !== undefined });
  const issuer = metadata?.issuer ?? url;
  return { issuer, url, metadata, resource: about?.resource, scopes: about?.scopes_supported };
}

/** RFC 9728. Undefined if the server has no metadata; some servers then answer each path with 401. */
async function resourceMetadata(serverUrl: string, { metadataUrl }: Challenge, fetch: FetchLike) {
  const { auth } = await loadAuth();
  const at = metadataUrl ? { resourceMetadataUrl: metadataUrl } : {};
  try {
    return await auth.discoverOAuthProtectedResourceMetadata(serverUrl, at, fetch);
  } catch (error) {
    if (/does not implement|^HTTP 4\d\d /.test(errorMessage(error))) return undefined;
    throw asLoginError(error, "its login metadata is unusable");
  }
}

/** RFC 8414 and OpenID Connect Discovery, in the order of the specification. */
async function authorityMetadata(url: string, fetch: FetchLike) {
  const { auth } = await loadAuth();
  try {
    return await auth.discoverAuthorizationServerMetadata(url, { fetchFn: fetch });
  } catch (error) {
    throw asLoginError(error, `the metadata of ${shown(url)} is unusable`);
  }
}

async function metadataAt(address: string, fetch: FetchLike): Promise<AuthorizationServerMetadata> {
  const { shared } = await loadAuth();
  if (!URL.canParse(address)) throw new LoginError("oauth.authServerMetadataUrl is not an address");
  try {
    const answer = await fetch(address, { headers: { accept: "application/json" }, redirect: "manual" });
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    return shared.OAuthMetadataSchema.parse(await answer.json());
  } catch (error) {
    throw asLoginError(error, "the metadata of oauth.authServerMetadataUrl is unusable");
  }
}

type Source = { readonly url: string; readonly isNamed: boolean; readonly isConfigured: boolean };

function checkMetadata(metadata: AuthorizationServerMetadata, { url, isNamed, isConfigured }: Source) {
  const { issuer, authorization_endpoint, token_endpoint, code_challenge_methods_supported: methods } = metadata;
  // RFC 8414, 3.3. For a server of the specification of 2025-03-26, the server's own origin is asked instead.
  const isSame = isNamed ? sameAddress(issuer, url) : new URL(issuer).origin === new URL(url).origin;
  if (!isSame) throw new LoginError(`the metadata of ${shown(url)} belongs to another issuer (${shown(issuer)})`);
  for (const address of [authorization_endpoint, token_endpoint, metadata["registration_endpoint"]])
    if (typeof address === "string") assertSafe(address);
  // A server that does not declare this does not check the proof (MCP, Authorization Code Protection). A person who
  // configures the metadata vouches for a server that merely omits the field, as some OpenID Connect providers do.
  const isUnsaid = methods === undefined && (isConfigured || !isNamed);
  if (!isUnsaid && !methods?.includes("S256"))
    throw new LoginError(`its authorization server ${shown(url)} does not support PKCE with S256`);
}

/** Equal but for a slash at the end. */
export function sameAddress(one: string, other: string): boolean {
  const plain = (address: string) => (URL.canParse(address) ? new URL(address).href : address).replace(/\/$/, "");
  return plain(one) === plain(other);
}

/** Keeps Quoll's own errors; shortens those of the library, which may contain a whole page. */
export function asLoginError(error: unknown, what: string): LoginError {
  if (error instanceof LoginError) return error;
  return new LoginError(`${what} (${reasonOf(error).slice(0, 200)})`, { cause: error });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (/^\$?ZodError$|^SyntaxError$/.test(error.name)) return "it does not follow the specification";
  const text = error.message.split(/:? ?Invalid OAuth error response|\n/)[0] ?? "";
  // The library's errors of OAuth have a code, such as invalid_client.
  const code = "errorCode" in error && !text.startsWith("HTTP ") ? String(error.errorCode) : "";
  return [code, text].filter((part) => part !== "").join(": ");
}

function shown(address: string): string {
  const url = URL.parse(address);
  return url ? `${url.origin}${url.pathname.replace(/\/$/, "")}` : address.slice(0, 100);
}
