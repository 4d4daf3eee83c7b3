import { type AssistantMessage, type Message, totalInputTokens } from "../contracts/message.ts";
import { addSizes, blocksSize, CHARS_PER_TOKEN, NO_TOKENS, type TokenSize } from "../contracts/token-estimate.ts";

/** The number of recent steps whose growth predicts the growth of the next step. */
const GROWTH_STEPS = 4;

/**
 * The estimate of the system prompt and the tools may be too low by this share. A larger difference between a count and
 * the estimate comes from the messages, and leaves the window with them.
 */
const MAX_STATIC_ERROR = 0.35;

/**
 * Counts the tokens of a growing conversation. The size of the next request is the exact count of the newest request
 * and its answer, plus an estimate of later messages, minus an estimate of later removals. Earlier reports of the same
 * model calibrate the estimates.
 */
export class TokenCount {
  #estimated: TokenSize = NO_TOKENS;
  /** The exact count that came with the newest counted answer. */
  #exact: number | undefined;
  /** The estimated tokens of later messages, minus the freed tokens. */
  #since: TokenSize = NO_TOKENS;
  /** The estimated tokens of later messages, whatever was removed since. */
  #added: TokenSize = NO_TOKENS;
  /** The estimate of the messages that the newest count includes. */
  #counted: TokenSize = NO_TOKENS;
  #isReduced = false;
  #calibration = new Calibration();
  /** The model of the newest counted answer. */
  #model: string | undefined;
  /** The tokens that each of the last steps added to the conversation. */
  #growth: readonly number[] = [];

  /** The mean of the tokens that the last steps added; 0 before the second counted answer. */
  get growthTokens(): number {
    if (this.#growth.length === 0) return 0;
    return Math.ceil(this.#growth.reduce((sum, tokens) => sum + tokens, 0) / this.#growth.length);
  }

  /** The estimated tokens of the messages alone. */
  get messageTokens(): number {
    return this.calibrated(this.#estimated);
  }

  /** @param staticChars Length of the prompt and the tool schemas. */
  inputTokens(staticChars: number): number {
    const besideTokens = Math.ceil(staticChars / CHARS_PER_TOKEN);
    if (this.#exact === undefined) return besideTokens + this.calibrated(this.#since);
    if (!this.#isReduced) return this.#exact + this.calibrated(this.#since);
    // The freed tokens are also an estimate, so the remainder counts as at least its own estimate.
    const ofMessages = Math.max(0, this.#drift(besideTokens) - this.#staticError(besideTokens));
    const share = Math.min(1, this.messageTokens / Math.max(1, this.calibrated(this.#counted)));
    const remainder = this.besideTokens(staticChars) + this.messageTokens + Math.round(ofMessages * share);
    // A removal makes no request larger.
    return Math.min(remainder, this.#exact + this.calibrated(this.#added));
  }

  /** Tokens of the prompt and the tool schemas: an estimate that the newest count corrects. */
  besideTokens(staticChars: number): number {
    const estimated = Math.ceil(staticChars / CHARS_PER_TOKEN);
    return estimated + Math.max(0, this.#staticError(estimated));
  }

  #staticError(besideTokens: number): number {
    return Math.min(this.#drift(besideTokens), Math.round(besideTokens * MAX_STATIC_ERROR));
  }

  /** The tokens by which the newest count is larger than the estimate of what it counted. */
  #drift(besideTokens: number): number {
    return this.#exact === undefined ? 0 : this.#exact - besideTokens - this.calibrated(this.#counted);
  }

  /** Corrects an estimate by the ratio of the model's earlier reports. */
  calibrated(size: TokenSize): number {
    return Math.round(this.#calibration.scaled(this.#model, size));
  }

  /** @param isCounted False if the message's usage does not belong to this conversation. */
  add(message: Message, isCounted = true): void {
    const size = this.#count(message);
    const hasUsage = message.role === "assistant" && totalInputTokens(message.usage) > 0;
    if (hasUsage && isCounted) this.#noteUsage(message);
    else {
      this.#since = addSizes(this.#since, size);
      this.#added = addSizes(this.#added, size);
    }
  }

  /** The count after a compaction that leaves these messages. */
  after(messages: readonly Message[]): TokenCount {
    const rest = new TokenCount();
    for (const message of messages) rest.#count(message);
    rest.#exact = this.#exact;
    const change = addSizes(rest.#estimated, negative(this.#estimated));
    rest.#since = addSizes(this.#since, change);
    rest.#added = addSizes(this.#added, { narrow: Math.max(0, change.narrow), wide: Math.max(0, change.wide) });
    rest.#counted = this.#counted;
    rest.#isReduced = true;
    rest.#calibration = this.#calibration;
    rest.#model = this.#model;
    rest.#growth = this.#growth;
    return rest;
  }

  #noteUsage({ model, usage }: AssistantMessage): void {
    const inputTokens = totalInputTokens(usage);
    const isComparable = this.#exact !== undefined && !this.#isReduced && usage.estimated !== true;
    if (this.#exact !== undefined && isComparable) {
      const reported = inputTokens - this.#exact;
      if (model === this.#model) this.#calibration.note(model, reported, this.#since);
      const grown = reported + usage.outputTokens;
      if (grown > 0) this.#growth = [...this.#growth, grown].slice(-GROWTH_STEPS);
    }
    this.#exact = inputTokens + usage.outputTokens;
    this.#model = model;
    this.#counted = this.#estimated;
    this.#since = NO_TOKENS;
    this.#added = NO_TOKENS;
    this.#isReduced = false;
  }

  #count({ content }: Message): TokenSize {
    const size = blocksSize(content);
    this.#estimated = addSizes(this.#estimated, size);
    return size;
  }
}

function negative({ narrow, wide }: TokenSize): TokenSize {
  return { narrow: -narrow, wide: -wide };
}

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
class Calibration {
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
