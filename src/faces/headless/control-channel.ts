import type { JsonObject } from "../../contracts/message.ts";
import type { Ids } from "../../contracts/ports.ts";
import type { ControlAnswer } from "./read-input.ts";
import type { WireLine } from "./wire-format.ts";

/** Ids of requests that were answered, kept so that one that comes twice is answered once. */
const MAX_REMEMBERED_IDS = 1_000;

/** The other side refused, failed, took too long or is gone: what it said, in one line. */
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
 * Requests and replies between us and the program that drives us, both ways on one pair of pipes. A reply is matched by its
 * request's id; one that nobody waits for, or waits for no longer, is left aside.
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
   * Asks the other side. When the caller gives up, it is told so.
   * @throws {ControlError} it answered with an error, or can't answer any more; the abort reason when `signal` aborts.
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

  /** Tells the other side what needs no answer, or can't have one any more. */
  tell(fields: WireLine): void {
    this.#deps.write({ type: "control_request", request_id: this.#deps.ids.next(), request: fields });
  }

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  /** A reply came. @returns false when nobody waits for it: it is late, doubled or a stranger's. */
  settle(id: string, answer: ControlAnswer): boolean {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.settle(answer);
    return waiting !== undefined;
  }

  /** A request of the other side's came. @returns false for one that came before. */
  take(id: string): boolean {
    if (this.#taken.has(id)) return false;
    this.#taken.add(id);
    const [oldest] = this.#taken;
    if (this.#taken.size > MAX_REMEMBERED_IDS && oldest !== undefined) this.#taken.delete(oldest);
    return true;
  }

  /** Answers a request of the other side's. */
  reply(id: string, response: WireLine = {}): void {
    this.#deps.write({ type: "control_response", response: { subtype: "success", request_id: id, response } });
  }

  fail(id: string, error: string): void {
    this.#deps.write({ type: "control_response", response: { subtype: "error", request_id: id, error } });
  }

  /** No reply can come any more: whoever waits, or asks from now on, is told why. */
  close(why: string): void {
    this.#closed ??= why;
    for (const { settle } of this.#waiting.values()) settle({ error: why });
    this.#waiting.clear();
  }
}
