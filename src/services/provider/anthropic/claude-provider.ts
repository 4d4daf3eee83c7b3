import { once } from "@quoll/async/once";
import type { AssistantMessage } from "../../../contracts/message.ts";
import type { Clock, ModelCatalog } from "../../../contracts/ports.ts";
import type { Provider, ProviderEvent, ProviderRequest } from "../../../contracts/provider.ts";
import { freshIds } from "../history/fresh-ids.ts";
import { KnownHistories } from "../history/turns.ts";
import { bareName } from "../model-name.ts";
import { ModelNotice } from "../model-notice.ts";
import { rowOf } from "../model-rows.ts";
import { RequestFailedError } from "../request/broken-stream.ts";
import type { FailureContext } from "../request/failure-context.ts";
import { patienceWith } from "../request/idle-watch.ts";
import { RefreshableKey } from "../request/refreshable-key.ts";
import { tryUntilAnswered } from "../request/request-loop.ts";
import { sentTokens } from "../request/sent-tokens.ts";
import { ToolLimit } from "../request/tool-limit.ts";
import { answerFormat } from "./answer-format.ts";
import { runAttempt } from "./attempt.ts";
import type { ClaudeClient, ClaudeRequest } from "./client.ts";
import type { Refusal } from "./refusal.ts";
import { type Extra, toClaudeRequest } from "./to-request.ts";

/** Providers of Claude, whose signatures are valid for each other. */
const CLAUDE_PROVIDERS: ReadonlySet<string> = new Set(["anthropic", "bedrock", "vertex"]);

/** Sent to a server on this machine without a key: some servers require the header, none checks it. */
export const PLACEHOLDER_KEY = "local";

export type ClaudeOptions = {
  readonly name: string;
  readonly searchesWeb?: boolean | undefined;
  /** Loads the vendor's SDK; called at the first request, and again for each new key. */
  readonly load: (apiKey: string | undefined) => Promise<ClaudeClient>;
  readonly apiKey: string | undefined;
  /** Looks the key up again after a rejection. */
  readonly renewKey?: (() => Promise<string | undefined>) | undefined;
  /** The context of a failure, except the model and the time. */
  readonly place: Omit<FailureContext, "model" | "nowMs">;
  readonly isLoopback: boolean;
  /** The allowed silence between two events, if the settings give one. */
  readonly streamIdleMs?: number | undefined;
  readonly cacheTtl?: "5m" | "1h" | undefined;
  readonly catalog: ModelCatalog;
  readonly clock: Clock;
  /** A number in [0, 1) that spreads the retries. */
  readonly random: () => number;
};

