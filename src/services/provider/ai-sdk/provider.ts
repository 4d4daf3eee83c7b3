import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { AssistantMessage } from "../../../contracts/message.ts";
import type { Clock, ModelCatalog } from "../../../contracts/ports.ts";
import type { Provider, ProviderEvent, ProviderRequest } from "../../../contracts/provider.ts";
import { bareName } from "../model-name.ts";
import { runAttempt } from "../request/attempt.ts";
import { checkedFetch } from "../request/checked-fetch.ts";
import type { FailureContext } from "../request/failure-context.ts";
import { FIRST_EVENT_LOOPBACK_MS, FIRST_EVENT_MS } from "../request/idle-watch.ts";
import { tryUntilAnswered } from "../request/request-loop.ts";
import { UnknownModelNotice } from "../unknown-model.ts";
import { freshIds } from "./fresh-ids.ts";
import { PartReader } from "./read-parts.ts";
import { streamFault } from "./stream-fault.ts";
import { type Call, toCall } from "./to-call.ts";
import type { OpenModel, Wire } from "./wire.ts";

export type AiSdkOptions = {
  /** `openai`, or the name of an endpoint of one's own. */
  readonly name: string;
  readonly wire: Wire;
  readonly baseUrl: { readonly url: string; readonly host: string; readonly isLoopback: boolean };
  /** What sets the address: `OPENAI_BASE_URL`. */
  readonly addressFrom: string;
  readonly apiKey: string | undefined;
  /** What the key came from: `OPENAI_API_KEY`. */
  readonly keyFrom: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly catalog: ModelCatalog;
  readonly clock: Clock;
  /** In [0, 1): spreads the retries. */
  readonly random: () => number;
  readonly fetch?: typeof fetch | undefined;
  readonly proxy?: FailureContext["proxy"];
};

/** A vendor whose protocol the AI SDK's provider objects speak. Their packages are loaded at the first request. */
export function aiSdkProvider(options: AiSdkOptions): Provider {
  return new AiSdkProvider(options);
}

class AiSdkProvider implements Provider {
  readonly name: string;
  readonly #options: AiSdkOptions;
  readonly #unknownModel: UnknownModelNotice;
  #openModel: Promise<OpenModel> | undefined;

  constructor(options: AiSdkOptions) {
    this.name = options.name;
    this.#options = options;
    this.#unknownModel = new UnknownModelNotice(options.catalog);
  }

  async *stream(asked: ProviderRequest, signal: AbortSignal): AsyncGenerator<ProviderEvent, void> {
    signal.throwIfAborted();
    const { catalog, clock, random, wire } = this.#options;
    yield* this.#unknownModel.of(asked.model);
    const request = { ...asked, model: catalog.resolve(asked.model) };
    const capabilities = catalog.capabilities(request.model);
    const call = toCall(request, { wire, capabilities, isOwn: (message) => this.#isOwn(message, request.model) });
    const openModel = await this.#load();
    yield* tryUntilAnswered(
      {
        attempt: (running) => this.#attempt(openModel, call, request, running),
        failureContext: () => this.#failureContext(request.model),
        clock,
        random,
        maxOverloads: request.maxOverloads,
      },
      signal,
    );
  }

  #attempt(openModel: OpenModel, call: Call, request: ProviderRequest, signal: AbortSignal) {
    const { baseUrl, clock, wire, fetch } = this.#options;
    const reader = new PartReader({
      provider: this.name,
      model: request.model,
      namesModel: wire.quirks.namesModel,
      toolName: (sent) => call.names.given(sent),
      freshId: freshIds(request.messages),
    });
    return runAttempt(
      {
        open: (ended, touch) => partsOf(openModel(request, checkedFetch({ fetch, touch })), call, ended),
        reader,
        clock,
        firstEventMs: baseUrl.isLoopback ? FIRST_EVENT_LOOPBACK_MS : FIRST_EVENT_MS,
      },
      signal,
    );
  }

  /** Signatures are good for the provider and the model that gave them. */
  #isOwn(message: AssistantMessage, model: string): boolean {
    return message.provider === this.name && bareName(message.model) === bareName(model);
  }

  #load(): Promise<OpenModel> {
    const { wire, baseUrl, apiKey, headers = {} } = this.#options;
    this.#openModel ??= wire.load({ baseUrl: baseUrl.url, apiKey, headers });
    return this.#openModel;
  }

  #failureContext(model: string): FailureContext {
    const { baseUrl, wire, addressFrom, keyFrom, apiKey, headers = {}, clock, proxy } = this.#options;
    return {
      model,
      host: baseUrl.host,
      endpoint: `${baseUrl.url}${wire.path}`,
      api: wire.api,
      addressFrom,
      keyVariable: keyFrom,
      secrets: [apiKey, ...Object.values(headers)].flatMap((secret) => secret ?? []),
      nowMs: clock.now(),
      proxy,
    };
  }
}

/** @throws {BrokenStreamError}, {RequestFailedError} */
async function* partsOf(
  model: ReturnType<OpenModel>,
  { options }: Call,
  signal: AbortSignal,
): AsyncGenerator<LanguageModelV4StreamPart, void> {
  try {
    const { stream } = await model.doStream({ ...options, abortSignal: signal });
    const reader = stream.getReader();
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
    } finally {
      await reader.cancel().catch(() => {});
    }
  } catch (error) {
    throw streamFault(error);
  }
}
