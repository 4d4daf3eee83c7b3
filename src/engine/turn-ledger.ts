import type { EngineEvent, PermissionDenial, TurnReport } from "../contracts/event.ts";
import { addUsage, NO_USAGE, type Usage } from "../contracts/message.ts";
import type { ModelCatalog } from "../contracts/ports.ts";

type ModelShare = { readonly usage: Usage; readonly costUsd: number | undefined };

/** Sums what a turn (or a session) used, as the API reported it, and what that costs. */
export class TurnLedger {
  readonly #catalog: Pick<ModelCatalog, "cost">;
  readonly #byModel = new Map<string, ModelShare>();
  readonly #denials: PermissionDenial[] = [];
  /** Requests whose price is not looked up yet. */
  #unpriced: { readonly model: string; readonly usage: Usage }[] = [];
  #pricing: Promise<void> = Promise.resolve();

  constructor(catalog: Pick<ModelCatalog, "cost">) {
    this.#catalog = catalog;
  }

  note(event: EngineEvent): void {
    if (event.type === "permission_denied") this.#denials.push(event.denial);
    // The next answer comes in: nobody waits for us now, and the table of prices takes 10 ms to load.
    if (event.type === "text_delta" || event.type === "thinking_delta") this.#priceAll();
    if (event.type !== "assistant_message") return;
    this.charge(event.message.model, event.message.usage);
  }

  /** Adds what a request used that is not part of the conversation: a judge's. */
  charge(model: string, usage: Usage): void {
    const share = this.#share(model);
    this.#byModel.set(model, { ...share, usage: addUsage(share.usage, usage) });
    this.#unpriced.push({ model, usage });
  }

  /** Waits until every request so far is priced. */
  settle(): Promise<void> {
    this.#priceAll();
    return this.#pricing;
  }

  /** `costUsd` is undefined once a request's price was unknown; of one that is being looked up it knows nothing yet. */
  snapshot(): Pick<TurnReport, "usage" | "costUsd" | "denials"> & { readonly byModel: TurnReport["usageByModel"] } {
    const shares = [...this.#byModel.values()];
    return {
      usage: shares.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE),
      costUsd: shares.reduce<number | undefined>((sum, { costUsd }) => addCost(sum, costUsd), 0),
      byModel: Object.fromEntries(this.#byModel),
      denials: this.#denials,
    };
  }

  /** Each request has its own price: that of some models depends on the length of the prompt. */
  #priceAll(): void {
    const requests = this.#unpriced;
    this.#unpriced = [];
    for (const { model, usage } of requests) this.#pricing = this.#pricing.then(() => this.#price(model, usage));
  }

  async #price(model: string, usage: Usage): Promise<void> {
    const cost = await this.#catalog.cost(model, usage).catch(() => undefined);
    const share = this.#share(model);
    this.#byModel.set(model, { ...share, costUsd: addCost(share.costUsd, cost) });
  }

  #share(model: string): ModelShare {
    return this.#byModel.get(model) ?? { usage: NO_USAGE, costUsd: 0 };
  }
}

/** A sum with an unknown part is unknown. */
function addCost(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a + b;
}
