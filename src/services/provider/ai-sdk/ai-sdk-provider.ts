import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { AssistantMessage } from "../../../contracts/message.ts";
import type { Provider, ProviderRequest } from "../../../contracts/provider.ts";
import { LARGER_WINDOW } from "../../../contracts/window-limits.ts";
import type { ProxyRoute } from "../../../platform/proxy-route.ts";
import { freshIds } from "../history/call-ids.ts";
import { bareName } from "../model-reference.ts";
import { proxySecrets } from "../proxy.ts";
import { carriesKey, mayBeTheKey } from "../request/api-key.ts";
import { runAttempt } from "../request/attempt.ts";
import { HttpError, RequestFailedError } from "../request/broken-stream.ts";
import { checkedFetch } from "../request/checked-fetch.ts";
import { refusedCount } from "../request/count-limit.ts";
import { errorWords } from "../request/error-body.ts";
import type { FailureContext } from "../request/failure-context.ts";
import { patienceWith } from "../request/idle-watch.ts";
import {
  type PreparedRequest,
  type Refusal,
  type RetryingOptions,
  RetryingProvider,
} from "../request/retrying-provider.ts";
import type { SearchForm } from "../search/search-form.ts";
import { PartReader } from "./read-parts.ts";
import { streamFault } from "./stream-fault.ts";
import { type CallOptions, toCall } from "./to-call.ts";
import type { OpenModel, Wire } from "./wire.ts";

/** Local servers return 500 for content that their templates do not support. */
const REFUSALS: ReadonlySet<number> = new Set([400, 422, 500, 501]);

export type AiSdkOptions = RetryingOptions & {
  readonly wire: Wire;
  /** How a request searches the web; undefined if it can't. */
  readonly search?: SearchForm | undefined;
  readonly baseUrl: { readonly url: string; readonly host: string; readonly isLoopback: boolean };
  /** The source of the address: `OPENAI_BASE_URL`. */
  readonly addressFrom: string;
  /** The source of the key: `OPENAI_API_KEY`. */
  readonly keyFrom: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch | undefined;
  readonly proxy?: ProxyRoute | undefined;
  readonly nearestModel?: FailureContext["nearestModel"];
  /** Asks a server that loads models for the window with which it loaded one. Never rejects. */
  readonly loadedWindow?: ((model: string) => Promise<number | undefined>) | undefined;
};

/** A vendor whose protocol the AI SDK supports. Its package is loaded at the first request. */
export function aiSdkProvider(options: AiSdkOptions): Provider {
  return new AiSdkProvider(options);
}

class AiSdkProvider extends RetryingProvider<AiSdkOptions> {
  readonly searchesWeb: boolean;
  protected readonly host: string;
  /** Simplified when the server turns out not to know a field. */
  #wire: Wire;
  #openModel: Promise<OpenModel> | undefined;

  constructor(options: AiSdkOptions) {
    super(options);
    this.searchesWeb = options.search !== undefined;
    this.host = options.baseUrl.host;
    this.#wire = options.wire;
  }

  protected override askingWindow() {
    const { loadedWindow } = this.options;
    return loadedWindow ? { remedy: LARGER_WINDOW, loadedWindow } : {};
  }

  protected async prepare(request: ProviderRequest): Promise<PreparedRequest> {
    const send = await this.#sending(request);
    return { send, refusal: (error) => this.#refusal(request, error) };
  }

  async #refusal({ webSearch }: ProviderRequest, error: unknown): Promise<Refusal | undefined> {
    const cause = error instanceof RequestFailedError ? error.cause : undefined;
    if (!(cause instanceof HttpError)) return undefined;
    const { type = "", text = "" } = errorWords(cause.body);
    const words = `${type} ${text}`;
    const isRefused = REFUSALS.has(cause.status ?? 0);
    const { statedLimits } = await import("../request/stated-limits.ts");
    return {
      limits: isRefused ? statedLimits(cause.body, words) : undefined,
      count: isRefused ? refusedCount(words) : undefined,
      mayBeTheKey: mayBeTheKey(cause.status, words),
      simplify: () => {
        const simpler = isRefused && !webSearch ? this.#wire.simpler(words) : undefined;
        if (!simpler) return false;
        this.#wire = simpler;
        this.dropClient();
        return true;
      },
    };
  }

