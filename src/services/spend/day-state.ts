import type { SpendSource } from "../../contracts/spend.ts";
import type { ProcessIdentity } from "../../platform/process-identity.ts";
import { countedUsd, type LedgerLine, readLedgerText } from "./ledger-line.ts";
import { type Amount, addAmounts, SpendBySource, tokensOf, ZERO_AMOUNT } from "./spend-by-source.ts";

/** A request that was sent and has no recorded result yet. */
export type OpenRequest = {
  readonly id: string;
  readonly source: SpendSource;
  readonly model: string;
  readonly holder: ProcessIdentity;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Worst case in US dollars; undefined until the price is looked up, null if the price is unknown. */
  usd: number | null | undefined;
};

/** The content of one day's file, as far as it was read. */
export class DayState {
  readonly #settled = new SpendBySource();
  readonly #open = new Map<string, OpenRequest>();
  /** Bytes read so far, up to the start of a line. */
  offset = 0;
  /** Lines that could not be read completely. */
  damaged = 0;
  /** Finished requests with an unknown price, which count only in tokens. */
  unpriced = 0;

  take(text: string): void {
    for (const { line, damaged } of readLedgerText(text)) {
      if (damaged) this.damaged += 1;
      if (line) this.count(line);
    }
  }

  settled(source: SpendSource | undefined): Amount {
    return this.#settled.of(source);
  }

  /** The possible cost of open requests of running processes. */
  held(source: SpendSource | undefined): Amount {
    return this.open
      .filter((request) => source === undefined || request.source === source)
      .map(({ usd, inputTokens, outputTokens }) => ({ usd: usd ?? 0, tokens: inputTokens + outputTokens }))
      .reduce(addAmounts, ZERO_AMOUNT);
  }

  get open(): readonly OpenRequest[] {
    return [...this.#open.values()];
  }

  /** Removes open requests of processes that have ended, because no result will follow. */
  dropDead(isGone: (holder: ProcessIdentity) => boolean): void {
    for (const [id, { holder }] of this.#open) if (isGone(holder)) this.#open.delete(id);
  }

  /** Counts a line as the file holds it. */
  count(line: LedgerLine): void {
    const { id, source, model } = line;
    if (line.state === "open") {
      const { inputTokens, outputTokens, usd } = line.reserved;
      this.#open.set(id, { id, source, model, holder: line.holder, inputTokens, outputTokens, usd: usd ?? undefined });
      return;
    }
    this.#open.delete(id);
    if (line.usd === null) this.unpriced += 1;
    this.#settled.add(source, { usd: countedUsd(line), tokens: tokensOf(line.usage) });
  }
}

/** The local date of a moment: `2026-11-21`. */
export function localDay(ms: number): string {
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
