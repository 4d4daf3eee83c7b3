import type { TurnReport } from "../contracts/event.ts";
import { addUsage, NO_USAGE, totalInputTokens, type Usage } from "../contracts/message.ts";
import type { Charge, SourceSpend, SpendGuard } from "../contracts/spend.ts";

type Share = { readonly usage: Usage; readonly costUsd: number | undefined };
type Spent = Pick<TurnReport, "usage" | "costUsd" | "usageByModel"> & { readonly bySource: readonly SourceSpend[] };

const NOTHING: Share = { usage: NO_USAGE, costUsd: 0 };

/** Sums the spending of a turn or a session over exactly the requests that the spend guard counts. */
export class SpendTally {
  readonly #byModel = new Map<string, Share>();
  readonly #bySource = new Map<string, SourceSpend>();

  add({ model, source, server, usage: { costUsd: _, ...usage }, usd }: Charge): void {
    const share = this.#byModel.get(model) ?? NOTHING;
    this.#byModel.set(model, { usage: addUsage(share.usage, usage), costUsd: addCost(share.costUsd, usd) });
    const key = server === undefined ? source : `${source}:${server}`;
    const before = this.#bySource.get(key) ?? { source, ...(server !== undefined && { server }), usd: 0, tokens: 0 };
    this.#bySource.set(key, {
      ...before,
      usd: before.usd + (usd ?? 0),
      tokens: before.tokens + totalInputTokens(usage) + usage.outputTokens,
      ...(usd === undefined && { isUnpriced: true }),
      ...(usage.estimated && { isEstimate: true }),
    });
  }

  /** `costUsd` is undefined after a request with an unknown price. */
  get spent(): Spent {
    const shares = [...this.#byModel.values()];
    return {
      usage: shares.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE),
      costUsd: shares.reduce<number | undefined>((sum, { costUsd }) => addCost(sum, costUsd), 0),
      usageByModel: Object.fromEntries(this.#byModel),
      bySource: [...this.#bySource.values()].filter(({ tokens }) => tokens > 0),
    };
  }
}

/** The spending of an agent, both in total and in the newest turn. */
export class SpendBook {
  readonly total = new SpendTally();
  readonly #unwatch: () => void;
  #turn = new SpendTally();

  /** @param earlier The session's spending before this process. */
  constructor(spend: SpendGuard, earlier: readonly Charge[] = []) {
    for (const charge of earlier) this.total.add(charge);
    const add = (charge: Charge) => {
      this.total.add(charge);
      this.#turn.add(charge);
    };
    this.#unwatch = spend.watch?.(add) ?? (() => undefined);
  }

  get turn(): SpendTally {
    return this.#turn;
  }

  startTurn(): void {
    this.#turn = new SpendTally();
  }

  close(): void {
    this.#unwatch();
  }
}

/** Adds two costs; a sum with an unknown part is unknown. */
function addCost(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a + b;
}
