import type { JsonObject } from "../../contracts/message.ts";
import type { Ids } from "../../contracts/ports.ts";
import type { ControlAnswer } from "./read-input.ts";
import type { WireLine } from "./wire-format.ts";

/** The number of remembered ids of answered requests, so that a repeated request is answered only once. */
const MAX_REMEMBERED_IDS = 1_000;

/** The other side refused, failed, timed out or has disconnected; the message gives the reason in one line. */
export class ControlError extends Error {
  override name = "ControlError";
}

export type ControlDeps = {
  readonly ids: Ids;
  /** Writes one line to the other side. */
  write(line: WireLine): void;
};

type Waiting = { readonly settle: (answer: ControlAnswer) => void };

/**
 * Sends and answers control requests, in both directions over one pair of pipes. A reply is matched by its request's
 * id; a reply that nobody awaits is ignored.
 */
export class ControlChannel {
  readonly #deps: ControlDeps;
  readonly #waiting = new Map<string, Waiting>();
  readonly #taken = new Set<string>();
  #closed: string | undefined;

  constructor(deps: ControlDeps) {
    this.#deps = deps;
  }

  /**
   * Sends a request. If the caller gives up, the other side is told.
   * @throws {ControlError} the other side answered with an error, or has disconnected; the abort reason when `signal`
   * aborts.
   */
  async request(fields: WireLine, { signal }: { readonly signal: AbortSignal }): Promise<JsonObject> {
    signal.throwIfAborted();
    if (this.#closed !== undefined) throw new ControlError(this.#closed);
    const id = this.#deps.ids.next();
    const { promise, resolve, reject } = Promise.withResolvers<ControlAnswer>();
    const withdraw = (reason: unknown) => {
      if (!this.#waiting.has(id)) return;
      this.#deps.write({ type: "control_cancel_request", request_id: id });
      reject(reason);
    };
    const onAbort = () => withdraw(signal.reason);
    this.#waiting.set(id, { settle: resolve });
    signal.addEventListener("abort", onAbort, { once: true });
    this.#deps.write({ type: "control_request", request_id: id, request: fields });
    try {
      const answer = await promise;
      if ("error" in answer) throw new ControlError(answer.error);
      return answer.response;
    } finally {
      this.#waiting.delete(id);
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Sends a message that needs no answer. */
  notify(fields: WireLine): void {
    this.#deps.write({ type: "control_request", request_id: this.#deps.ids.next(), request: fields });
  }

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  /** Handles a reply. @returns false if no request awaits the reply: it is late, repeated or unknown. */
  settle(id: string, answer: ControlAnswer): boolean {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.settle(answer);
    return waiting !== undefined;
  }

  /** Handles a request of the other side. @returns false for a repeated request. */
  take(id: string): boolean {
    if (this.#taken.has(id)) return false;
    this.#taken.add(id);
    const [oldest] = this.#taken;
    if (this.#taken.size > MAX_REMEMBERED_IDS && oldest !== undefined) this.#taken.delete(oldest);
    return true;
  }

  /** Answers a request of the other side. */
  reply(id: string, response: WireLine = {}): void {
    this.#deps.write({ type: "control_response", response: { subtype: "success", request_id: id, response } });
  }

  fail(id: string, error: string): void {
    this.#deps.write({ type: "control_response", response: { subtype: "error", request_id: id, error } });
  }

  /** Rejects all waiting and later requests, since no reply can arrive any more. */
  close(why: string): void {
    this.#closed ??= why;
    for (const { settle } of this.#waiting.values()) settle({ error: why });
    this.#waiting.clear();
  }
}
