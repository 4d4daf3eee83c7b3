import { afterSleep } from "../../contracts/after-sleep.ts";
import type { Clock } from "../../contracts/ports.ts";

/** The time of one run of a hook, which ends with its limit or with its owner: the event, or the session. */
export class HookTime {
  readonly #clock: Pick<Clock, "sleep">;
  readonly #stop = new AbortController();
  #owner: AbortSignal;
  #unfollow: (() => void) | undefined;
  #limit: AbortController | undefined;

  constructor(clock: Pick<Clock, "sleep">, owner: AbortSignal) {
    this.#clock = clock;
    this.#owner = owner;
    this.#follow();
  }

  /** Aborts at the end of this time. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Its abort is an interrupt, not a failure of the hook. */
  get owner(): AbortSignal {
    return this.#owner;
  }

  /** Gives the run a new limit from now on. */
  limit(ms: number): void {
    const limit = new AbortController();
    this.#limit?.abort(new Error("There is another limit."));
    this.#limit = limit;
    afterSleep(this.#clock.sleep(ms, limit.signal), () =>
      this.#stop.abort(new Error(`it did not answer within ${ms / 1000} s`)),
    );
  }

  /** Takes the run from its owner, whose end no longer ends it. */
  moveTo(owner: AbortSignal): void {
    this.#unfollow?.();
    this.#owner = owner;
    this.#follow();
  }

  /** The hook has answered. */
  end(): void {
    this.#unfollow?.();
    this.#limit?.abort(new Error("The hook has answered."));
  }

  #follow(): void {
    const owner = this.#owner;
    const stop = () => this.#stop.abort(owner.reason);
    if (owner.aborted) stop();
    owner.addEventListener("abort", stop, { once: true });
    this.#unfollow = () => owner.removeEventListener("abort", stop);
  }
}
