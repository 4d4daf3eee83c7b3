import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages";
import { UserFacingError } from "../../../contracts/errors.ts";
import type { Clock, ModelCatalog } from "../../../contracts/ports.ts";
import type { Provider, ProviderEvent, ProviderRequest } from "../../../contracts/provider.ts";
import { bareName } from "../model-name.ts";
import type { FailureContext } from "../request/failure-context.ts";
import { FIRST_EVENT_LOOPBACK_MS, FIRST_EVENT_MS } from "../request/idle-watch.ts";
import { tryUntilAnswered } from "../request/request-loop.ts";
import { runAttempt } from "./attempt.ts";
import { type BaseUrl, parseBaseUrl } from "./base-url.ts";
import type { OpenStream } from "./client.ts";
import { toRequest } from "./to-request.ts";

/** Sent to a server on this machine when there is no key: some want the header, none looks at it. */
const PLACEHOLDER_KEY = "local";

type AnthropicOptions = {
  readonly apiKey?: string | undefined;
  /** Used when there is no `apiKey`: sent as a Bearer token. */
  readonly authToken?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly catalog: ModelCatalog;
  readonly clock: Clock;
  /** In [0, 1): spreads the retries. */
  readonly random: () => number;
  readonly fetch?: typeof fetch | undefined;
};

/**
 * Anthropic's Messages API, and servers that speak it.
 * @throws {UserFacingError} (exit 2) the address is unusable, or it is not this machine's and there is no key.
 */
export function anthropicProvider(options: AnthropicOptions): Provider {
  return new AnthropicProvider(options);
}

class AnthropicProvider implements Provider {
  readonly name = "anthropic";
  readonly #options: AnthropicOptions;
  readonly #baseUrl: BaseUrl;
  #client: Promise<OpenStream> | undefined;
  #isUnknownModelTold = false;

  constructor(options: AnthropicOptions) {
    this.#baseUrl = parseBaseUrl(options.baseUrl);
    this.#options = withKey(options, this.#baseUrl);
  }

  async *stream(request: ProviderRequest, signal: AbortSignal): AsyncGenerator<ProviderEvent, void> {
    signal.throwIfAborted();
    yield* this.#unknownModelNotice(request.model);
    const body = this.#body(request);
    const openStream = await this.#openStream();
    const { clock, random } = this.#options;
    yield* tryUntilAnswered(
      {
        attempt: (running) => this.#attempt(openStream, body, running),
        failureContext: () => this.#failureContext(body.model),
        clock,
        random,
        maxOverloads: request.maxOverloads,
      },
      signal,
    );
  }

  #attempt(openStream: OpenStream, body: MessageCreateParamsStreaming, signal: AbortSignal) {
    const { clock } = this.#options;
    const firstEventMs = this.#baseUrl.isLoopback ? FIRST_EVENT_LOOPBACK_MS : FIRST_EVENT_MS;
    return runAttempt({ open: (ended) => openStream(body, ended), model: body.model, clock, firstEventMs }, signal);
  }

  #body(request: ProviderRequest): MessageCreateParamsStreaming {
    const { catalog } = this.#options;
    const model = catalog.resolve(request.model);
    const { images, documents } = catalog.capabilities(model);
    return toRequest(
      { ...request, model },
      { images, documents, isSameModel: (other) => !this.#areOtherModels(model, other) },
    );
  }

  /** Only models that the table knows can be told apart: gateways rename the others at will. */
  #areOtherModels(a: string, b: string): boolean {
    const { catalog } = this.#options;
    return bareName(a) !== bareName(b) && catalog.capabilities(a).known && catalog.capabilities(b).known;
  }

  *#unknownModelNotice(model: string): Generator<ProviderEvent, void> {
    const { known, contextWindow, maxOutputTokens } = this.#options.catalog.capabilities(model);
    if (known || this.#isUnknownModelTold) return;
    this.#isUnknownModelTold = true;
    yield {
      type: "notice",
      message: `The model "${model}" is not in the table of models: a window of ${contextWindow} tokens and at most ${maxOutputTokens} tokens of output are assumed, and its price is unknown.`,
    };
  }

  /** The SDK is loaded at the first request. */
  #openStream(): Promise<OpenStream> {
    const { apiKey, authToken, fetch } = this.#options;
    this.#client ??= import("./client.ts").then(({ anthropicClient }) =>
      anthropicClient({ apiKey, authToken, baseUrl: this.#baseUrl.url, fetch }),
    );
    return this.#client;
  }

  #failureContext(model: string): FailureContext {
    const { apiKey, authToken, clock } = this.#options;
    return {
      model,
      host: this.#baseUrl.host,
      endpoint: `${this.#baseUrl.url}/v1/messages`,
      api: "Messages API",
      addressFrom: "ANTHROPIC_BASE_URL",
      keyVariable: apiKey === undefined ? "ANTHROPIC_AUTH_TOKEN" : "ANTHROPIC_API_KEY",
      secrets: [apiKey, authToken].flatMap((key) => (key === undefined || key === PLACEHOLDER_KEY ? [] : [key])),
      nowMs: clock.now(),
    };
  }
}

function withKey(options: AnthropicOptions, { isLoopback, host }: BaseUrl): AnthropicOptions {
  const apiKey = options.apiKey?.trim() || undefined;
  const authToken = options.authToken?.trim() || undefined;
  if (apiKey === undefined && authToken === undefined && !isLoopback) {
    throw new UserFacingError(`There is no key for ${host}: set ANTHROPIC_API_KEY.`, 2);
  }
  return { ...options, apiKey: apiKey ?? (authToken === undefined ? PLACEHOLDER_KEY : undefined), authToken };
}
