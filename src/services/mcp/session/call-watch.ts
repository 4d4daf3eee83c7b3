import { formatDuration } from "@quoll/terminal-text/format-amount";
import { oneLine } from "@quoll/terminal-text/one-line";
import { afterSleep } from "../../../contracts/after-sleep.ts";
import type { Progress } from "../../../contracts/display.ts";
import type { Clock } from "../../../contracts/ports.ts";
import { CallLimitError } from "../transport/session-error.ts";

/** The minimum interval between two reports: at most 10 updates per second reach the screen. */
const MIN_REPORT_MS = 100;
const KEPT_LINES = 5;

export type CallWatchOptions = {
  readonly clock: Clock;
  readonly idleMs: number;
  readonly callMs: number | undefined;
  readonly signal: AbortSignal;
  report(progress: Progress): void;
};

type McpProgress = {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
};

/** Watches one call: its time limits, its abort, its progress. */
export class CallWatch {
  readonly #options: CallWatchOptions;
  readonly #ending = new AbortController();
  readonly #over = new AbortController();
  readonly #startedAt: number;
  readonly #onAbort: () => void;
  #idle: AbortController | undefined;
  #holds = 0;
  #tail: string[] = [];
  #totalLines = 0;
  #bytes = 0;
  #reportedAt: number | undefined;

  constructor(options: CallWatchOptions) {
    const { clock, signal, callMs } = options;
    this.#options = options;
    this.#startedAt = clock.monotonicMs();
    this.#onAbort = () => this.#ending.abort(signal.reason);
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#restartIdle();
    if (callMs !== undefined)
      this.#after(callMs, this.#over.signal, `it took longer than ${formatDuration(callMs)}, the limit that is set`);
  }

  /** Aborts when the call must end: by the caller, or by a limit (the reason is then a `CallLimitError`). */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  progress({ progress, total, message }: McpProgress): void {
    if (this.#over.signal.aborted) return;
    this.#restartIdle();
    const count = total === undefined ? String(progress) : `${progress}/${total}`;
    const line = message === undefined ? count : `${count} ${oneLine(message, 200)}`;
    this.#tail = [...this.#tail, line].slice(-KEPT_LINES);
    this.#totalLines += 1;
    this.#bytes += Buffer.byteLength(line);
    const now = this.#options.clock.monotonicMs();
    if (this.#reportedAt !== undefined && now - this.#reportedAt < MIN_REPORT_MS) return;
    this.#reportedAt = now;
    const counts = { totalLines: this.#totalLines, bytes: this.#bytes };
    this.#options.report({ tail: this.#tail, ...counts, elapsedMs: Math.round(now - this.#startedAt) });
  }

  /**
   * Called when a person is asked a question for this call, which has no time limit.
   * @returns a function that ends the wait.
   */
  hold(): () => void {
    this.#holds += 1;
    this.#idle?.abort(new Error("A person is asked."));
    return () => {
      this.#holds -= 1;
      this.#restartIdle();
    };
  }

  /** The call has ended: removes timers and listeners. */
  end(): void {
    this.#options.signal.removeEventListener("abort", this.#onAbort);
    this.#over.abort(new Error("The call has ended."));
    this.#idle?.abort(new Error("The call has ended."));
  }

  #restartIdle(): void {
    const { idleMs } = this.#options;
    if (this.#holds > 0 || this.#over.signal.aborted) return;
    this.#idle?.abort(new Error("There was progress."));
    this.#idle = new AbortController();
    this.#after(idleMs, this.#idle.signal, `it sent nothing for ${formatDuration(idleMs)}`);
  }

  #after(ms: number, signal: AbortSignal, why: string): void {
    afterSleep(this.#options.clock.sleep(ms, signal), () => this.#ending.abort(new CallLimitError(why)));
  }
}
