import { VENDOR_NAMES, vendorOf } from "./vendors.ts";

/** A server on this machine that answered, and the models that it has. */
export type LocalServer = { readonly provider: string; readonly url: string; readonly models: readonly string[] };

type Look = {
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal;
  /** By provider, where it isn't the usual address. */
  readonly urls?: Readonly<Record<string, string>>;
};

/**
 * Looks which local servers answer on their usual ports. For interactive use only: a script's run never looks around.
 * @param look its signal should end after a few hundred milliseconds; a server that hasn't answered by then isn't there.
 */
export async function findLocalServers({ fetch, signal, urls = {} }: Look): Promise<readonly LocalServer[]> {
  const names = VENDOR_NAMES.filter((name) => vendorOf(name)?.isLocal);
  const found = await Promise.all(
    names.map(async (provider) => {
      const url = urls[provider] ?? vendorOf(provider)?.baseUrl ?? "";
      const models = await modelsAt(url, fetch, signal);
      return models && { provider, url, models };
    }),
  );
  return found.filter((server) => server !== undefined);
}

/** The list that every server of this kind has at /models; undefined for what is none. */
async function modelsAt(
  url: string,
  fetch: Look["fetch"],
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  try {
    const response = await fetch(`${url}/models`, { signal, redirect: "error" });
    const body: unknown = await response.json();
    const data = typeof body === "object" && body !== null && "data" in body ? body.data : undefined;
    if (!response.ok || !Array.isArray(data)) return undefined;
    return data.flatMap((model: unknown) => {
      const id = typeof model === "object" && model !== null && "id" in model ? model.id : undefined;
      return typeof id === "string" ? [id] : [];
    });
  } catch {
    return undefined;
  }
}
