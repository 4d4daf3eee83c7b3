import type { EngineEvent, PermissionDenial, TurnReport } from "../contracts/event.ts";
import { addUsage, NO_USAGE, type Usage } from "../contracts/message.ts";
import type { ModelCatalog } from "../contracts/ports.ts";

/** `asked`: the name by which it was asked for, which settings and tables of prices know; servers tell a more exact one. */
type Charge = { readonly model: string; readonly asked: string | undefined; readonly usage: Usage };

type ModelShare = { readonly usage: Usage; readonly costUsd: number | undefined };

/** Sums what a turn (or a session) used, as the API reported it, and what that costs. */
export class TurnLedger {
  readonly #catalog: Pick<ModelCatalog, "cost">;
  readonly #byModel = new Map<string, ModelShare>();
  readonly #denials: PermissionDenial[] = [];
  /** Requests whose price is not looked up yet. */
  #unpriced: Charge[] = [];
  /** What the request that runs was sent to. */
  #asked: string | undefined;
  #pricing: Promise<void> = Promise.resolve();

  constructor(catalog: Pick<ModelCatalog, "cost">) {
    this.#catalog = catalog;
  }

  note(event: EngineEvent): void {
    if (event.type === "permission_denied") this.#denials.push(event.denial);
    // The next answer comes in: nobody waits for us now, and the table of prices takes 10 ms to load.
    if (event.type === "text_delta" || event.type === "thinking_delta") this.#priceAll();
    if (event.type === "request_started") this.#asked = event.model;
    if (event.type !== "assistant_message") return;
    this.charge(event.message.model, event.message.usage, this.#asked);
  }

  /** Adds what a request used whose answer is no part of the conversation: a judge's, or one that was dropped. */
  charge(model: string, usage: Usage, asked?: string): void {
    const share = this.#share(model);
    this.#byModel.set(model, { ...share, usage: addUsage(share.usage, usage) });
    this.#unpriced.push({ model, usage, asked });
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
    for (const request of requests) this.#pricing = this.#pricing.then(() => this.#price(request));
  }

  async #price({ model, usage, asked = model }: Charge): Promise<void> {
    const priceOf = (name: string) => this.#catalog.cost(name, usage).catch(() => undefined);
    const cost = (await priceOf(asked)) ?? (asked === model ? undefined : await priceOf(model));
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
