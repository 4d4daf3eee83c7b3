import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages";
import { ProviderError, UserFacingError } from "../../../contracts/errors.ts";
import type { Clock, ModelCatalog } from "../../../contracts/ports.ts";
import type { Provider, ProviderEvent, ProviderRequest } from "../../../contracts/provider.ts";
import { bareName } from "../model-name.ts";
import { type Failure, MAX_ATTEMPTS, MAX_RETRY_AFTER_MS, planRetry } from "../retry.ts";
import { runAttempt } from "./attempt.ts";
import { type BaseUrl, parseBaseUrl } from "./base-url.ts";
import type { OpenStream } from "./client.ts";
import { type FailureContext, readFailure } from "./failure.ts";
import { FIRST_EVENT_LOOPBACK_MS, FIRST_EVENT_MS } from "./idle-watch.ts";
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
    for (let attempt = 1; ; attempt += 1) {
      let isShown = false;
      try {
        for await (const event of this.#attempt(openStream, body, signal)) {
          if (event.type !== "notice" && event.type !== "done") isShown = true;
          yield event;
        }
        return;
      } catch (error) {
        signal.throwIfAborted();
        const failure = readFailure(error, this.#failureContext(body.model));
        if (!failure) throw error;
        const delayMs = this.#delayMs(failure, attempt, error);
        if (isShown) yield { type: "restarted", reason: failure.message };
        yield retryEvent(failure, attempt, delayMs);
        await this.#options.clock.sleep(delayMs, signal);
      }
    }
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

  /** @throws {ProviderError} there is no next try. */
  #delayMs(failure: Failure, attempt: number, cause: unknown): number {
    const plan = planRetry(failure, attempt, this.#options.random);
    if (plan.retry) return plan.delayMs;
    throw new ProviderError(finalMessage(failure, plan.because, this.#options.clock.now()), failure.status, { cause });
  }

  #failureContext(model: string): FailureContext {
    const { apiKey, authToken, clock } = this.#options;
    return {
      model,
      host: this.#baseUrl.host,
      baseUrl: this.#baseUrl.url,
      keyVariable: apiKey === undefined ? "ANTHROPIC_AUTH_TOKEN" : "ANTHROPIC_API_KEY",
      secret: (apiKey ?? authToken ?? PLACEHOLDER_KEY) === PLACEHOLDER_KEY ? "" : (apiKey ?? authToken ?? ""),
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

/** `attempt` of the event is the try that comes next. */
function retryEvent({ status, message }: Failure, failedAttempt: number, delayMs: number): ProviderEvent {
  return { type: "retry", attempt: failedAttempt + 1, maxAttempts: MAX_ATTEMPTS, delayMs, status, message };
}

function finalMessage(
  { message, retryAfterMs = 0 }: Failure,
  because: "final" | "spent" | "too_long",
  nowMs: number,
): string {
  if (because === "final") return message;
  if (because === "spent") return `${message} It was tried ${MAX_ATTEMPTS} times.`;
  const seconds = Math.ceil(retryAfterMs / 1000);
  const until = new Date(nowMs + retryAfterMs).toISOString().replace(/\.\d+Z$/, "Z");
  return `${message} It asks to wait ${seconds} s, more than the ${MAX_RETRY_AFTER_MS / 1000} s that are waited for: try again after ${until}.`;
}
