import type { Settings } from "../contracts/settings.ts";

/** How long a provider keeps a prompt in its cache according to the settings, in milliseconds. */
export function cacheTtlMs({ providers }: Pick<Settings, "providers">, providerName: string): number | undefined {
  return providers?.[providerName]?.cacheTtl === "1h" ? 3_600_000 : undefined;
}
