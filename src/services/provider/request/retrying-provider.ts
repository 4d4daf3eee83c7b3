import { lazy } from "@quoll/async/lazy";
import type { CountLimit } from "../../../contracts/errors.ts";
import { type AssistantMessage, NO_USAGE } from "../../../contracts/message.ts";
import type { Clock, ModelCatalog } from "../../../contracts/ports.ts";
import type { Provider, ProviderEvent, ProviderRequest, ToolDeclaration } from "../../../contracts/provider.ts";
import { loadedWindowLine } from "../../../contracts/window-limits.ts";
import { RefreshableKey } from "./api-key.ts";
import { sentTokens } from "./attempt-usage.ts";
import type { FailureContext } from "./failure-context.ts";
import { tryUntilAnswered } from "./request-loop.ts";
import type { StatedLimits } from "./stated-limits.ts";
import type { WindowWatchOptions } from "./window-watch.ts";

export type RetryingOptions = {
  /** `anthropic`, `openai`, or the name of the user's own endpoint. */
  readonly name: string;
  readonly apiKey: string | undefined;
  /** Looks the key up again after a rejection. */
  readonly renewKey?: (() => Promise<string | undefined>) | undefined;
  readonly catalog: ModelCatalog;
  readonly clock: Clock;
  /** A number in [0, 1) that spreads the retries. */
  readonly random: () => number;
  /** The allowed silence between two events, if the settings give one. */
  readonly streamIdleMs?: number | undefined;
};

/** The facts about a failed request that decide whether another one can succeed at once. */
export type Refusal = {
  /** The limits in tokens that the server states. */
  readonly limits: StatedLimits | undefined;
  /** The number of images, documents or tools that the server takes. */
  readonly count: CountLimit | undefined;
  /** True if another key could help. */
  readonly mayBeTheKey: boolean;
  /** Leaves the field that the server does not know out of later requests. @returns false if there is no such field. */
  simplify(): boolean;
};

/** A request in the vendor's form. */
export type PreparedRequest = {
  /** Sends the request once and yields the events of the answer, `done` last. */
  send(signal: AbortSignal): AsyncGenerator<ProviderEvent, void>;
  /** Reads what `send` threw; undefined if the server did not refuse the request. */
  refusal(error: unknown): Promise<Refusal | undefined>;
};

/** A model with a smaller window than this does long work poorly, in tokens. */
const SMALL_WINDOW = 32_768;
/** The maximum number of models for which a provider object remembers notices. */
const MAX_TOLD = 100;

/** What all providers with a server do: notices about the model, retries, limits that the server states, renewed keys. */
export abstract class RetryingProvider<Options extends RetryingOptions> implements Provider {
  readonly name: string;
  protected readonly options: Options;
  protected readonly key: RefreshableKey;
  readonly #notice: ModelNotice;
  readonly #tools = new ToolLimit();
  /** Loaded with the first answer. */
  readonly #window = lazy(async () => {
    const { WindowWatch } = await import("./window-watch.ts");
    return new WindowWatch({ catalog: this.options.catalog, host: this.host, ...this.askingWindow() });
  });

  constructor(options: Options) {
    this.name = options.name;
    this.options = options;
    this.key = new RefreshableKey(options.apiKey, options.renewKey);
    this.#notice = new ModelNotice(options.catalog);
  }

  /** Host and port, for messages. */
  protected abstract readonly host: string;

  protected abstract prepare(request: ProviderRequest): Promise<PreparedRequest>;

  protected abstract failureContext(model: string): FailureContext;

  /** Called when the key has changed: the next request needs another client. */
  protected abstract dropClient(): void;

  /** The model to request for a name. */
  protected resolve(name: string): string {
    return name;
  }

  /** How to ask the server for the window of a loaded model. */
  protected askingWindow(): Pick<WindowWatchOptions, "remedy" | "loadedWindow"> {
    return {};
  }

  /** Called with an answer before it is passed on. */
  protected async answered(_request: ProviderRequest, _message: Omit<AssistantMessage, "id">): Promise<void> {}

  async *stream(given: ProviderRequest, signal: AbortSignal): AsyncGenerator<ProviderEvent, void> {
    signal.throwIfAborted();
    yield* this.#notice.of(given.model);
    const { clock, random } = this.options;
    const request = { ...given, model: this.resolve(given.model) };
    yield* tryUntilAnswered(
      {
        attempt: (running) => this.#attempt(request, running),
        failureContext: () => ({ ...this.failureContext(request.model), sentTokens: sentTokens(request) }),
        clock,
        random,
        maxOverloads: request.maxOverloads,
        answered: async (message) => {
          await this.answered(request, message);
          return (await this.#window()).answered(request, message);
        },
      },
      signal,
    );
  }

  /** One attempt; if the server rejects an unknown field, immediately another attempt without it. */
  async *#attempt(request: ProviderRequest, signal: AbortSignal): AsyncGenerator<ProviderEvent, void> {
    let asked = request;
    for (let canRenew = true; ; ) {
      const prepared = await this.prepare(this.#tools.within(asked));
      try {
        return yield* prepared.send(signal);
      } catch (error) {
        const refusal = await prepared.refusal(error);
        if (!refusal) throw error;
        const shorter = asked === request ? await this.#shorter(request, refusal) : undefined;
        asked = shorter ?? asked;
        if (shorter) continue;
        const fewer = this.#tools.learn(refusal.count, asked, this.host);
        if (fewer !== undefined) {
          yield { type: "notice", message: fewer };
          continue;
        }
        if (refusal.simplify()) continue;
        if (!canRenew || !refusal.mayBeTheKey || !(await this.key.renewed())) throw error;
        canRenew = false;
        this.dropClient();
      }
    }
  }

  /** Applies the limits that a refusal states, and remembers them for later requests. */
  async #shorter(request: ProviderRequest, { limits }: Refusal): Promise<ProviderRequest | undefined> {
    if (!limits) return undefined;
    this.options.catalog.learn?.(request.model, limits);
    const { withinLimits } = await import("./stated-limits.ts");
    return withinLimits(request, limits);
  }
}

