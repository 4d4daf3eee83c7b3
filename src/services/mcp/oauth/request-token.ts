import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import type { AuthorizationServerMetadata, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { z } from "zod";
import type { Authority } from "./discover.ts";
import { asLoginError } from "./discover.ts";
import { assertSafe } from "./limited-fetch.ts";
import { loadAuth } from "./load-auth.ts";
import { LoginError } from "./login-error.ts";
import type { LoginRecord } from "./login-record.ts";
import { configuredScope, joinScopes, type OAuthConfig } from "./oauth-config.ts";

const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";
const ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token";
const exchangedSchema = z.object({ access_token: z.string() });

/** The authorization server reports that the refresh token is no longer valid. */
export class RevokedLoginError extends LoginError {}

/** Gets new tokens for an old refresh token. @throws {RevokedLoginError} a new login is needed. @throws {LoginError} */
export async function refreshTokens(record: LoginRecord, config: OAuthConfig, fetch: FetchLike): Promise<OAuthTokens> {
  const { auth, errors } = await loadAuth();
  const { issuer, refreshToken, client, resource } = record;
  if (refreshToken === undefined) throw new RevokedLoginError("its login expired");
  const proof = await clientProof(config);
  try {
    return await auth.refreshAuthorization(issuer, {
      metadata: metadataOf(record),
      clientInformation: client,
      refreshToken,
      ...(resource !== undefined && { resource }),
      ...(proof && { addClientAuthentication: proof }),
      fetchFn: fetch,
    });
  } catch (error) {
    const isOver =
      error instanceof errors.InvalidGrantError ||
      error instanceof errors.InvalidClientError ||
      error instanceof errors.UnauthorizedClientError;
    if (isOver) throw new RevokedLoginError("its login expired or was revoked", { cause: error });
    throw asLoginError(error, "its login could not be renewed");
  }
}

/** The parts of the metadata that the library reads for a token request. */
export function metadataOf(record: Pick<LoginRecord, "issuer" | "tokenEndpoint" | "authMethods">) {
  assertSafe(record.tokenEndpoint);
  const { issuer, tokenEndpoint, authMethods } = record;
  const metadata: AuthorizationServerMetadata = {
    issuer,
    authorization_endpoint: new URL("/authorize", issuer).href,
    token_endpoint: tokenEndpoint,
    response_types_supported: ["code"],
    ...(authMethods && { token_endpoint_auth_methods_supported: authMethods }),
  };
  return metadata;
}

/** A signed proof of the client instead of a secret (private_key_jwt, RFC 7523); undefined if no key is configured. */
export async function clientProof(config: OAuthConfig): Promise<OAuthClientProvider["addClientAuthentication"]> {
  const { clientId, privateKey, algorithm } = config;
  if (clientId === undefined || privateKey === undefined || algorithm === undefined) return undefined;
  const { createPrivateKeyJwtAuth } = await import("@modelcontextprotocol/sdk/client/auth-extensions.js");
  return createPrivateKeyJwtAuth({ issuer: clientId, subject: clientId, privateKey, alg: algorithm });
}

type Unattended = {
  readonly config: OAuthConfig;
  readonly authority: Authority;
  readonly scope: string | undefined;
  readonly serverUrl: string;
  readonly fetch: FetchLike;
};

/** Requests a token without a person. @throws {LoginError} it was refused. */
export async function requestUnattended(wanted: Unattended): Promise<OAuthTokens> {
  const { config, authority, fetch } = wanted;
  const { auth } = await loadAuth();
  const grant = await grantParameters(wanted);
  const scope = joinScopes(wanted.scope ?? authority.scopes, configuredScope(config));
  if (scope !== undefined) grant.set("scope", scope);
  const proof = await clientProof(config);
  const { clientId = "", clientSecret } = config;
  const client = { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) };
  const provider: OAuthClientProvider = {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [] },
    clientInformation: () => client,
    tokens: () => undefined,
    saveTokens: () => undefined,
    redirectToAuthorization: () => undefined,
    saveCodeVerifier: () => undefined,
    codeVerifier: () => "",
    prepareTokenRequest: () => grant,
    ...(proof && { addClientAuthentication: proof }),
  };
  const about = {
    ...(authority.metadata && { metadata: authority.metadata }),
    ...(authority.resource !== undefined && { resource: new URL(authority.resource) }),
  };
  try {
    return await auth.fetchToken(provider, authority.url, { ...about, fetchFn: fetch });
  } catch (error) {
    throw asLoginError(error, "it got no token");
  }
}

async function grantParameters({ config, authority, serverUrl, fetch }: Unattended): Promise<URLSearchParams> {
  if (config.grant !== "cross_app_access") return new URLSearchParams({ grant_type: "client_credentials" });
  const assertion = await exchangeIdToken({
    config,
    audience: authority.issuer,
    resource: authority.resource ?? serverUrl,
    fetch,
  });
  return new URLSearchParams({ grant_type: JWT_BEARER, assertion });
}

type Exchange = {
  readonly config: OAuthConfig;
  readonly audience: string;
  readonly resource: string;
  readonly fetch: FetchLike;
};

/** Exchanges the person's id token for a grant at the authorization server of the MCP server (RFC 8693; MCP, enterprise-managed authorization). */
async function exchangeIdToken({ config, audience, resource, fetch }: Exchange): Promise<string> {
  const { idpTokenEndpoint = "", idpClientId = "", idpClientSecret, idToken = "" } = config;
  const body = new URLSearchParams({
    grant_type: TOKEN_EXCHANGE,
    requested_token_type: ID_JAG,
    subject_token: idToken,
    subject_token_type: ID_TOKEN,
    audience,
    resource,
    client_id: idpClientId,
    ...(idpClientSecret !== undefined && { client_secret: idpClientSecret }),
  });
  const { auth } = await loadAuth();
  try {
    const headers = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" };
    const answer = await fetch(idpTokenEndpoint, { method: "POST", headers, body, redirect: "manual" });
    if (!answer.ok) throw await auth.parseErrorResponse(answer);
    return exchangedSchema.parse(await answer.json()).access_token;
  } catch (error) {
    throw asLoginError(error, "its identity provider gave no grant");
  }
}
