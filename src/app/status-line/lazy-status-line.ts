import type { StatusLine, StatusLineScreen, StatusLineState } from "../../contracts/status-line.ts";
import type { Closers } from "../closers.ts";
import type { SessionStatusLine, StatusLineParts } from "./open-status-line.ts";

/**
 * The status line of a session. The code is loaded when `start` is called and a settings file has a status line, or
 * after a turn in which one was added.
 */
export class LazyStatusLine implements StatusLine {
  readonly #parts: StatusLineParts;
  readonly #listeners = new Set<() => void>();
  #opening: Promise<SessionStatusLine> | undefined;
  #opened: SessionStatusLine | undefined;
  #screen: StatusLineScreen | undefined;
  #isStarted = false;
  #isClosed = false;

  constructor(parts: StatusLineParts, closers: Pick<Closers, "defer">) {
    this.#parts = parts;
    closers.defer(() => this.#close());
  }

  get lines(): readonly string[] {
    return this.#opened?.lines ?? [];
  }

  /** Starts to make the lines for a screen. Only the first call counts. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const unsubscribe = this.#parts.subscribe(({ event }) => {
      if (this.#opening) unsubscribe();
      else if (event.type === "turn_finished") void this.#startIfAdded();
    });
    this.#startIfSet();
  }

  look(screen: StatusLineScreen): void {
    this.#screen = screen;
    this.#opened?.look(screen);
  }

  onChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async state(): Promise<StatusLineState> {
    return (await this.#open()).state();
  }

  async #startIfAdded(): Promise<void> {
    await this.#parts.place.live.refresh();
    this.#startIfSet();
  }

  #startIfSet(): void {
    if (this.#isClosed || !this.#parts.place.live.loaded.layers.some(({ value }) => value.statusLine)) return;
    void this.#open().then((line) => (this.#isClosed ? undefined : line.refresh()));
  }

  #open(): Promise<SessionStatusLine> {
    this.#opening ??= import("./open-status-line.ts").then(({ SessionStatusLine: Opened }) => {
      const opened = new Opened(this.#parts, this.#screen);
      opened.onChanged(() => {
        for (const listener of this.#listeners) listener();
      });
      this.#opened = opened;
      return opened;
    });
    return this.#opening;
  }

  async #close(): Promise<void> {
    this.#isClosed = true;
    this.#listeners.clear();
    await (await this.#opening)?.close();
  }
}
