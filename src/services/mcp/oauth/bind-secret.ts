import type { Authority } from "./discover.ts";
import { LoginError } from "./login-error.ts";
import type { LoginStore, SecretBinding } from "./login-record.ts";
import type { OAuthConfig } from "./oauth-config.ts";

/** Asks the person a yes-or-no question. */
type Confirm = (question: string) => Promise<boolean>;

/**
 * The secret of a configured client goes only to the authorization server that the configuration names, or to the
 * server that got it first: an MCP server could name another authorization server later, and so learn the secret (RFC
 * 9700, 4.4).
 * @throws {LoginError} it is another one now, and the person did not agree.
 */
export async function bindSecret(
  authority: Authority,
  { url, oauth }: { readonly url: string; readonly oauth: OAuthConfig },
  { store, confirm }: { readonly store: LoginStore; readonly confirm?: Confirm | undefined },
): Promise<void> {
  const { clientId, clientSecret, privateKey, authServerMetadataUrl } = oauth;
  if (clientId === undefined || (clientSecret ?? privateKey) === undefined || authServerMetadataUrl !== undefined)
    return;
  const now = bindingOf(clientId, authority);
  const before = await store.binding(url);
  if (before && before.clientId === clientId && isSame(before, now)) return;
  if (before && before.clientId === clientId) {
    const what = `its authorization server was ${shown(before)} and is now ${shown(now)}, which would get the client's secret`;
    if (!(await confirm?.(`${what}. Is that right?`)))
      throw new LoginError(`${what}: if that is right, set oauth.authServerMetadataUrl to its metadata`);
  }
  await store.bind(url, now);
}

function bindingOf(clientId: string, { issuer, url, metadata }: Authority): SecretBinding {
  return { version: 1, clientId, issuer, tokenOrigin: new URL(metadata?.token_endpoint ?? url).origin };
}

function isSame(one: SecretBinding, other: SecretBinding): boolean {
  return one.issuer === other.issuer && one.tokenOrigin === other.tokenOrigin;
}

function shown({ issuer, tokenOrigin }: SecretBinding): string {
  const isBelow = URL.parse(issuer)?.origin === tokenOrigin;
  return isBelow ? issuer.slice(0, 200) : `${issuer.slice(0, 200)} (tokens at ${tokenOrigin})`;
}
