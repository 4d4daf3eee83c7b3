import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { once } from "@quoll/async/once";
import type { AssistantMessage } from "../../../contracts/message.ts";
import type { Clock, ModelCatalog } from "../../../contracts/ports.ts";
import type { Provider, ProviderEvent, ProviderRequest } from "../../../contracts/provider.ts";
import { LARGER_WINDOW } from "../../../contracts/window-limits.ts";
import type { ProxyRoute } from "../../../platform/proxy-route.ts";
import { freshIds } from "../history/fresh-ids.ts";
import { bareName } from "../model-name.ts";
import { ModelNotice } from "../model-notice.ts";
import { proxySecrets } from "../proxy.ts";
import { runAttempt } from "../request/attempt.ts";
import { HttpError, RequestFailedError } from "../request/broken-stream.ts";
import { carriesKey } from "../request/carries-key.ts";
import { checkedFetch } from "../request/checked-fetch.ts";
import { refusedCount } from "../request/count-limit.ts";
import { errorWords } from "../request/error-body.ts";
import type { FailureContext } from "../request/failure-context.ts";
import { patienceWith } from "../request/idle-watch.ts";
import { mayBeTheKey } from "../request/key-refusal.ts";
import { RefreshableKey } from "../request/refreshable-key.ts";
import { tryUntilAnswered } from "../request/request-loop.ts";
import { sentTokens } from "../request/sent-tokens.ts";
import { ToolLimit } from "../request/tool-limit.ts";
import type { SearchForm } from "../search/search-form.ts";
import { PartReader } from "./read-parts.ts";
import { streamFault } from "./stream-fault.ts";
import { type Call, toCall } from "./to-call.ts";
import type { OpenModel, Wire } from "./wire.ts";

/** Local servers return 500 for content that their templates do not support. */
const REFUSALS: ReadonlySet<number> = new Set([400, 422, 500, 501]);

export type AiSdkOptions = {
  /** `openai`, or the name of the user's own endpoint. */
  readonly name: string;
  readonly wire: Wire;
  /** How a request searches the web; undefined if it can't. */
  readonly search?: SearchForm | undefined;
  readonly baseUrl: { readonly url: string; readonly host: string; readonly isLoopback: boolean };
  /** The source of the address: `OPENAI_BASE_URL`. */
  readonly addressFrom: string;
  readonly apiKey: string | undefined;
  /** Looks the key up again after a rejection. */
  readonly renewKey?: (() => Promise<string | undefined>) | undefined;
  /** The source of the key: `OPENAI_API_KEY`. */
  readonly keyFrom: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly catalog: ModelCatalog;
  readonly clock: Clock;
  /** A number in [0, 1) that spreads the retries. */
  readonly random: () => number;
  readonly fetch?: typeof fetch | undefined;
  readonly proxy?: ProxyRoute | undefined;
  /** The allowed silence between two events, if the settings give one. */
  readonly streamIdleMs?: number | undefined;
  readonly nearestModel?: FailureContext["nearestModel"];
  /** Asks a server that loads models for the window with which it loaded one. Never rejects. */
  readonly loadedWindow?: ((model: string) => Promise<number | undefined>) | undefined;
};

/** A vendor whose protocol the AI SDK supports. Its package is loaded at the first request. */
export function aiSdkProvider(options: AiSdkOptions): Provider {
  return new AiSdkProvider(options);
}

