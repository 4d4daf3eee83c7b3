import { randomBytes } from "node:crypto";
import type { OAuthClientInformationMixed } from "@modelcontextprotocol/sdk/shared/auth.js";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { McpLoginPrompt } from "../../../contracts/mcp.ts";
import { openCallbackServer } from "../io/callback-server.ts";
import { describeRemote } from "../transport/session-error.ts";
import { type Attempt, authorize } from "./authorize.ts";
import { challengeOf } from "./authorized-fetch.ts";
import { bindSecret } from "./bind-secret.ts";
import { asLoginError, type Challenge, discover } from "./discover.ts";
import { assertSafe, limitedFetch } from "./limited-fetch.ts";
import { loadAuth } from "./load-auth.ts";
import { LoginError } from "./login-error.ts";
import { configuredScope, isUnattended, joinScopes } from "./oauth-config.ts";
import type { LoginDeps, LoginServer } from "./server-login.ts";

export type LoginOutcome = { readonly place: string; readonly scope: string | undefined };

/**
 * Logs in to an MCP server with a person's browser (OAuth 2.1, authorization code with PKCE), and saves the login.
 * @throws {LoginError} one line. Rejects with the abort reason when `signal` aborts.
 */
export async function logIn(
  server: LoginServer,
  deps: LoginDeps,
  prompt: McpLoginPrompt,
  signal: AbortSignal,
): Promise<LoginOutcome> {
  const { url, oauth } = server;
  assertSafe(url);
  if (isUnattended(oauth)) throw new LoginError("it logs in automatically, with the client of its configuration");
  const fetch = limitedFetch(deps.fetch, signal, { serverUrl: url });
  const challenge = await probe(url, deps.fetch, signal);
  const metadataUrl = oauth.authServerMetadataUrl;
  const authority = await discover({ serverUrl: url, challenge, metadataUrl, fetch });
  const confirm =
    prompt.confirm && ((question: string) => prompt.confirm?.(question, signal) ?? Promise.resolve(false));
  await bindSecret(authority, server, { store: deps.store, confirm });
  const attempt = { server, deps, prompt, fetch, authority };
  const state = randomBytes(24).toString("base64url");
  const callback = await openCallback(attempt, state);
  try {
    const client = await clientFor(attempt, callback.redirectUrl, challenge);
    const record = await authorize(attempt, { callback, client, state, scope: scopeFor(attempt, challenge) }, signal);
    const place = await deps.store.write(url, record);
    deps.notes.forget(url);
    return { place, scope: record.scope };
  } finally {
    callback.close();
  }
}

/** The server's answer to a request without a token. */
async function probe(url: string, fetch: FetchLike, signal: AbortSignal): Promise<Challenge> {
  const request = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const limited = AbortSignal.any([signal, AbortSignal.timeout(30_000)]);
  try {
    const init = {
      method: "POST",
      headers,
      body: JSON.stringify(request),
      redirect: "manual",
      signal: limited,
    } as const;
    const answer = await fetch(url, init);
    const { challenge } = await challengeOf(answer);
    await answer.body?.cancel();
    return challenge;
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    const problem = limited.aborted ? "it did not answer within 30 s" : describeRemote(cause);
    throw new LoginError(problem.replace(/^it /, `${new URL(url).origin} `), { cause });
  }
}

async function openCallback({ server, prompt }: Pick<Attempt, "server" | "prompt">, state: string) {
  const { callbackPort = 0 } = server.oauth;
  try {
    const onForeign = () => prompt.notify("An answer that belongs to another login was refused. Still waiting …");
    return await openCallbackServer({ port: callbackPort, state, onForeign });
  } catch (cause) {
    throw new LoginError(`the port ${callbackPort} for the browser's answer is taken: close the program that uses it`, {
      cause,
    });
  }
}

/** The configured client, otherwise a metadata document, otherwise a new registration (RFC 7591). */
async function clientFor(
  { server, authority, fetch }: Attempt,
  redirectUrl: string,
  challenge: Challenge,
): Promise<OAuthClientInformationMixed> {
  const { clientId, clientSecret, clientMetadataUrl } = server.oauth;
  if (clientId !== undefined)
    return { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) };
  const { metadata } = authority;
  const takesDocument = metadata?.["client_id_metadata_document_supported"] === true;
  if (clientMetadataUrl !== undefined && takesDocument) return { client_id: clientMetadataUrl };
  const { auth } = await loadAuth();
  if (metadata && metadata["registration_endpoint"] === undefined)
    throw new LoginError(
      'its authorization server registers no clients by itself: register one there, and add "oauth": {"clientId": …} to the entry of the server',
    );
  const methods = metadata?.token_endpoint_auth_methods_supported;
  const isPublic = methods === undefined || methods.includes("none");
  const clientMetadata = {
    client_name: "Quoll",
    application_type: "native",
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: isPublic ? "none" : (methods.find((name) => /^client_secret_/.test(name)) ?? "none"),
  };
  const scope = joinScopes(challenge.scope ?? authority.scopes, configuredScope(server.oauth));
  try {
    const about = { ...(metadata && { metadata }), ...(scope !== undefined && { scope }) };
    return await auth.registerClient(authority.url, { ...about, clientMetadata, fetchFn: fetch });
  } catch (error) {
    if (!metadata)
      throw new LoginError("it offers no login: it may need an Authorization header instead", { cause: error });
    throw asLoginError(error, "its authorization server did not register Quoll");
  }
}

/** The scopes of the challenge, or those that the server names, plus those that earlier calls lacked. */
function scopeFor({ server, deps, authority }: Attempt, challenge: Challenge): string | undefined {
  const own = configuredScope(server.oauth);
  const wanted = deps.notes.wantedScope(server.url);
  const asked = joinScopes(own ?? challenge.scope ?? authority.scopes, wanted);
  const offered = authority.metadata?.scopes_supported;
  // Without this scope, some servers issue no refresh token.
  const offline = Array.isArray(offered) && offered.includes("offline_access") ? "offline_access" : undefined;
  return asked === undefined ? undefined : joinScopes(asked, offline);
}
