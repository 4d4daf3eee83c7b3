import type { ScenarioRequest } from "./scenario.ts";

/** A request as the twin saw it. `body` and `bodyText` of old requests are let go when the twin keeps a limited number. */
export type RecordedRequest = ScenarioRequest & {
  /** The place in `requests`, from 0. */
  readonly index: number;
  readonly bodyText: string;
  /** When its first bytes were there: monotonic milliseconds (`performance.now()` of the twin's process). */
  readonly receivedAtMs: number;
  /** When the last byte of the response was handed over, or the connection ended; undefined while it is open. */
  readonly endedAtMs: number | undefined;
  /** The status that was sent; undefined before that, and when nothing was answered. */
  readonly status: number | undefined;
  /** The problem, as `where: what`; empty if the request was accepted. */
  readonly rejected: readonly string[];
};

/** A record while its request is served: filled in by and by. */
export type OpenRequest = { -readonly [Key in keyof RecordedRequest]: RecordedRequest[Key] };
type Waiter = { readonly settle: (request: RecordedRequest) => void; readonly fail: (error: Error) => void };

/** Promises for the nth of something that happens one by one. */
class Milestones {
  readonly #waiting = new Map<number, Waiter[]>();

  wait(index: number): Promise<RecordedRequest> {
    const { promise, resolve: settle, reject: fail } = Promise.withResolvers<RecordedRequest>();
    // A caller that still waits gets the failure; one that stopped waiting does not.
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

  /** @param keptBodies of how many requests, the latest, the body is kept. */
  constructor(keptBodies: number) {
    this.#keptBodies = keptBodies;
  }

  /** The request was read and judged: it takes its place in the list. */
  received(request: OpenRequest): void {
    request.index = this.requests.length;
    this.requests.push(request);
    const old = this.requests[request.index - this.#keptBodies];
    if (old) Object.assign(old, { body: undefined, bodyText: "" });
    this.#received.reach(request);
    for (const listener of [...this.#listeners]) listener(request);
  }

  /** Its response has ended, one way or another. */
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
