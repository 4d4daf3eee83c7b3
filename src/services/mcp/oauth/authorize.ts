import type { OAuthClientInformationMixed } from "@modelcontextprotocol/sdk/shared/auth.js";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { orAborted } from "@quoll/async/or-aborted";
import type { McpLoginPrompt } from "../../../contracts/mcp.ts";
import { type CallbackServer, hasState } from "../io/callback-server.ts";
import { type Authority, asLoginError, sameAddress } from "./discover.ts";
import { loadAuth } from "./load-auth.ts";
import { LoginError } from "./login-error.ts";
import type { LoginRecord } from "./login-record.ts";
import { clientProof } from "./request-token.ts";
import { keptOf, type LoginDeps, type LoginServer } from "./server-login.ts";

/** How long a person may take in the browser. */
const LOGIN_MS = 5 * 60_000;

export type Attempt = {
  readonly server: LoginServer;
  readonly deps: LoginDeps;
  readonly prompt: McpLoginPrompt;
  readonly fetch: FetchLike;
  readonly authority: Authority;
};

export type Granting = {
  readonly callback: CallbackServer;
  readonly client: OAuthClientInformationMixed;
  readonly state: string;
  readonly scope: string | undefined;
};

/** Sends the person to the authorization server and exchanges its answer for tokens. @throws {LoginError} */
export async function authorize(attempt: Attempt, granting: Granting, signal: AbortSignal): Promise<LoginRecord> {
  const { server, deps, prompt, fetch, authority } = attempt;
  const { callback, client, state, scope } = granting;
  const { auth } = await loadAuth();
  const { metadata, resource } = authority;
  const about = {
    ...(metadata && { metadata }),
    ...(resource !== undefined && { resource }),
    clientInformation: client,
  };
  const started = await auth
    .startAuthorization(authority.url, {
      ...about,
      redirectUrl: callback.redirectUrl,
      state,
      ...(scope !== undefined && { scope }),
    })
    .catch((error: unknown) => {
      throw asLoginError(error, "the login could not be started");
    });
  const address = started.authorizationUrl.href;
  prompt.show(address, deps.openBrowser(address));
  const code = codeOf(await answerOf(attempt, granting, signal), authority);
  const proof = await clientProof(server.oauth);
  const tokens = await auth
    .exchangeAuthorization(authority.url, {
      ...about,
      authorizationCode: code,
      codeVerifier: started.codeVerifier,
      redirectUri: callback.redirectUrl,
      ...(proof && { addClientAuthentication: proof }),
      fetchFn: fetch,
    })
    .catch((error: unknown) => {
      throw asLoginError(error, "its authorization server gave no token");
    });
  const revocationEndpoint = fieldOf(metadata, "revocation_endpoint");
  return {
    version: 1,
    issuer: authority.issuer,
    tokenEndpoint: metadata?.token_endpoint ?? new URL("/token", authority.url).href,
    ...(typeof revocationEndpoint === "string" && { revocationEndpoint }),
    ...(metadata?.token_endpoint_auth_methods_supported && {
      authMethods: metadata.token_endpoint_auth_methods_supported,
    }),
    ...(resource !== undefined && { resource }),
    client: kept(client),
    ...keptOf(tokens, deps.clock),
    ...(tokens.refresh_token !== undefined && { refreshToken: tokens.refresh_token }),
    ...((tokens.scope ?? scope) !== undefined && { scope: tokens.scope ?? scope }),
  };
}

/** The browser's redirect, or the pasted address of its last page. */
async function answerOf(
  { prompt }: Attempt,
  { callback, state }: Granting,
  signal: AbortSignal,
): Promise<URLSearchParams> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(new LoginError("nobody logged in within 5 minutes")), LOGIN_MS);
  const ends = AbortSignal.any([signal, over.signal]);
  try {
    const pasted = prompt.paste ? [pastedAnswer(prompt, state, ends)] : [];
    return await orAborted(Promise.race([callback.answer, ...pasted]), ends);
  } finally {
    clearTimeout(timer);
    // Ends the wait for a pasted address.
    over.abort(new LoginError("the login is over"));
  }
}

async function pastedAnswer(prompt: McpLoginPrompt, state: string, signal: AbortSignal): Promise<URLSearchParams> {
  for (;;) {
    const text = await prompt.paste?.(signal);
    // Without further input, only the browser can answer.
    if (text === undefined) return new Promise<never>(() => undefined);
    const query = URL.parse(text.trim())?.searchParams;
    if (query && hasState(query, state)) return query;
    if (text.trim() !== "")
      prompt.notify(
        "This is not the address that the login ended on: it starts with http://localhost and contains state=.",
      );
  }
}

/** @throws {LoginError} the person or the server refused, or another server answers (RFC 9207). */
function codeOf(query: URLSearchParams, { issuer, metadata }: Authority): string {
  const iss = query.get("iss");
  const isPromised = fieldOf(metadata, "authorization_response_iss_parameter_supported") === true;
  if (iss === null ? isPromised : !sameAddress(iss, issuer))
    throw new LoginError("the answer comes from a different authorization server");
  const error = query.get("error");
  const about = (query.get("error_description") ?? "").replace(/[^ -~]/g, " ").slice(0, 200);
  if (error === "access_denied") throw new LoginError(`the login was denied${about === "" ? "" : ` (${about})`}`);
  if (error !== null)
    throw new LoginError(
      `its authorization server refused: ${error.replace(/[^\w.-]/g, "").slice(0, 60)}${about === "" ? "" : ` (${about})`}`,
    );
  const code = query.get("code");
  if (code === null || code === "") throw new LoginError("the answer of its authorization server has no code");
  return code;
}

function kept(client: OAuthClientInformationMixed): LoginRecord["client"] {
  const { client_id, client_secret } = client;
  const method = "token_endpoint_auth_method" in client ? client.token_endpoint_auth_method : undefined;
  return {
    client_id,
    ...(client_secret !== undefined && { client_secret }),
    ...(method !== undefined && { token_endpoint_auth_method: method }),
  };
}

/** A field that the library's type leaves out. */
function fieldOf(metadata: Authority["metadata"], name: string): unknown {
  return new Map<string, unknown>(Object.entries(metadata ?? {})).get(name);
}