/** A provider of the Messages API, on any platform. */
export class ClaudeProvider implements Provider {
  readonly name: string;
  readonly searchesWeb: boolean;
  readonly #options: ClaudeOptions;
  readonly #notice: ModelNotice;
  /** Loaded with the first answer. */
  readonly #window = once(async () => {
    const { WindowWatch } = await import("../request/window-watch.ts");
    const { catalog, place } = this.#options;
    return new WindowWatch({ catalog, host: place.host });
  });
  readonly #assembler = once(async () => (await import("./from-stream.ts")).MessageAssembler);
  readonly #tools = new ToolLimit();
  /** The fields that the server has refused, by model. */
  readonly #without = new Map<string, Set<Extra>>();
  readonly #known = new KnownHistories();
  readonly #key: RefreshableKey;
  #client: Promise<ClaudeClient> | undefined;

  constructor(options: ClaudeOptions) {
    this.#key = new RefreshableKey(options.apiKey, options.renewKey);
    this.name = options.name;
    this.searchesWeb = options.searchesWeb === true;
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
        failureContext: () => ({ ...this.#failureContext(model), sentTokens: sentTokens(request) }),
        clock,
        random,
        maxOverloads: request.maxOverloads,
        answered: async (message) => {
          if (request.webSearch) request.webSearch.found(await claudeReport(message));
          return (await this.#window()).answered({ ...request, model }, message);
        },
      },
      signal,
    );
  }

  /** The vendor's token count of a request; undefined if the vendor cannot count, or not now. */
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

  /** One attempt; if the server rejects an unknown field, immediately another attempt without it. */
  async *#attempt(request: ProviderRequest, signal: AbortSignal): AsyncGenerator<ProviderEvent, void> {
    const { clock, isLoopback, streamIdleMs } = this.#options;
    let asked = request;
    for (let canRenew = true; ; ) {
      const { open } = await this.#loaded();
      const sent = await this.#toRequest(this.#tools.within(asked));
      try {
        const patience = patienceWith({ isLoopback }, streamIdleMs);
        const names = { provider: this.name, model: sent.body.model, request, freshId: freshIds(request.messages) };
        const reading = { open: (ended: AbortSignal) => open(sent, ended), assembler: this.#assembler };
        return yield* runAttempt({ ...reading, ...names, clock, patience }, signal);
      } catch (error) {
        if (!(error instanceof RequestFailedError)) throw error;
        const { readRefusal } = await import("./refusal.ts");
        const refusal = readRefusal(error.cause, sent.body);
        // A cloud's SDK caches a failed login; the next attempt logs in again.
        if (refusal.status === undefined) this.#client = undefined;
        const shorter = asked === request ? await this.#shorter(request, refusal) : undefined;
        asked = shorter ?? asked;
        if (shorter) continue;
        const fewer = this.#tools.learn(refusal.count, asked, this.#options.place.host);
        if (fewer !== undefined) {
          yield { type: "notice", message: fewer };
          continue;
        }
        if (this.#gaveUp(request.model, refusal.extra)) continue;
        if (!canRenew || !(await this.#hasNewKey(refusal))) throw error;
        canRenew = false;
      }
    }
  }

  /** Applies the limits that a refusal states, and remembers them for later requests. */
  async #shorter(request: ProviderRequest, { limits }: Refusal): Promise<ProviderRequest | undefined> {
    if (!limits) return undefined;
    this.#options.catalog.learn?.(request.model, limits);
    const { withinLimits } = await import("../request/stated-limits.ts");
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
      // The settings for a model come before the table.
      row: known || thinking ? { ...rowOf(request.model), ...capabilities } : undefined,
      cacheTtl,
      format: request.outputSchema && (await answerFormat(request.outputSchema)),
      without: this.#without.get(request.model),
      known: this.#known,
    });
  }

  /** Sessions from versions with a single provider do not record which provider answered. */
  #isOwn({ provider, model }: AssistantMessage, asked: string): boolean {
    const isClaude = provider === undefined || provider === this.name || CLAUDE_PROVIDERS.has(provider);
    return isClaude && !this.#areOtherModels(asked, model);
  }

  /** Only models in the table can be distinguished, because gateways rename the others. */
  #areOtherModels(a: string, b: string): boolean {
    if (a === b) return false;
    const { catalog } = this.#options;
    const [one, other] = [a, b].map((name) => bareName(rowOf(name)?.sentAs ?? name));
    return one !== other && catalog.capabilities(a).known && catalog.capabilities(b).known;
  }

  /** @returns true if the next request omits a field that this one had. */
  #gaveUp(model: string, extra: Extra | undefined): boolean {
    const without = this.#without.get(model) ?? new Set();
    if (extra === undefined || without.has(extra)) return false;
    this.#without.set(model, without.add(extra));
    return true;
  }

  async #hasNewKey({ mayBeTheKey }: Refusal): Promise<boolean> {
    if (!mayBeTheKey || !(await this.#key.renewed())) return false;
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

async function claudeReport(message: Omit<AssistantMessage, "id">) {
  const { readClaudeSearch } = await import("../search/claude-search.ts");
  return readClaudeSearch(message);
}
