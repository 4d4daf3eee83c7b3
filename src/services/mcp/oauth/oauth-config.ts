import { z } from "zod";

const text = z.string().min(1);

/** The part `oauth` of a server's entry; every field is optional. Field names follow those of similar tools. */
export const oauthSchema = z.object({
  /** A client that was registered manually; without it, Quoll registers itself. */
  clientId: text.optional(),
  clientSecret: text.optional(),
  /** The port of the manually registered redirect address. */
  callbackPort: z.number().int().min(1).max(65_535).optional(),
  /** The scopes as a list, or as one text with spaces. */
  scopes: z.union([z.string(), z.array(text)]).optional(),
  /** The address of the authorization server's metadata, if the server does not name it. */
  authServerMetadataUrl: text.optional(),
  /** The https address of a client id metadata document. */
  clientMetadataUrl: text.optional(),
  /** `client_credentials` and `cross_app_access` need no person. */
  grant: z.enum(["authorization_code", "client_credentials", "cross_app_access"]).optional(),
  /** PKCS #8 in PEM, for `private_key_jwt`. */
  privateKey: text.optional(),
  /** The algorithm of the private key. */
  algorithm: text.optional(),
  /** The identity provider of `cross_app_access`. */
  idpTokenEndpoint: text.optional(),
  idpClientId: text.optional(),
  idpClientSecret: text.optional(),
  /** The person's id token from this provider. */
  idToken: text.optional(),
});

export type OAuthConfig = z.infer<typeof oauthSchema>;

/** The problem of a configuration in a few words, or undefined. */
export function oauthProblem(config: OAuthConfig): string | undefined {
  const { grant, clientId, clientSecret, privateKey, algorithm, idpTokenEndpoint, idpClientId, idToken } = config;
  if (clientSecret !== undefined && clientId === undefined) return "clientSecret needs clientId";
  if (privateKey !== undefined && (clientId === undefined || algorithm === undefined))
    return "privateKey needs clientId and algorithm";
  if (grant === "client_credentials" && (clientId === undefined || (clientSecret ?? privateKey) === undefined))
    return "the grant client_credentials needs clientId, and clientSecret or privateKey";
  if (grant === "cross_app_access" && [clientId, idpTokenEndpoint, idpClientId, idToken].includes(undefined))
    return "the grant cross_app_access needs clientId, idpTokenEndpoint, idpClientId and idToken";
  return undefined;
}

/** True if the login needs no person at a browser. */
export function isUnattended({ grant }: OAuthConfig): boolean {
  return grant === "client_credentials" || grant === "cross_app_access";
}

/** The configured scopes as one text; undefined if there are none. */
export function configuredScope({ scopes }: OAuthConfig): string | undefined {
  const words = typeof scopes === "string" ? scopes.split(/\s+/) : (scopes ?? []);
  return joinScopes(words);
}

/** Scopes without duplicates; undefined if there are none. */
export function joinScopes(...parts: readonly (string | readonly string[] | undefined)[]): string | undefined {
  const words = parts.flatMap((part) => (typeof part === "string" ? part.split(/\s+/) : (part ?? [])));
  return [...new Set(words.filter((word) => word !== ""))].join(" ") || undefined;
}
