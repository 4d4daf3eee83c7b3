import type { EngineEvent, PermissionDenial, TurnReport } from "../contracts/event.ts";
import { addUsage, NO_USAGE, type Usage } from "../contracts/message.ts";
import type { ModelCatalog } from "../contracts/ports.ts";

type ModelShare = { usage: Usage; costUsd: number | undefined };

/** Sums what a turn (or a session) used, as the API reported it, and what that costs. */
export class TurnLedger {
  readonly #catalog: Pick<ModelCatalog, "cost">;
  readonly #byModel = new Map<string, ModelShare>();
  readonly #denials: PermissionDenial[] = [];

  constructor(catalog: Pick<ModelCatalog, "cost">) {
    this.#catalog = catalog;
  }

  note(event: EngineEvent): void {
    if (event.type === "permission_denied") this.#denials.push(event.denial);
    if (event.type !== "assistant_message") return;
    const { model, usage } = event.message;
    const share = this.#byModel.get(model) ?? { usage: NO_USAGE, costUsd: undefined };
    this.#byModel.set(model, { ...share, usage: addUsage(share.usage, usage) });
  }

  /** Looks the prices up. Cost stays undefined for a model whose price nobody knows. */
  async settle(): Promise<void> {
    for (const [model, share] of this.#byModel) share.costUsd = await this.#catalog.cost(model, share.usage);
  }

  snapshot(): Pick<TurnReport, "usage" | "costUsd" | "denials"> & { readonly byModel: TurnReport["usageByModel"] } {
    const shares = [...this.#byModel.values()];
    const costs = shares.map(({ costUsd }) => costUsd);
    return {
      usage: shares.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE),
      costUsd: costs.some((cost) => cost === undefined) ? undefined : costs.reduce<number>((a, b) => a + (b ?? 0), 0),
      byModel: Object.fromEntries(this.#byModel),
      denials: this.#denials,
    };
  }
}
