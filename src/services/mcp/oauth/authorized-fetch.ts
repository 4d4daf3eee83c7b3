import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Challenge } from "./discover.ts";
import { loadAuth } from "./load-auth.ts";
import type { ServerLogin } from "./server-login.ts";

const NEVER = new AbortController().signal;

/**
 * Adds the login's token to requests to the server. A refused request is sent once more with a renewed token; a second
 * refusal is returned.
 */
export function authorizedFetch(fetch: FetchLike, serverUrl: string, login: ServerLogin): FetchLike {
  const { origin } = new URL(serverUrl);
  return async (input, init) => {
    const isOwn = new URL(input).origin === origin && !new Headers(init?.headers).has("authorization");
    if (!isOwn) return fetch(input, init);
    const signal = init?.signal ?? NEVER;
    const token = await login.token(signal);
    const answer = await fetch(input, withToken(init, token));
    if (answer.status !== 401 && answer.status !== 403) {
      login.accepted();
      return answer;
    }
    const next = await tokenFor(answer, { login, token, signal });
    if (next === undefined) return answer;
    await answer.body?.cancel();
    return fetch(input, withToken(init, next));
  };
}

type Refused = { readonly login: ServerLogin; readonly token: string | undefined; readonly signal: AbortSignal };

async function tokenFor(answer: Response, { login, token, signal }: Refused): Promise<string | undefined> {
  const { challenge, error } = await challengeOf(answer);
  if (answer.status === 401) return login.tokenAfter(token, challenge, signal);
  const { scope } = challenge;
  return error === "insufficient_scope" && scope !== undefined ? login.tokenWith(scope, challenge, signal) : undefined;
}

/** Reads WWW-Authenticate. */
export async function challengeOf(answer: Response): Promise<{ challenge: Challenge; error?: string | undefined }> {
  const { auth } = await loadAuth();
  const { resourceMetadataUrl, scope, error } = auth.extractWWWAuthenticateParams(answer);
  const challenge = {
    ...(resourceMetadataUrl && { metadataUrl: resourceMetadataUrl }),
    ...(scope !== undefined && { scope }),
  };
  return { challenge, error };
}

function withToken(init: RequestInit | undefined, token: string | undefined): RequestInit | undefined {
  if (token === undefined) return init;
  const headers = new Headers(init?.headers);
  headers.set("authorization", `Bearer ${token}`);
  return { ...init, headers };
}
