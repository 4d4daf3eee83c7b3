import { lazy } from "@quoll/async/lazy";
import type { Provider } from "../contracts/provider.ts";
import type { Settings } from "../contracts/settings.ts";
import type { Directories } from "../platform/directories.ts";
import type { Environment } from "../platform/env.ts";
import type { Host } from "../platform/host.ts";
import type { Endpoint } from "../services/provider/endpoint.ts";
import { RateLimitLog } from "../services/provider/rate-limits/rate-limit-log.ts";

/** The maximum number of remembered keys from helpers; the oldest are dropped. */
const MAX_KNOWN_KEYS = 64;
/** An endpoint that has not listed its models after this time counts as unreachable. */
const LIST_WAIT_MS = 5_000;

/** The settings about keys. */
export type AccessSettings = Pick<Settings, "apiKeyHelper" | "apiKeyHelperTtlMs" | "models" | "providers">;

type AccessRequest = {
  readonly env: Environment;
  readonly own: Directories;
  readonly machine: Pick<Host, "os">;
  readonly settings: AccessSettings;
};

export type ModelAccess = ReturnType<typeof openAccess> & {
  /** Providers of extensions, by name. */
  readonly ownProviders?: ReadonlyMap<string, Provider> | undefined;
};

/** The sources of the providers' keys and addresses. The store of keys is loaded at its first use. */
export function openAccess({ env, own, machine, settings }: AccessRequest) {
  const store = lazy(async () => {
    const { openCredentials } = await import("./open-credentials.ts");
    return openCredentials({ env, own, os: machine.os, settings });
  });
  const keys = new Set<string>();
  const credentials = {
    lookup: async (provider: string) => {
      const found = await (await store()).lookup(provider);
      if (found?.key !== undefined) keys.add(found.key);
      for (const oldest of [...keys].slice(0, -MAX_KNOWN_KEYS)) keys.delete(oldest);
      return found;
    },
    list: async () => (await store()).list(),
    forget: async (provider: string) => (await store()).forget(provider),
  };
  const askModels = async (endpoint: Endpoint) =>
    (await import("../services/provider/model-list.ts")).askModels(endpoint, AbortSignal.timeout(LIST_WAIT_MS));
  const models = Object.keys(settings.models ?? {});
  const rateLimits = new RateLimitLog(() => Date.now());
  const { providers } = settings;
  return { environment: env, providers, models, credentials, askModels, rateLimits, keys: () => [...keys] };
}

/** The same access, and the providers of extensions. */
export function withProviders(
  { environment, providers, models, credentials, askModels, rateLimits, keys }: ModelAccess,
  ownProviders: ReadonlyMap<string, Provider> | undefined,
): ModelAccess {
  return { environment, providers, models, credentials, askModels, rateLimits, keys, ownProviders };
}
