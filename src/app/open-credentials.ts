import { join } from "node:path";
import { isSearchService, SEARCH_KEY_VARIABLES } from "../contracts/search-services.ts";
import type { Settings } from "../contracts/settings.ts";
import { systemClock } from "../platform/clock.ts";
import type { Directories } from "../platform/directories.ts";
import type { Environment } from "../platform/env.ts";
import { CredentialFile } from "../services/credentials/credential-file.ts";
import { CredentialStore } from "../services/credentials/credential-store.ts";
import { findKeyring } from "../services/credentials/find-keyring.ts";
import { KeyHelpers } from "../services/credentials/key-helper.ts";
import { vendorOf } from "../services/provider/vendors.ts";

export const CREDENTIALS_FILE = "credentials.json";
/** The provider for which the setting `apiKeyHelper` prints a key. */
const HELPER_PROVIDER = "anthropic";
/** The variable for Anthropic's bearer token. */
const TOKEN_VARIABLE = "ANTHROPIC_AUTH_TOKEN";

export type CredentialEnvironment = {
  readonly env: Environment;
  readonly own: Directories;
  /** The operating system, as `linux`. */
  readonly os: string;
  /** The settings; absent if no helper may run. */
  readonly settings?: Pick<Settings, "apiKeyHelper" | "apiKeyHelperTtlMs" | "providers">;
};

/** Opens the keys of this user, from every place that may contain one. Each place is read only when a key is needed. */
export function openCredentials({ env, own, os, settings = {} }: CredentialEnvironment): CredentialStore {
  const { apiKeyHelper, apiKeyHelperTtlMs, providers = {} } = settings;
  const ofProviders = Object.entries(providers).flatMap(([name, { apiKeyHelper: command }]) =>
    command === undefined ? [] : [[name, command] as const],
  );
  const commands = {
    ...(apiKeyHelper !== undefined && { [HELPER_PROVIDER]: apiKeyHelper }),
    ...Object.fromEntries(ofProviders),
  };
  const ttl = apiKeyHelperTtlMs === undefined ? {} : { ttlMs: apiKeyHelperTtlMs };
  return new CredentialStore({
    file: new CredentialFile(join(own.config, CREDENTIALS_FILE)),
    env,
    variables: (provider) => {
      const named = Object.hasOwn(providers, provider) ? providers[provider]?.apiKeyEnv : undefined;
      return named === undefined ? usualVariables(provider) : [named];
    },
    helpers: new KeyHelpers({ commands, env, clock: systemClock, ...ttl }),
    findKeyring: () => findKeyring({ os, env, configFolder: own.config }),
  });
}

function usualVariables(provider: string): readonly string[] {
  if (isSearchService(provider)) return SEARCH_KEY_VARIABLES[provider];
  const vendor = vendorOf(provider);
  return [...(vendor?.keyEnv ?? []), ...(vendor?.type === "anthropic" ? [TOKEN_VARIABLE] : [])];
}
