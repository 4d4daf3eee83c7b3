import type { ModelLimits } from "../../contracts/ports.ts";
import { listModels } from "./server-limits.ts";
import { VENDOR_NAMES, vendorOf } from "./vendors.ts";

/** A server on this machine that answered, and the models that it has. */
export type LocalServer = {
  readonly provider: string;
  readonly url: string;
  readonly models: readonly { readonly id: string; readonly limits: ModelLimits }[];
};

type Look = {
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal;
  /** By provider, where it isn't the usual address; also of other providers. */
  readonly urls?: Readonly<Record<string, string>>;
};

/** Models that answer with numbers, or with sounds. */
const NO_CHAT = /embed|minilm|rerank|(^|[/_-])(bge|gte|e5|whisper|tts)([-_:.]|$)/i;

/**
 * Looks which local servers answer, on their usual ports or where it is told. For interactive use only: a script's run never looks around.
 * @param look its signal should end after a few hundred milliseconds; a server that hasn't answered by then isn't there.
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
