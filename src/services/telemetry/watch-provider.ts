import type { Usage } from "../../contracts/message.ts";
import type { Provider, ProviderEvent, ProviderRequest } from "../../contracts/provider.ts";

/** Callbacks of one request. None of these throws. */
export type RequestWatch = {
  /** The usage of an attempt that the server accepted. */
  spent(usage: Usage): void;
  note(event: ProviderEvent): void;
  fail(error: unknown, isAborted: boolean): void;
  /** The reader stopped before the end; has no effect after an end. */
  abandon(): void;
};

/** Returns the same provider, with each request observed. Events and errors are passed on unchanged. */
export function watchProvider(provider: Provider, start: (request: ProviderRequest) => RequestWatch): Provider {
  const countTokens = provider.countTokens?.bind(provider);
  return {
    name: provider.name,
    ...(countTokens && { countTokens }),
    stream: (request, signal) => watched(provider, request, signal, start),
  };
}

async function* watched(
  provider: Provider,
  request: ProviderRequest,
  signal: AbortSignal,
  start: (request: ProviderRequest) => RequestWatch,
): AsyncGenerator<ProviderEvent, void> {
  const watch = start(request);
  try {
    const counted = {
      ...request,
      spent(usage: Usage) {
        watch.spent(usage);
        request.spent?.(usage);
      },
    };
    for await (const event of provider.stream(counted, signal)) {
      watch.note(event);
      yield event;
    }
  } catch (error) {
    watch.fail(error, signal.aborted);
    throw error;
  } finally {
    watch.abandon();
  }
}
