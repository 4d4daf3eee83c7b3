import type { OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { errorMessage } from "../../../contracts/errors.ts";
import type { Clock } from "../../../contracts/ports.ts";
import { type HeldLock, waitForLock } from "../../../platform/lock-file.ts";
import { bindSecret } from "./bind-secret.ts";
import { type Authority, type Challenge, discover } from "./discover.ts";
import { isLoopback, limitedFetch } from "./limited-fetch.ts";
import { LoginError } from "./login-error.ts";
import type { LoginNotes } from "./login-notes.ts";
import type { LoginRecord, LoginStore } from "./login-record.ts";
import { isUnattended, type OAuthConfig } from "./oauth-config.ts";
import { RevokedLoginError, refreshTokens, requestUnattended } from "./request-token.ts";

/** A token is renewed this long before its end, or after nine tenths of a short life. */
const EARLY_MS = 60_000;
/** How long another process may take to renew the same login. */
const LOCK_WAIT_MS = 45_000;

export type LoginDeps = {
  readonly store: LoginStore;
  readonly notes: LoginNotes;
  readonly clock: Pick<Clock, "now">;
  readonly fetch: FetchLike;
  /** The path of the lock for one server's login. */
  lockFor(url: string): string;
  /** @returns false if no browser could be started. */
  openBrowser(address: string): boolean;
};

export type LoginServer = { readonly url: string; readonly oauth: OAuthConfig };

/** An access token, and when it should be renewed. */
type Token = { readonly text: string; readonly renewAt: number };

type Renewal = {
  /** The token to replace. */
  readonly stale: string | undefined;
  readonly challenge: Challenge;
  /** True if the server has not refused the old token. */
  readonly isStillGood?: true;
};

/** The login of one server during a session: it supplies and renews tokens, and never asks a person. */
export class ServerLogin {
  readonly #server: LoginServer;
  readonly #deps: LoginDeps;
  #token: Token | undefined;
  #isRead = false;
  #renewal: Promise<Token | undefined> | undefined;
  /** A fresh token that the server refused: another renewal would not help. */
  #refused: string | undefined;
  #problem: string | undefined;
  #wantedScope: string | undefined;

  constructor(server: LoginServer, deps: LoginDeps) {
    this.#server = server;
    this.#deps = deps;
  }

  /** True if the server recently asked for a login, and there has been none since. */
  async isKnownToBeMissing(): Promise<boolean> {
    const { notes, store } = this.#deps;
    const { url, oauth } = this.#server;
    return !isUnattended(oauth) && notes.needsLogin(url) && (await store.read(url)) === undefined;
  }

  /** True if requests carry the token of a login. */
  get hasToken(): boolean {
    return this.#token !== undefined;
  }

  /** True if the configuration's client logs in, without a person. */
  get isUnattended(): boolean {
    return isUnattended(this.#server.oauth);
  }

  /** The next request uses the login that was saved in the meantime. */
  readAgain(): void {
    this.#isRead = false;
    this.#wantedScope = undefined;
  }

  /** The reason why there is no token, in a few words; undefined if unknown. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The scopes that the last call lacked. */
  get wantedScope(): string | undefined {
    return this.#wantedScope;
  }

  /**
   * The token for the next request, renewed if it ends soon.
   * @throws {LoginError} an expired one could not be renewed.
   */
  async token(signal: AbortSignal): Promise<string | undefined> {
    if (!this.#isRead) await this.#read();
    const token = this.#token;
    if (!token || this.#deps.clock.now() < token.renewAt) return token?.text;
    return (await this.#renewed({ stale: token.text, isStillGood: true, challenge: {} }, signal))?.text;
  }

  /**
   * A token for another attempt, after the server refused `stale` (or a request without a token).
   * @returns undefined if only a login helps.
   * @throws {LoginError} as `token`.
   */
  async tokenAfter(stale: string | undefined, challenge: Challenge, signal: AbortSignal): Promise<string | undefined> {
    const isOther = this.#token !== undefined && this.#token.text !== stale;
    const isRefused = stale !== undefined && stale === this.#refused;
    const next = isOther ? this.#token : isRefused ? undefined : await this.#renewed({ stale, challenge }, signal);
    if (next) this.#refused = next.text;
    else this.#deps.notes.noteNeed(this.#server.url);
    return next?.text;
  }

  /** The server accepts the token. */
  accepted(): void {
    this.#refused = undefined;
    this.#wantedScope = undefined;
  }

  /**
   * Requests a token with more scopes, because a call needs them.
   * @returns a token with these scopes, if no person is needed.
   */
  async tokenWith(scope: string, challenge: Challenge, signal: AbortSignal): Promise<string | undefined> {
    const isKnown = this.#wantedScope === scope;
    this.#wantedScope = scope;
    this.#deps.notes.noteScope(this.#server.url, scope);
    if (!isUnattended(this.#server.oauth) || isKnown) return undefined;
    return (await this.#renewed({ stale: this.#token?.text, challenge }, signal))?.text;
  }

  async #read(): Promise<void> {
    this.#isRead = true;
    const record = isUnattended(this.#server.oauth) ? undefined : await this.#record();
    this.#token = record && tokenOf(record);
  }

  /** The saved login, if it belongs to the configured client. */
  async #record(): Promise<LoginRecord | undefined> {
    const { url, oauth } = this.#server;
    const record = await this.#deps.store.read(url).catch((cause: unknown) => {
      throw new LoginError(errorMessage(cause).replace(/\.$/, ""), { cause });
    });
    return oauth.clientId === undefined || record?.client.client_id === oauth.clientId ? record : undefined;
  }

  /** Only one renewal runs at a time; all waiting requests get its token. */
  #renewed(wanted: Renewal, signal: AbortSignal): Promise<Token | undefined> {
    this.#renewal ??= this.#renew(wanted, signal).finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #renew(wanted: Renewal, signal: AbortSignal): Promise<Token | undefined> {
    const { url, oauth } = this.#server;
    // A token would be readable on the way.
    if (!URL.canParse(url) || !(new URL(url).protocol === "https:" || isLoopback(new URL(url)))) return undefined;
    this.#token = isUnattended(oauth)
      ? await this.#requested(wanted.challenge, signal)
      : await this.#refreshed(wanted, signal);
    return this.#token;
  }

  async #requested(challenge: Challenge, signal: AbortSignal): Promise<Token> {
    const { url, oauth } = this.#server;
    const fetch = limitedFetch(this.#deps.fetch, signal, { serverUrl: url });
    const metadataUrl = oauth.authServerMetadataUrl;
    const authority = await discover({ serverUrl: url, challenge, metadataUrl, fetch });
    if (oauth.grant === "client_credentials") assertOwnAuthority(authority, this.#server);
    else await bindSecret(authority, this.#server, { store: this.#deps.store });
    const scope = this.#wantedScope ?? challenge.scope;
    const tokens = await requestUnattended({ config: oauth, authority, scope, serverUrl: url, fetch });
    this.#deps.store.noteSecret(tokens.access_token);
    return tokenOf({ accessToken: tokens.access_token, ...timesOf(tokens, this.#deps.clock) });
  }

  async #refreshed(wanted: Renewal, signal: AbortSignal): Promise<Token | undefined> {
    if ((await this.#record()) === undefined) return undefined;
    using _lock = await this.#lock();
    const record = await this.#record();
    // Another process has renewed the login, or removed it.
    if (!record || record.accessToken !== wanted.stale) return record && tokenOf(record);
    return await this.#refresh(record, wanted, signal);
  }

  async #refresh(record: LoginRecord, { isStillGood }: Renewal, signal: AbortSignal): Promise<Token | undefined> {
    const { store, clock, fetch } = this.#deps;
    const { url, oauth } = this.#server;
    try {
      const tokens = await refreshTokens(record, oauth, limitedFetch(fetch, signal, { serverUrl: url }));
      const { refresh_token: refreshToken = record.refreshToken, scope = record.scope } = tokens;
      const next = { ...record, ...keptOf(tokens, clock), refreshToken, scope };
      await store.write(url, next);
      this.#problem = undefined;
      return tokenOf(next);
    } catch (error) {
      if (error instanceof RevokedLoginError) {
        this.#problem = error.message;
        await store.remove(url);
        return undefined;
      }
      // A token that still has some time left is good enough for this request.
      if (isStillGood && endOf(record) > clock.now()) return { text: record.accessToken, renewAt: endOf(record) };
      throw error;
    }
  }

  async #lock(): Promise<HeldLock> {
    const attempt = await waitForLock(this.#deps.lockFor(this.#server.url), LOCK_WAIT_MS);
    if ("lock" in attempt) return attempt.lock;
    const who = attempt.holder ? `pid ${attempt.holder.pid}` : "another program";
    throw new LoginError(`its login is being renewed by ${who}, which does not finish`);
  }
}

/**
 * A server could name the authorization server of another service, and so learn how its client authenticates there.
 * Servers on this machine belong together.
 * @throws {LoginError} neither the configuration nor the server's own origin vouches for the authorization server.
 */
function assertOwnAuthority({ url: issuer, metadata }: Authority, { url, oauth }: LoginServer): void {
  if (oauth.authServerMetadataUrl !== undefined) return;
  const own = new URL(url);
  const isOwn = (address: URL) => address.origin === own.origin || (isLoopback(address) && isLoopback(own));
  const foreign = [issuer, metadata?.token_endpoint ?? issuer].map((one) => new URL(one)).find((one) => !isOwn(one));
  if (foreign === undefined) return;
  throw new LoginError(
    `it wants the client's secret to go to ${foreign.origin}: if that is right, set oauth.authServerMetadataUrl to its metadata`,
  );
}

/** The parts of a record that come with new tokens. */
export function keptOf(tokens: OAuthTokens, clock: Pick<Clock, "now">) {
  return { accessToken: tokens.access_token, ...timesOf(tokens, clock) };
}

function timesOf({ expires_in: seconds }: OAuthTokens, clock: Pick<Clock, "now">) {
  return { obtainedAt: clock.now(), lifetimeMs: seconds === undefined ? undefined : seconds * 1_000 };
}

type Times = Pick<LoginRecord, "accessToken" | "obtainedAt" | "lifetimeMs">;

function tokenOf(record: Times): Token {
  const { accessToken, lifetimeMs = Number.POSITIVE_INFINITY } = record;
  return { text: accessToken, renewAt: endOf(record) - Math.min(EARLY_MS, lifetimeMs / 10) };
}

function endOf({ obtainedAt, lifetimeMs = Number.POSITIVE_INFINITY }: Times): number {
  return obtainedAt + lifetimeMs;
}
