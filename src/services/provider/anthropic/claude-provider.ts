import type { AssistantMessage } from "../../../contracts/message.ts";
import type { Clock, ModelCatalog } from "../../../contracts/ports.ts";
import type { Provider, ProviderEvent, ProviderRequest } from "../../../contracts/provider.ts";
import { freshIds } from "../history/fresh-ids.ts";
import { bareName } from "../model-name.ts";
import { ModelNotice } from "../model-notice.ts";
import { rowOf } from "../model-rows.ts";
import { RequestFailedError } from "../request/broken.ts";
import { errorWords, field } from "../request/error-body.ts";
import type { FailureContext } from "../request/failure-context.ts";
import { HeldKey } from "../request/held-key.ts";
import { patienceWith } from "../request/idle-watch.ts";
import { mayBeTheKey } from "../request/key-refusal.ts";
import { tryUntilAnswered } from "../request/request-loop.ts";
import { statedLimits, withinLimits } from "../request/stated-limits.ts";
import { answerFormat } from "./answer-format.ts";
import { runAttempt } from "./attempt.ts";
import type { ClaudeClient, ClaudeRequest } from "./client.ts";
import { KnownHistories } from "./history.ts";
import { refusedExtra } from "./refused-extra.ts";
import { type Extra, toClaudeRequest } from "./to-request.ts";

/** Providers that serve Claude: signatures of one are good for the others. */
const CLAUDE_PROVIDERS: ReadonlySet<string> = new Set(["anthropic", "bedrock", "vertex"]);

/** Sent to a server on this machine when there is no key: some want the header, none looks at it. */
export const PLACEHOLDER_KEY = "local";

export type ClaudeOptions = {
  readonly name: string;
  /** Loads the vendor's SDK; called at the first request, and again with each new key. */
  readonly load: (apiKey: string | undefined) => Promise<ClaudeClient>;
  readonly apiKey: string | undefined;
  /** Asks for the key anew, when it was refused. */
  readonly renewKey?: (() => Promise<string | undefined>) | undefined;
  /** Of a failure: all but the model and the time. */
  readonly place: Omit<FailureContext, "model" | "nowMs">;
  readonly isLoopback: boolean;
  /** Silence between two events that is borne, where the settings say. */
  readonly streamIdleMs?: number | undefined;
  readonly cacheTtl?: "5m" | "1h" | undefined;
  readonly catalog: ModelCatalog;
  readonly clock: Clock;
  /** In [0, 1): spreads the retries. */
  readonly random: () => number;
};

/** A provider that speaks the Messages API, wherever it is served. */
export class ClaudeProvider implements Provider {
  readonly name: string;
  readonly #options: ClaudeOptions;
  readonly #notice: ModelNotice;
  /** By model: what the server turned out not to know of it. */
  readonly #without = new Map<string, Set<Extra>>();
  readonly #known = new KnownHistories();
  readonly #key: HeldKey;
  #client: Promise<ClaudeClient> | undefined;

  constructor(options: ClaudeOptions) {
    this.#key = new HeldKey(options.apiKey, options.renewKey);
    this.name = options.name;
    this.#options = options;
    this.#notice = new ModelNotice(options.catalog);
  }

  async *stream(request: ProviderRequest, signal: AbortSignal): AsyncGenerator<ProviderEvent, void> {
    signal.throwIfAborted();
    yield* this.#notice.of(request.model);
    const { clock, random, catalog } = this.#options;
    const model = catalog.resolve(request.model);
    yield* tryUntilAnswered(
      {
        attempt: (running) => this.#attempt({ ...request, model }, running),
        failureContext: () => this.#failureContext(model),
        clock,
        random,
        maxOverloads: request.maxOverloads,
      },
      signal,
    );
  }

