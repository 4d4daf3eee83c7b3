import { limitedFetch } from "./limited-fetch.ts";
import { loadAuth } from "./load-auth.ts";
import type { LoginRecord } from "./login-record.ts";
import type { LoginDeps } from "./server-login.ts";

/** The time limit, because a person should not wait for an unreachable server. */
const REVOKE_MS = 5_000;

/**
 * Removes the login of a server, and revokes it at its authorization server (RFC 7009) if supported.
 * @returns `none` if there was no login; `kept-there` if the tokens stay valid until they expire.
 * @throws {UserFacingError} the login may still be saved.
 */
export async function logOut(
  url: string,
  deps: LoginDeps,
  signal: AbortSignal,
): Promise<"none" | "kept-there" | "revoked"> {
  const record = await deps.store.read(url);
  const wasThere = await deps.store.remove(url);
  deps.notes.forget(url);
  if (!record) return wasThere ? "kept-there" : "none";
  const isRevoked = await revoke(record, { deps, url, signal }).catch(() => false);
  return isRevoked ? "revoked" : "kept-there";
}

type Revoking = { readonly deps: LoginDeps; readonly url: string; readonly signal: AbortSignal };

async function revoke(record: LoginRecord, { deps, url, signal }: Revoking): Promise<boolean> {
  const { revocationEndpoint, refreshToken, accessToken, client, authMethods } = record;
  if (revocationEndpoint === undefined) return false;
  const { auth } = await loadAuth();
  const token = refreshToken ?? accessToken;
  const body = new URLSearchParams({ token, client_id: client.client_id });
  const headers = new Headers({ "content-type": "application/x-www-form-urlencoded" });
  const method = auth.selectClientAuthMethod(client, [...(authMethods ?? [])]);
  const { client_id, client_secret } = client;
  if (client_secret !== undefined && method === "client_secret_basic") {
    body.delete("client_id");
    headers.set("authorization", `Basic ${btoa(`${client_id}:${client_secret}`)}`);
  } else if (client_secret !== undefined) body.set("client_secret", client_secret);
  const fetch = limitedFetch(deps.fetch, signal, { serverUrl: url, limitMs: REVOKE_MS });
  const answer = await fetch(revocationEndpoint, { method: "POST", headers, body, redirect: "manual" });
  return answer.ok;
}
