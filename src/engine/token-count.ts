import { type Message, totalInputTokens } from "../contracts/message.ts";
import { blockTokens, CHARS_PER_TOKEN } from "../contracts/token-estimate.ts";

export const TOKEN_SOURCES = ["words", "answers", "calls", "results", "attachments"] as const;
/** What tokens of a conversation are of. `words`: the user's role; `answers`: text and thinking of the model. */
export type TokenSource = (typeof TOKEN_SOURCES)[number];

type BySource = Readonly<Record<TokenSource, number>>;

const NOTHING: BySource = { words: 0, answers: 0, calls: 0, results: 0, attachments: 0 };

/**
 * The tokens of a conversation, kept up as it grows. The size of the next request is the exact count of the newest answer's request
 * and of that answer, plus an estimate of what came since, less an estimate of what was taken out since.
 */
export class TokenCount {
  #bySource: Record<TokenSource, number> = { ...NOTHING };
  /** Of the newest answer that was counted. */
  #exact: number | undefined;
  /** Estimated: what came since, less what was freed. */
  #since = 0;
  #isReduced = false;

  /** Estimates of what is there now. */
  get bySource(): BySource {
    return this.#bySource;
  }

  /** @param staticChars Length of prompt and tool schemas, needed as long as no answer was counted. */
  inputTokens(staticChars: number): number {
    const besideTokens = Math.ceil(staticChars / CHARS_PER_TOKEN);
    if (this.#exact === undefined) return besideTokens + this.#since;
    const counted = this.#exact + this.#since;
    // What was freed is an estimate, too: the rest can't be smaller than it is estimated by itself.
    return this.#isReduced ? Math.max(counted, besideTokens + this.#estimated()) : counted;
  }

  add(message: Message): void {
    const before = this.#estimated();
    this.#count(message);
    if (message.role === "assistant" && totalInputTokens(message.usage) > 0) {
      this.#exact = totalInputTokens(message.usage) + message.usage.outputTokens;
      this.#since = 0;
      this.#isReduced = false;
    } else this.#since += this.#estimated() - before;
  }

  /** The count of the same conversation when these messages are what is left of it. */
  after(messages: readonly Message[]): TokenCount {
    const rest = new TokenCount();
    for (const message of messages) rest.#count(message);
    rest.#exact = this.#exact;
    rest.#since = this.#since + rest.#estimated() - this.#estimated();
    rest.#isReduced = true;
    return rest;
  }

  #count({ role, content }: Message): void {
    for (const block of content) {
      const tokens = blockTokens(block);
      if (block.type === "tool_use") this.#bySource.calls += tokens;
      else if (block.type === "tool_result") this.#bySource.results += tokens;
      else if (block.type === "image" || block.type === "document") this.#bySource.attachments += tokens;
      else this.#bySource[role === "user" ? "words" : "answers"] += tokens;
    }
  }

  #estimated(): number {
    return TOKEN_SOURCES.reduce((sum, source) => sum + this.#bySource[source], 0);
  }
}
