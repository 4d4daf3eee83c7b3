import type { SettingsFile } from "../../contracts/settings.ts";

/** Whose key a helper gives that is written as a plain text. */
const DEFAULT_PROVIDER = "anthropic";

/** The commands that print keys, by provider: of each the highest layer's. @returns undefined where there is none. */
export function apiKeyHelpers(layers: readonly SettingsFile[]): Readonly<Record<string, string>> | undefined {
  const byProvider = layers.flatMap(({ apiKeyHelper }) => {
    if (apiKeyHelper === undefined) return [];
    return typeof apiKeyHelper === "string" ? [{ [DEFAULT_PROVIDER]: apiKeyHelper }] : [apiKeyHelper];
  });
  return byProvider.length === 0 ? undefined : Object.assign({}, ...byProvider);
}
