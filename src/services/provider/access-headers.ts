import type { ProviderType } from "../../contracts/provider-settings.ts";

/** A variable in a header: `${GATEWAY_KEY}`, or `${TEAM:-blue}` with a text for a variable that is not set. */
const VARIABLE = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;
const ANTHROPIC_VERSION = "2023-06-01";

/** `missing`: the first variable that is neither set nor has a default. */
export type ExpandedHeaders = {
  readonly headers: Readonly<Record<string, string>>;
  readonly missing: string | undefined;
};

/** Replaces the variables in the values of headers. A variable that is not set becomes an empty text. */
export function expandHeaders(
  headers: Readonly<Record<string, string>> = {},
  environment: Readonly<Record<string, string | undefined>>,
): ExpandedHeaders {
  let missing: string | undefined;
  const expanded = Object.entries(headers).map(([name, text]): readonly [string, string] => [
    name,
    text.replace(VARIABLE, (_, variable: string, otherwise: string | undefined) => {
      const value = environment[variable]?.trim() || otherwise;
      if (value === undefined) missing ??= variable;
      return value ?? "";
    }),
  ]);
  return { headers: Object.fromEntries(expanded), missing };
}

/** The fields of an endpoint that identify a person. */
type Access = {
  readonly type: ProviderType;
  readonly apiKey: string | undefined;
  readonly authToken: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * The headers that identify a person to an endpoint, with lower-case names: the same for a question about its models as for the
 * requests of a session. The vendors' packages send every key as a Bearer token, except the one for Gemini. The person's own
 * headers replace these.
 */
export function accessHeaders({ type, apiKey, authToken, headers }: Access): Readonly<Record<string, string>> {
  const key = apiKey ?? authToken;
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    ...(type === "anthropic" && { "anthropic-version": ANTHROPIC_VERSION }),
    ...(key !== undefined && (type === "google" ? { "x-goog-api-key": key } : { authorization: `Bearer ${key}` })),
    ...Object.fromEntries(own),
  };
}
