import type { ModelLimits } from "../../contracts/ports.ts";
import { listModels } from "./server-limits.ts";
import { VENDOR_NAMES, vendorOf } from "./vendors.ts";

/** A running server on this machine, and its models. */
export type LocalServer = {
  readonly provider: string;
  readonly url: string;
  readonly models: readonly { readonly id: string; readonly limits: ModelLimits }[];
};

type Look = {
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal;
  /** Addresses by provider, if not the default address; also for other providers. */
  readonly urls?: Readonly<Record<string, string>>;
};

/** Models that return embeddings or audio. */
const NO_CHAT = /embed|minilm|rerank|(^|[/_-])(bge|gte|e5|whisper|tts)([-_:.]|$)/i;

/**
 * Finds running local servers on their default ports or at the given addresses. For interactive use only: scripts never probe ports.
 * @param look The signal should abort after a few hundred milliseconds; a server that has not answered by then counts
 * as absent.
 */
export async function findLocalServers({ fetch, signal, urls = {} }: Look): Promise<readonly LocalServer[]> {
  const usual = VENDOR_NAMES.filter((name) => vendorOf(name)?.isLocal);
  const names = [...new Set([...usual, ...Object.keys(urls)])];
  const found = await Promise.all(
    names.map(async (provider) => {
      const url = urls[provider] ?? vendorOf(provider)?.baseUrl ?? "";
      const listed = await listModels({ url, fetch, signal, headers: {} });
      return listed && { provider, url, models: listed.filter(({ id }) => !NO_CHAT.test(id)) };
    }),
  );
  return found.filter((server) => server !== undefined);
}
