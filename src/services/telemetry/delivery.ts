import { errorCode, errorMessage } from "../../contracts/errors.ts";
import type { Signal, TelemetryPlan } from "./read-telemetry-plan.ts";

const MAX_REASON_CHARS = 160;

/** The part of OpenTelemetry's export results that we use: `code` 0 is success. */
export type Exporting<Item> = {
  export(items: Item, done: (result: { readonly code: number; readonly error?: Error }) => void): void;
};

/** Records the results of batches, to report the first loss at once and all losses in one line at the end. */
export class Delivery {
  readonly #targets: TelemetryPlan["targets"];
  readonly #lost = new Map<string, number>();
  readonly #underWay = new Map<Signal, number>();
  #fault: string | undefined;
  #notify: ((line: string) => void) | undefined;
  /** True if the first loss was reported, or is left to the line at the end. */
  #isTold = false;

  constructor(targets: TelemetryPlan["targets"]) {
    this.#targets = targets;
  }

  /** Observes each batch of an exporter from now on. */
  watch<Item>(signal: Signal, exporter: Exporting<Item>): void {
    const send = exporter.export.bind(exporter);
    exporter.export = (items, done) => {
      this.#count(signal, 1);
      send(items, (result) => {
        this.#count(signal, -1);
        if (result.code !== 0) this.#lose(signal, reasonOf(result.error));
        done(result);
      });
    };
  }

  /** Reports the first loss once, as soon as it is known, also if it is already known. */
  notifyFirstLoss(notify: (line: string) => void): void {
    this.#notify = notify;
    const [first] = this.#lost.keys();
    if (first !== undefined) this.#notifyOnce(first);
  }

  /** The session ends: from now on, `problem` reports everything. */
  end(): void {
    this.#isTold = true;
  }

  /** The time at the end has expired: open deliveries count as lost. */
  giveUp(waitedMs: number): void {
    for (const [signal, count] of this.#underWay)
      if (count > 0) this.#lose(signal, `not accepted within ${waitedMs / 1000} s`);
  }

  /** Quoll's own code failed while recording telemetry; the first fault is reported. */
  fault(error: unknown): void {
    this.#fault ??= errorMessage(error);
  }

  /** The lost deliveries as one line; undefined if there were none. */
  problem(): string | undefined {
    const lost = [...this.#lost].map(([what, count]) => (count > 1 ? `${what}, ${count} times` : what));
    const fault = this.#fault === undefined ? [] : [`a bug in Quoll: ${this.#fault}`];
    const problems = [...lost, ...fault];
    return problems.length === 0 ? undefined : `telemetry was not delivered: ${problems.join("; ")}`;
  }

  #count(signal: Signal, by: number): void {
    this.#underWay.set(signal, (this.#underWay.get(signal) ?? 0) + by);
  }

  #lose(signal: Signal, reason: string): void {
    const what = `${signal} to ${shownUrl(this.#targets[signal]?.url ?? "")} (${reason})`;
    this.#lost.set(what, (this.#lost.get(what) ?? 0) + 1);
    this.#notifyOnce(what);
  }

  #notifyOnce(what: string): void {
    if (this.#isTold || !this.#notify) return;
    this.#isTold = true;
    this.#notify(`telemetry is not delivered: ${what}`);
  }
}

/** Removes the user name, password and query, which may contain a key. */
function shownUrl(url: string): string {
  if (!URL.canParse(url)) return "nowhere";
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** A status or a code, because a server's own text may contain anything. */
function reasonOf(error: Error | undefined): string {
  const status = error && "code" in error && typeof error.code === "number" ? error.code : undefined;
  if (status !== undefined) return `HTTP ${status}`;
  return (
    errorCode(error) ??
    errorMessage(error ?? "refused")
      .split("\n", 1)[0]
      ?.slice(0, MAX_REASON_CHARS) ??
    "refused"
  );
}