  /** The tokens of a request as the vendor counts them; undefined where it counts none, or can't now. */
  async countTokens(request: ProviderRequest, signal: AbortSignal): Promise<number | undefined> {
    signal.throwIfAborted();
    const { countTokens } = await this.#loaded();
    if (!countTokens) return undefined;
    const { body, betas } = await this.#toRequest({ ...request, model: this.#options.catalog.resolve(request.model) });
    const { max_tokens: _, stream: __, ...counted } = body;
    try {
      return await countTokens({ body: counted, betas }, signal);
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  }

  /** One try, and at once another one when the server refuses what it does not know. */
  async *#attempt(request: ProviderRequest, signal: AbortSignal): AsyncGenerator<ProviderEvent, void> {
    const { clock, isLoopback, streamIdleMs } = this.#options;
    let asked = request;
    for (let canRenew = true; ; ) {
      const { open } = await this.#loaded();
      const sent = await this.#toRequest(asked);
      try {
        const patience = patienceWith({ isLoopback }, streamIdleMs);
        const names = { provider: this.name, model: sent.body.model, request, freshId: freshIds(request.messages) };
        return yield* runAttempt({ open: (ended) => open(sent, ended), ...names, clock, patience }, signal);
      } catch (error) {
        if (!(error instanceof RequestFailedError)) throw error;
        // A cloud's SDK keeps a login that failed for good; the next try asks for it anew.
        if (field(error.cause, "status") === undefined) this.#client = undefined;
        const shorter = asked === request ? this.#shorter(request, error.cause) : undefined;
        asked = shorter ?? asked;
        if (shorter) continue;
        if (this.#gaveUp(request.model, refusedExtra(error.cause, sent.body))) continue;
        if (!canRenew || !(await this.#hasNewKey(error.cause))) throw error;
        canRenew = false;
      }
    }
  }

  /** Obeys the limits that a refusal states, and keeps them in mind for later requests. */
  #shorter(request: ProviderRequest, refusal: unknown): ProviderRequest | undefined {
    if (field(refusal, "status") !== 400) return undefined;
    const body = field(refusal, "error");
    const { type = "", text = "" } = errorWords(body);
    const limits = statedLimits(body, `${type} ${text}`);
    if (!limits) return undefined;
    this.#options.catalog.learn?.(request.model, limits);
    return withinLimits(request, limits);
  }

  async #toRequest(request: ProviderRequest): Promise<ClaudeRequest> {
    const { catalog, cacheTtl } = this.#options;
    const capabilities = catalog.capabilities(request.model);
    const { images, documents, known, thinking } = capabilities;
    return toClaudeRequest(request, {
      images,
      documents,
      isOwn: (message) => this.#isOwn(message, request.model),
      // What the settings say of a model goes before the table.
      row: known || thinking ? { ...rowOf(request.model), ...capabilities } : undefined,
      cacheTtl,
      format: request.outputSchema && (await answerFormat(request.outputSchema)),
      without: this.#without.get(request.model),
      known: this.#known,
    });
  }

  /** Sessions of before there were several providers don't tell which one answered. */
  #isOwn({ provider, model }: AssistantMessage, asked: string): boolean {
    const isClaude = provider === undefined || provider === this.name || CLAUDE_PROVIDERS.has(provider);
    return isClaude && !this.#areOtherModels(asked, model);
  }

  /** Only models that the table knows can be told apart: gateways rename the others at will. */
  #areOtherModels(a: string, b: string): boolean {
    if (a === b) return false;
    const { catalog } = this.#options;
    const [one, other] = [a, b].map((name) => bareName(rowOf(name)?.sentAs ?? name));
    return one !== other && catalog.capabilities(a).known && catalog.capabilities(b).known;
  }

  /** @returns whether the next request is without something that this one had. */
  #gaveUp(model: string, extra: Extra | undefined): boolean {
    const without = this.#without.get(model) ?? new Set();
    if (extra === undefined || without.has(extra)) return false;
    this.#without.set(model, without.add(extra));
    return true;
  }

  async #hasNewKey(refusal: unknown): Promise<boolean> {
    const status = field(refusal, "status");
    const { type = "", text = "" } = errorWords(field(refusal, "error"));
    const isRefused = mayBeTheKey(typeof status === "number" ? status : undefined, `${type} ${text}`);
    if (!isRefused || !(await this.#key.renewed())) return false;
    this.#client = undefined;
    return true;
  }

  #loaded(): Promise<ClaudeClient> {
    this.#client ??= this.#options.load(this.#key.value);
    return this.#client;
  }

  #failureContext(model: string): FailureContext {
    const { place, clock } = this.#options;
    const key = this.#key.value;
    const secrets = key === undefined || key === PLACEHOLDER_KEY ? place.secrets : [...place.secrets, key];
    return { ...place, secrets, model, nowMs: clock.now() };
  }
}
