import type { TokenSize } from "../contracts/token-estimate.ts";

/** The weight of the initial estimate, in tokens: a higher number gives the first reports less effect. */
const PRIOR_TOKENS = 200;
/** The weight of an earlier report relative to a newer report. */
const DECAY = 0.6;
/** A report below this size depends more on the wrapping of messages than on their text. */
const MIN_TOKENS = 100;
/** A ratio outside these bounds is ignored: it comes from a server that counts differently, or from a test. */
const MIN_RATIO = 0.2;
const MAX_RATIO = 5;
const MAX_MODELS = 20;

type Kind = keyof TokenSize;
type Sums = { readonly reported: number; readonly estimated: number };

const UNKNOWN: Sums = { reported: PRIOR_TOKENS, estimated: PRIOR_TOKENS };

/** Learns from each model's reported usage how many tokens it counts for each estimated token. */
export class Calibration {
  /** The sums of each model, by the provider's name for it. */
  readonly #sums = new Map<string, Readonly<Record<Kind, Sums>>>();

  /**
   * @returns the tokens that the model would report; the uncorrected estimate for a model that has reported nothing
   * yet.
   */
  scaled(model: string | undefined, { narrow, wide }: TokenSize): number {
    return narrow * this.#ratio(model, "narrow") + wide * this.#ratio(model, "wide");
  }

  /** Learns from the tokens that a model reported for messages of an estimated size. */
  note(model: string, reported: number, size: TokenSize): void {
    const kind = size.wide > size.narrow ? "wide" : "narrow";
    const other = kind === "wide" ? "narrow" : "wide";
    const estimated = size[kind];
    const own = reported - size[other] * this.#ratio(model, other);
    if (estimated < MIN_TOKENS || own < estimated * MIN_RATIO || own > estimated * MAX_RATIO) return;
    const all = this.#sums.get(model) ?? { narrow: UNKNOWN, wide: UNKNOWN };
    const before = all[kind];
    const sums = { reported: before.reported * DECAY + own, estimated: before.estimated * DECAY + estimated };
    this.#sums.delete(model);
    this.#sums.set(model, { ...all, [kind]: sums });
    const [oldest] = this.#sums.keys();
    if (this.#sums.size > MAX_MODELS && oldest !== undefined) this.#sums.delete(oldest);
  }

  #ratio(model: string | undefined, kind: Kind): number {
    const { reported, estimated } = (model === undefined ? undefined : this.#sums.get(model)?.[kind]) ?? UNKNOWN;
    return reported / estimated;
  }
}
