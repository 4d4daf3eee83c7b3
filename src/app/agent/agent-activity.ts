import { formatCount } from "@quoll/terminal-text/format-amount";
import { oneLine } from "@quoll/terminal-text/one-line";
import type { AgentSign } from "../../contracts/agent-scope.ts";
import type { Charge, SpendGuard } from "../../contracts/spend.ts";
import { CHARS_PER_TOKEN } from "../../contracts/token-estimate.ts";

const MAX_COLUMNS = 120;
/** The minimum time between two lines for the screen, in milliseconds. */
const MIN_GAP_MS = 200;
/** The same while an answer streams: the row moves with its clock. */
const STREAM_GAP_MS = 1_000;

/** The last activity of a running agent, as one line: `Grep "sleep" · 18k tokens`. */
export class AgentActivity {
  readonly #elapsedMs: () => number;
  readonly #notify: (line: string) => void;
  #doing = "starting";
  /** The open questions to the person, by their ids. */
  readonly #asks = new Map<string, string>();
  #tokens = 0;
  /** Of the open answer. */
  #writtenChars = 0;
  #notifiedAt = Number.NEGATIVE_INFINITY;
  #later: ReturnType<typeof setTimeout> | undefined;
  calls = 0;
  /** Lines that its calls of Edit and Write changed. */
  added = 0;
  removed = 0;
  lastTool: string | undefined;

  constructor(elapsedMs: () => number, notify: (line: string) => void) {
    this.#elapsedMs = elapsedMs;
    this.#notify = notify;
  }

  /** The numbers for the result of the agent. */
  get counts(): { readonly calls: number; readonly added: number; readonly removed: number } {
    return { calls: this.calls, added: this.added, removed: this.removed };
  }

  /** Of its context. */
  get tokens(): number {
    return this.#tokens;
  }

  /** True while the agent waits for the person. */
  get isAsking(): boolean {
    return this.#asks.size > 0;
  }

  /** The open question to the person, or the last call of the agent, without its context size. */
  get doing(): string {
    const [asks] = this.#asks.values();
    return asks === undefined ? this.#doing : oneLine(`waits for your answer: ${asks}`, MAX_COLUMNS);
  }

  get line(): string {
    const tokens = this.#tokens === 0 ? [] : [`${formatCount(this.#tokens)} tokens`];
    return [this.doing, ...tokens].join(" · ");
  }

  note(sign: AgentSign): void {
    if (sign.kind === "call") {
      this.calls += 1;
      this.lastTool = sign.toolName;
      this.#set(`${sign.toolName} ${sign.title}`);
    } else if (sign.kind === "change") {
      this.added += sign.added;
      this.removed += sign.removed;
    } else if (sign.kind === "question") {
      this.#asks.set(sign.id, sign.text);
      this.#set(this.#doing);
    } else if (sign.kind === "settled") {
      this.#asks.delete(sign.id);
      this.#set(this.#doing);
    } else if (sign.kind === "request") {
      this.#writtenChars = 0;
      this.#set(this.calls === 0 ? "thinking" : this.#doing);
    } else if (sign.kind === "stream") {
      this.#writtenChars += sign.chars;
      const written = formatCount(Math.ceil(this.#writtenChars / CHARS_PER_TOKEN));
      this.#set(`${sign.doing} · ↓${written} tok`, STREAM_GAP_MS);
    } else if (sign.kind === "words") {
      this.#tokens += sign.tokens;
      this.#set(this.#doing);
    }
  }

  end(): void {
    clearTimeout(this.#later);
  }

  #set(doing: string, gapMs = MIN_GAP_MS): void {
    this.#doing = oneLine(doing, MAX_COLUMNS);
    const wait = this.#notifiedAt + gapMs - this.#elapsedMs();
    if (wait <= 0) this.#send();
    else {
      clearTimeout(this.#later);
      this.#later = setTimeout(() => this.#send(), wait);
    }
  }

  #send(): void {
    clearTimeout(this.#later);
    this.#later = undefined;
    this.#notifiedAt = this.#elapsedMs();
    this.#notify(this.line);
  }
}

/**
 * Sums the money that an agent spends.
 * @param onCost Receives the sum in US dollars after each request; null from the first request with an unknown price.
 * @returns the function that stops this.
 */
export function followCost(
  watch: SpendGuard["watch"],
  agentId: string,
  onCost: (costUsd: number | null) => void,
): () => void {
  let sum: number | null = 0;
  const unwatch = watch?.(({ agentIds, usd }: Charge) => {
    if (!agentIds?.includes(agentId)) return;
    sum = sum === null || usd === undefined ? null : sum + usd;
    onCost(sum);
  });
  return () => unwatch?.();
}