/** OpenAI's limit, for a server that does not state its own. */
const USUAL_MAX = 128;

/**
 * The number of tools that a server takes, learnt from its refusal. The first ones stay: Quoll's own tools precede those
 * of MCP servers, so the same declarations always give the same request.
 */
class ToolLimit {
  #max = Number.POSITIVE_INFINITY;
  #kept: { readonly of: readonly ToolDeclaration[]; readonly tools: readonly ToolDeclaration[] } | undefined;

  within<Request extends Pick<ProviderRequest, "tools">>(request: Request): Request {
    const { tools } = request;
    if (tools.length <= this.#max) return request;
    if (this.#kept?.of !== tools) this.#kept = { of: tools, tools: tools.slice(0, this.#max) };
    return { ...request, tools: this.#kept.tools };
  }

  /**
   * @param limit The limit that a refusal states.
   * @returns one line for the person if the next request has fewer tools.
   */
  learn(limit: CountLimit | undefined, { tools }: Pick<ProviderRequest, "tools">, host: string): string | undefined {
    if (limit?.what !== "tools") return undefined;
    const max = limit.max ?? USUAL_MAX;
    if (max >= Math.min(this.#max, tools.length)) return undefined;
    this.#max = max;
    this.#kept = undefined;
    const left = tools.length - max;
    return `${host} takes at most ${max} tools in a request: the last ${left} of ${tools.length} are left out, from "${tools[max]?.name}" on. Turn off MCP servers that you don't need (/mcp), or set tools.defer to "always".`;
  }
}

/** Returns notices about a model before it answers: the tables do not know the model, or the model has no tools. Each notice appears once. */
class ModelNotice {
  readonly #catalog: ModelCatalog;
  readonly #notified = new Set<string>();

  constructor(catalog: ModelCatalog) {
    this.#catalog = catalog;
  }

  async *of(model: string): AsyncGenerator<ProviderEvent, void> {
    const { known, tools, contextWindow, isLoadedWindow } = this.#catalog.capabilities(model);
    if (isLoadedWindow && contextWindow < SMALL_WINDOW && this.#isNew(`loaded ${model}`))
      yield { type: "notice", message: loadedWindowLine(model, contextWindow) };
    if (!known && this.#isNew("unknown")) yield { type: "notice", message: await this.#guesses(model) };
    if (!tools && this.#isNew(`no tools ${model}`)) {
      const message = `The model "${model}" cannot call tools: it can only answer with text (setting models.${model}.tools).`;
      yield { type: "notice", message };
    }
  }

  async #guesses(model: string): Promise<string> {
    const { contextWindow, maxOutputTokens } = this.#catalog.capabilities(model);
    const price = await this.#catalog.cost(model, { ...NO_USAGE, inputTokens: 1 }).catch(() => undefined);
    const unpriced = price === undefined ? ", and the price is unknown" : "";
    return `Quoll has no data about the model "${model}": it assumes a window of ${contextWindow} tokens and at most ${maxOutputTokens} output tokens${unpriced} (correct this with the setting models.${model}).`;
  }

  #isNew(what: string): boolean {
    const isNew = !this.#notified.has(what) && this.#notified.size < MAX_TOLD;
    this.#notified.add(what);
    return isNew;
  }
}
