import type { Clock } from "../../../contracts/ports.ts";

const SECOND_MS = 1_000;
/** The maximum number of messages of one server that are handled in a second, in addition to its answers. */
const MAX_HANDLED = 200;
const MAX_RECEIVED = 1_000;
/** The number of consecutive seconds with more messages, after which the server is disconnected. */
const MAX_BUSY_SECONDS = 5;

/** Limits how many notifications and requests of one server are handled. */
export class MessageRate {
  readonly #clock: Pick<Clock, "monotonicMs">;
  #since = Number.NEGATIVE_INFINITY;
  #count = 0;
  #busySeconds = 0;

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** Counts one message. `flood`: the server should be disconnected. */
  next(): "handle" | "drop" | "flood" {
    const now = this.#clock.monotonicMs();
    if (now - this.#since >= SECOND_MS) {
      const isBusy = this.#count > MAX_RECEIVED && now - this.#since < 2 * SECOND_MS;
      this.#busySeconds = isBusy ? this.#busySeconds + 1 : 0;
      this.#since = now;
      this.#count = 0;
    }
    this.#count += 1;
    if (this.#busySeconds >= MAX_BUSY_SECONDS) return "flood";
    return this.#count > MAX_HANDLED ? "drop" : "handle";
  }
}