class AiSdkProvider implements Provider {
  readonly name: string;
  readonly searchesWeb: boolean;
  readonly #options: AiSdkOptions;
  readonly #notice: ModelNotice;
  /** Loaded with the first answer. */
  readonly #window = once(async () => {
    const { WindowWatch } = await import("../request/window-watch.ts");
    const { catalog, baseUrl, loadedWindow } = this.#options;
    const asking = loadedWindow && { remedy: LARGER_WINDOW, loadedWindow };
    return new WindowWatch({ catalog, host: baseUrl.host, ...asking });
  });
  readonly #tools = new ToolLimit();
  /** Simplified when the server turns out not to know a field. */
  #wire: Wire;
  #openModel: Promise<OpenModel> | undefined;
  readonly #key: RefreshableKey;

  constructor(options: AiSdkOptions) {
    this.name = options.name;
    this.searchesWeb = options.search !== undefined;
    this.#wire = options.wire;
    this.#key = new RefreshableKey(options.apiKey, options.renewKey);
    this.#options = options;
    this.#notice = new ModelNotice(options.catalog);
  }

  async *stream(request: ProviderRequest, signal: AbortSignal): AsyncGenerator<ProviderEvent, void> {
    signal.throwIfAborted();
    const { clock, random } = this.#options;
    yield* this.#notice.of(request.model);
    yield* tryUntilAnswered(
      {
        attempt: (running) => this.#attempt(request, running),
        failureContext: () => ({ ...this.#failureContext(request.model), sentTokens: sentTokens(request) }),
        clock,
        random,
        maxOverloads: request.maxOverloads,
        answered: async (message) => (await this.#window()).answered(request, message),
      },
      signal,
    );
  }

  /** One attempt; if the server rejects an unknown field, immediately another attempt without it. */
  async *#attempt(request: ProviderRequest, signal: AbortSignal): AsyncGenerator<ProviderEvent, void> {
    let asked = request;
    for (let canRenew = true; ; ) {
      try {
        return yield* await this.#once(this.#tools.within(asked), signal);
      } catch (error) {
        const shorter = asked === request ? await this.#shorter(request, error) : undefined;
        if (shorter) {
          asked = shorter;
          continue;
        }
        const words = refusalWords(error);
        const fewer = this.#tools.learn(refusedCount(words), asked, this.#options.baseUrl.host);
        if (fewer !== undefined) {
          yield { type: "notice", message: fewer };
          continue;
        }
        const simpler = request.webSearch ? undefined : this.#wire.simpler(words);
        const isRenewed: boolean = !simpler && canRenew && isKeyRefused(error) && (await this.#key.renewed());
        if (!simpler && !isRenewed) throw error;
        canRenew &&= !isRenewed;
        this.#wire = simpler ?? this.#wire;
        this.#openModel = undefined;
      }
    }
  }

  /** Applies the limits that a refusal states, and remembers them for later requests. */
  async #shorter(request: ProviderRequest, error: unknown): Promise<ProviderRequest | undefined> {
    const words = refusalWords(error);
    const body = error instanceof RequestFailedError && error.cause instanceof HttpError ? error.cause.body : undefined;
    if (words === "") return undefined;
    const { statedLimits, withinLimits } = await import("../request/stated-limits.ts");
    const limits = statedLimits(body, words);
    if (!limits) return undefined;
    this.#options.catalog.learn?.(request.model, limits);
    return withinLimits(request, limits);
  }

  async #once(request: ProviderRequest, signal: AbortSignal): Promise<AsyncGenerator<ProviderEvent, void>> {
    const { clock, fetch, catalog, baseUrl, streamIdleMs } = this.#options;
    const search = await this.#searchOf(request);
    const wire = search?.wire ?? this.#wire;
    const capabilities = catalog.capabilities(request.model);
    const made = toCall(request, { wire, capabilities, isOwn: (message) => this.#isOwn(message, request.model) });
    const call = search ? { ...made, options: { ...search.extend(made.options), includeRawChunks: true } } : made;
    const openModel = await this.#loaded(wire);
    const reader = new PartReader({
      provider: this.name,
      model: request.model,
      namesModel: wire.quirks.namesModel,
      toolName: (sent) => call.names.given(sent),
      freshId: freshIds(request.messages),
      thinkTags: wire.quirks.thinkTags,
      search: search && { reader: search.reader, found: (report) => request.webSearch?.found(report) },
    });
    return runAttempt(
      {
        open(ended, touch) {
          const connection: Connection = {};
          const onBroken = (error: unknown) => {
            connection.broken = { error };
          };
          return partsOf(
            openModel(
              request,
              checkedFetch({
                fetch: search?.sending(fetch) ?? fetch,
                touch,
                onBroken,
                form: wire.form,
                repair: wire.repair?.(),
              }),
              capabilities,
            ),
            call,
            connection,
            ended,
          );
        },
        reader,
        request,
        clock,
        patience: patienceWith(baseUrl, streamIdleMs),
      },
      signal,
    );
  }

  /** The package of a wire; that of the usual one is kept. */
  #loaded(wire: Wire): Promise<OpenModel> {
    const { baseUrl, headers = {} } = this.#options;
    const load = () => wire.load({ baseUrl: baseUrl.url, apiKey: this.#key.value, headers });
    if (wire !== this.#wire) return load();
    this.#openModel ??= load();
    return this.#openModel;
  }

  /** @throws {Error} the provider has no web search. */
  async #searchOf({ webSearch, model }: ProviderRequest) {
    if (!webSearch) return undefined;
    const { search: form } = this.#options;
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

  #failureContext(model: string): FailureContext {
    const { baseUrl, addressFrom, keyFrom, headers = {}, clock, proxy, nearestModel } = this.#options;
    const { path, api } = this.#wire;
    return {
      model,
      host: baseUrl.host,
      endpoint: `${baseUrl.url}${path}`,
      api,
      addressFrom,
      keyVariable: keyFrom,
      isKeyless: this.#key.value === undefined && !carriesKey(headers),
      secrets: [this.#key.value, ...Object.values(headers), ...proxySecrets(proxy)].flatMap((secret) => secret ?? []),
      nowMs: clock.now(),
      proxy,
      nearestModel,
    };
  }
}

function isKeyRefused(error: unknown): boolean {
  const cause = error instanceof RequestFailedError ? error.cause : undefined;
  if (!(cause instanceof HttpError)) return false;
  const { type = "", text = "" } = errorWords(cause.body);
  return mayBeTheKey(cause.status, `${type} ${text}`);
}

/** The server's text for a rejected request; empty for any other failure. */
function refusalWords(error: unknown): string {
  const cause = error instanceof RequestFailedError ? error.cause : undefined;
  if (!(cause instanceof HttpError) || !REFUSALS.has(cause.status ?? 0)) return "";
  const { type = "", text = "" } = errorWords(cause.body);
  return `${type} ${text}`;
}

type Connection = { broken?: { readonly error: unknown } };

/** @throws {BrokenStreamError}, {RequestFailedError} */
async function* partsOf(
  model: ReturnType<OpenModel>,
  { options }: Call,
  connection: Connection,
  signal: AbortSignal,
): AsyncGenerator<readonly LanguageModelV4StreamPart[], void> {
  try {
    const { stream } = await model.doStream({ ...options, abortSignal: signal });
    const reader = stream.getReader();
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        // The SDK can only guess the error of an incomplete body.
        const isLast = next.value.type === "finish" || next.value.type === "error";
        if (isLast && connection.broken) throw new RequestFailedError(connection.broken.error);
        yield [next.value];
      }
    } finally {
      await reader.cancel().catch(() => {});
    }
  } catch (error) {
    throw connection.broken ? new RequestFailedError(connection.broken.error) : streamFault(error);
  }
}
