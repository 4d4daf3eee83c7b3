import type { ScenarioRequest } from "./scenario.ts";

/**
 * A recorded request. If the twin keeps a limited number of bodies, `body` and `bodyText` of old requests are
 * dropped.
 */
export type RecordedRequest = ScenarioRequest & {
  /** The index in `requests`. */
  readonly index: number;
  readonly bodyText: string;
  /**
   * The time at which the first bytes arrived, in monotonic milliseconds (`performance.now()` of the twin's
   * process).
   */
  readonly receivedAtMs: number;
  /**
   * The time at which the last byte of the response was handed over, or the connection ended; undefined while it
   * is open.
   */
  readonly endedAtMs: number | undefined;
  /** The sent status; undefined before the answer, and if there was no answer. */
  readonly status: number | undefined;
  /** The problem, as `where: what`; empty if the request was accepted. */
  readonly rejected: readonly string[];
};

/** The record of a request that is being served; its fields are set step by step. */
export type OpenRequest = { -readonly [Key in keyof RecordedRequest]: RecordedRequest[Key] };
type Waiter = { readonly settle: (request: RecordedRequest) => void; readonly fail: (error: Error) => void };

/** Promises for the nth event of a sequence. */
class Milestones {
  readonly #waiting = new Map<number, Waiter[]>();

  wait(index: number): Promise<RecordedRequest> {
    const { promise, resolve: settle, reject: fail } = Promise.withResolvers<RecordedRequest>();
    // A caller that still waits gets the failure; a caller that stopped waiting does not.
    promise.catch(() => {});
    this.#waiting.set(index, [...(this.#waiting.get(index) ?? []), { settle, fail }]);
    return promise;
  }

  reach(request: RecordedRequest): void {
    for (const { settle } of this.#waiting.get(request.index) ?? []) settle(request);
    this.#waiting.delete(request.index);
  }

  failAll(message: (index: number) => string): void {
    for (const [index, waiters] of this.#waiting) for (const { fail } of waiters) fail(new Error(message(index)));
    this.#waiting.clear();
  }
}

/** Stores an incoming request, and resolves the callers that wait for it. */
export class Recorder {
  readonly requests: OpenRequest[] = [];
  readonly #received = new Milestones();
  readonly #ended = new Milestones();
  readonly #listeners = new Set<(request: RecordedRequest) => void>();
  readonly #keptBodies: number;
  #isClosed = false;

  /** @param keptBodies The number of latest requests whose bodies are kept. */
  constructor(keptBodies: number) {
    this.#keptBodies = keptBodies;
  }

  /** Adds a request to the list after it was read and judged. */
  received(request: OpenRequest): void {
    request.index = this.requests.length;
    this.requests.push(request);
    const old = this.requests[request.index - this.#keptBodies];
    if (old) Object.assign(old, { body: undefined, bodyText: "" });
    this.#received.reach(request);
    for (const listener of [...this.#listeners]) listener(request);
  }

  /** Records that the response has ended, completely or not. */
  ended(request: OpenRequest): void {
    if (request.endedAtMs !== undefined) return;
    request.endedAtMs = performance.now();
    this.#ended.reach(request);
  }

  subscribe(listener: (request: RecordedRequest) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  whenReceived(index: number): Promise<RecordedRequest> {
    const known = this.requests[index];
    return known ? Promise.resolve(known) : this.#wait(this.#received, index);
  }

  whenEnded(index: number): Promise<RecordedRequest> {
    const known = this.requests[index];
    return known?.endedAtMs === undefined ? this.#wait(this.#ended, index) : Promise.resolve(known);
  }

  close(): void {
    this.#isClosed = true;
    this.#listeners.clear();
    const told = (index: number) =>
      `The twin was closed before request ${index} came or ended; it had ${this.requests.length}.`;
    this.#received.failAll(told);
    this.#ended.failAll(told);
  }

  #wait(milestones: Milestones, index: number): Promise<RecordedRequest> {
    const promise = milestones.wait(index);
    if (this.#isClosed) this.close();
    return promise;
  }
}