  protected dropClient(): void {
    this.#openModel = undefined;
  }

  async #sending(request: ProviderRequest): Promise<PreparedRequest["send"]> {
    const { clock, fetch, catalog, baseUrl, streamIdleMs } = this.options;
    const search = await this.#searchOf(request);
    const wire = search?.wire ?? this.#wire;
    const capabilities = catalog.capabilities(request.model);
    const made = toCall(request, { wire, capabilities, isOwn: (message) => this.#isOwn(message, request.model) });
    const call = search ? { ...search.extend(made), includeRawChunks: true } : made;
    const openModel = await this.#loaded(wire);
    return (signal) => {
      const reader = new PartReader({
        provider: this.name,
        model: request.model,
        namesModel: wire.quirks.namesModel,
        freshId: freshIds(request.messages),
        thinkTags: wire.quirks.thinkTags,
        search: search && { reader: search.reader, found: (report) => request.webSearch?.found(report) },
      });
      const open = (ended: AbortSignal, touch: () => void) => {
        const connection: Connection = {};
        const onBroken = (error: unknown) => {
          connection.broken = { error };
        };
        const sent = search?.sending(fetch) ?? fetch;
        const checked = checkedFetch({ fetch: sent, touch, onBroken, form: wire.form, repair: wire.repair?.() });
        return partsOf(openModel(request, checked, capabilities), call, connection, ended);
      };
      return runAttempt({ open, reader, request, clock, patience: patienceWith(baseUrl, streamIdleMs) }, signal);
    };
  }

  /** The package of a wire; that of the usual one is kept. */
  #loaded(wire: Wire): Promise<OpenModel> {
    const { baseUrl, headers = {} } = this.options;
    const load = () => wire.load({ baseUrl: baseUrl.url, apiKey: this.key.value, headers });
    if (wire !== this.#wire) return load();
    this.#openModel ??= load();
    return this.#openModel;
  }

  /** @throws {Error} the provider has no web search. */
  async #searchOf({ webSearch, model }: ProviderRequest) {
    if (!webSearch) return undefined;
    const { search: form } = this.options;
    if (form === undefined) throw new Error(`The provider ${this.name} has no web search.`);
    const { SDK_SEARCHES, changingBody } = await import("../search/sdk-search.ts");
    const { body, ...search } = SDK_SEARCHES[form]({ search: webSearch, wire: this.#wire, model });
    const sending = (fetch = globalThis.fetch) => (body ? changingBody(fetch, body) : fetch);
    return { ...search, sending };
  }

  /** Signatures are valid for the provider and model that created them; returned reasoning is valid for all models of the provider. */
  #isOwn(message: AssistantMessage, model: string): boolean {
    if (message.provider !== this.name) return false;
    return this.#wire.quirks.reasoningBack === "required" || bareName(message.model) === bareName(model);
  }

  protected failureContext(model: string): FailureContext {
    const { baseUrl, addressFrom, keyFrom, headers = {}, clock, proxy, nearestModel } = this.options;
    const { path, api } = this.#wire;
    return {
      model,
      host: baseUrl.host,
      endpoint: `${baseUrl.url}${path}`,
      api,
      addressFrom,
      keyVariable: keyFrom,
      isKeyless: this.key.value === undefined && !carriesKey(headers),
      secrets: [this.key.value, ...Object.values(headers), ...proxySecrets(proxy)].flatMap((secret) => secret ?? []),
      nowMs: clock.now(),
      proxy,
      nearestModel,
    };
  }
}

type Connection = { broken?: { readonly error: unknown } };

/** @throws {BrokenStreamError}, {RequestFailedError} */
async function* partsOf(
  model: ReturnType<OpenModel>,
  options: CallOptions,
  connection: Connection,
  signal: AbortSignal,
): AsyncGenerator<readonly LanguageModelV4StreamPart[], void> {
  try {
    const { stream } = await model.doStream({ ...options, abortSignal: signal });
    for await (const part of stream) {
      // The SDK can only guess the error of an incomplete body.
      const isLast = part.type === "finish" || part.type === "error";
      if (isLast && connection.broken) throw new RequestFailedError(connection.broken.error);
      yield [part];
    }
  } catch (error) {
    throw connection.broken ? new RequestFailedError(connection.broken.error) : streamFault(error);
  }
}
