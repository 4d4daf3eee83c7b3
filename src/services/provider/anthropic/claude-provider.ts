import { lazy } from "@quoll/async/lazy";
import type { AssistantMessage } from "../../../contracts/message.ts";
import type { ProviderRequest } from "../../../contracts/provider.ts";
import { freshIds } from "../history/call-ids.ts";
import { bareName } from "../model-reference.ts";
import { rowOf } from "../model-rows.ts";
import { RequestFailedError } from "../request/broken-stream.ts";
import type { FailureContext } from "../request/failure-context.ts";
import { patienceWith } from "../request/idle-watch.ts";
import { type PreparedRequest, type RetryingOptions, RetryingProvider } from "../request/retrying-provider.ts";
import { runAttempt } from "./claude-attempt.ts";
import type { ClaudeClient, ClaudeRequest } from "./client.ts";
import { answerFormat, type Extra, toClaudeRequest } from "./to-request.ts";

/** Providers of Claude, whose signatures are valid for each other. */
const CLAUDE_PROVIDERS: ReadonlySet<string> = new Set(["anthropic", "bedrock", "vertex"]);

/** Sent to a server on this machine without a key: some servers require the header, none checks it. */
export const PLACEHOLDER_KEY = "local";

export type ClaudeOptions = RetryingOptions & {
  readonly searchesWeb?: boolean | undefined;
  /** Loads the vendor's SDK; called at the first request, and again for each new key. */
  readonly load: (apiKey: string | undefined) => Promise<ClaudeClient>;
  /** The context of a failure, except the model and the time. */
  readonly server: Omit<FailureContext, "model" | "nowMs">;
  readonly isLoopback: boolean;
  readonly cacheTtl?: "5m" | "1h" | undefined;
};

/** A provider of the Messages API, on any platform. */
export class ClaudeProvider extends RetryingProvider<ClaudeOptions> {
  readonly searchesWeb: boolean;
  protected readonly host: string;
  readonly #assembler = lazy(async () => (await import("./from-stream.ts")).MessageAssembler);
  /** The fields that the server has refused, by model. */
  readonly #without = new Map<string, Set<Extra>>();
  #client: Promise<ClaudeClient> | undefined;

  constructor(options: ClaudeOptions) {
    super(options);
    this.searchesWeb = options.searchesWeb === true;
    this.host = options.server.host;
  }

  protected override resolve(name: string): string {
    return this.options.catalog.resolve(name);
  }

  protected override async answered(
    { webSearch }: ProviderRequest,
    message: Omit<AssistantMessage, "id">,
  ): Promise<void> {
    if (!webSearch) return;
    const { readClaudeSearch } = await import("../search/claude-search.ts");
    webSearch.found(readClaudeSearch(message));
  }

  /** The vendor's token count of a request; undefined if the vendor cannot count, or not now. */
  async countTokens(request: ProviderRequest, signal: AbortSignal): Promise<number | undefined> {
    signal.throwIfAborted();
    const { countTokens } = await this.#loaded();
    if (!countTokens) return undefined;
    const { body, betas } = await this.#toRequest({ ...request, model: this.resolve(request.model) });
    const { max_tokens: _max_tokens, stream: _stream, ...counted } = body;
    try {
      return await countTokens({ body: counted, betas }, signal);
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  }

  protected async prepare(request: ProviderRequest): Promise<PreparedRequest> {
    const { clock, isLoopback, streamIdleMs } = this.options;
    const { open } = await this.#loaded();
    const sent = await this.#toRequest(request);
    const { model } = sent.body;
    return {
      send: (signal) => {
        const patience = patienceWith({ isLoopback }, streamIdleMs);
        const names = { provider: this.name, model, request, freshId: freshIds(request.messages) };
        const reading = { open: (ended: AbortSignal) => open(sent, ended), assembler: this.#assembler };
        return runAttempt({ ...reading, ...names, clock, patience }, signal);
      },
      refusal: async (error) => {
        if (!(error instanceof RequestFailedError)) return undefined;
        const { readRefusal } = await import("./claude-refusal.ts");
        const { status, extra, ...refusal } = readRefusal(error.cause, sent.body);
        // A cloud's SDK caches a failed login; the next attempt logs in again.
        if (status === undefined) this.dropClient();
        return { ...refusal, simplify: () => this.#gaveUp(request.model, extra) };
      },
    };
  }

  async #toRequest(request: ProviderRequest): Promise<ClaudeRequest> {
    const { catalog, cacheTtl } = this.options;
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
    const { catalog } = this.options;
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

  protected dropClient(): void {
    this.#client = undefined;
  }

  #loaded(): Promise<ClaudeClient> {
    this.#client ??= this.options.load(this.key.value);
    return this.#client;
  }

  protected failureContext(model: string): FailureContext {
    const { server, clock } = this.options;
    const key = this.key.value;
    const secrets = key === undefined || key === PLACEHOLDER_KEY ? server.secrets : [...server.secrets, key];
    return { ...server, secrets, model, nowMs: clock.now() };
  }
}
