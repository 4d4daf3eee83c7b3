import { z } from "zod";
import { parsedJson } from "../../../contracts/parsed-json.ts";
import type { SecretStore } from "../../../contracts/secret-store.ts";

/** Secrets of earlier logins that results are searched for. */
const MAX_SECRETS = 64;
/** The minimum length of a secret that is hidden, because shorter secrets would hide ordinary words. */
const MIN_SECRET_CHARS = 12;

const recordSchema = z.object({
  version: z.literal(1),
  /** The authorization server that issued the tokens, which are sent to no other server. */
  issuer: z.string(),
  tokenEndpoint: z.string(),
  revocationEndpoint: z.string().optional(),
  /** The methods by which the client authenticates at the token endpoint. */
  authMethods: z.array(z.string()).optional(),
  /** RFC 8707. */
  resource: z.string().optional(),
  client: z.object({
    client_id: z.string(),
    client_secret: z.string().optional(),
    token_endpoint_auth_method: z.string().optional(),
  }),
  accessToken: z.string(),
  refreshToken: z.string().optional(),
  scope: z.string().optional(),
  /** Milliseconds since 1970. */
  obtainedAt: z.number(),
  /** Absent if the server did not state it. */
  lifetimeMs: z.number().optional(),
});

/** All stored data of one login. */
export type LoginRecord = z.infer<typeof recordSchema>;

const bindingSchema = z.object({
  version: z.literal(1),
  clientId: z.string(),
  /** The authorization server that may get the client's secret, and the origin of its token endpoint. */
  issuer: z.string(),
  tokenOrigin: z.string(),
});

/** The authorization server that got the secret of a server's configured client. */
export type SecretBinding = z.infer<typeof bindingSchema>;

/** Logins by the address of the server. */
export class LoginStore {
  readonly #secrets: SecretStore;
  readonly #seen = new Set<string>();

  constructor(secrets: SecretStore) {
    this.#secrets = secrets;
  }

  /** The tokens that were read or written by now, so that they can be hidden in results. */
  seen(): readonly string[] {
    return [...this.#seen];
  }

  /** @returns undefined for a missing or invalid entry. @throws {UserFacingError} the store is unusable. */
  async read(url: string): Promise<LoginRecord | undefined> {
    const text = await this.#secrets.read(loginName(url));
    const parsed = text === undefined ? undefined : recordSchema.safeParse(parsedJson(text));
    if (parsed?.success) this.#note(parsed.data);
    return parsed?.data;
  }

  /** Outlives the login, which a server can revoke. @throws {UserFacingError} the store is unusable. */
  async binding(url: string): Promise<SecretBinding | undefined> {
    const text = await this.#secrets.read(bindingName(url));
    return text === undefined ? undefined : bindingSchema.safeParse(parsedJson(text)).data;
  }

  /** @throws {UserFacingError} nothing was stored. */
  async bind(url: string, binding: SecretBinding): Promise<void> {
    await this.#secrets.write(bindingName(url), JSON.stringify(binding));
  }

  /** @returns the place, for people. @throws {UserFacingError} nothing was stored. */
  write(url: string, record: LoginRecord): Promise<string> {
    this.#note(record);
    return this.#secrets.write(loginName(url), JSON.stringify(record));
  }

  /** @returns false if there was no login. @throws {UserFacingError} it may still be there. */
  remove(url: string): Promise<boolean> {
    return this.#secrets.remove(loginName(url));
  }

  /** Hides a secret that is only kept in memory. */
  noteSecret(secret: string): void {
    this.#seen.add(secret);
    for (const oldest of [...this.#seen].slice(0, -MAX_SECRETS)) this.#seen.delete(oldest);
  }

  #note({ accessToken, refreshToken, client }: LoginRecord): void {
    for (const secret of [accessToken, refreshToken, client.client_secret])
      if (secret !== undefined && secret.length >= MIN_SECRET_CHARS) this.noteSecret(secret);
  }
}

/** The name of a server's login: different spellings of an address give the same name. */
export function loginName(url: string): string {
  const parsed = new URL(url);
  parsed.hash = "";
  return parsed.href;
}

/** No server's login can have this name, because the name of a login has no fragment. */
function bindingName(url: string): string {
  return `${loginName(url)}#client`;
}
