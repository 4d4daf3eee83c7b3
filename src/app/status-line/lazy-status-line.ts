import { lazy } from "@quoll/async/lazy";
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
  readonly #line = lazy(() => this.#open());
  #screen: StatusLineScreen | undefined;
  #isStarted = false;
  #isClosed = false;

  constructor(parts: StatusLineParts, closers: Pick<Closers, "defer">) {
    this.#parts = parts;
    closers.defer(() => this.#close());
  }

  get lines(): readonly string[] {
    return this.#line.value?.lines ?? [];
  }

  /** Starts to make the lines for a screen. Only the first call counts. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const unsubscribe = this.#parts.agents.subscribe(({ event }) => {
      if (this.#line.begun) unsubscribe();
      else if (event.type === "turn_finished") void this.#startIfAdded();
    });
    this.#startIfSet();
  }

  look(screen: StatusLineScreen): void {
    this.#screen = screen;
    this.#line.value?.look(screen);
  }

  onChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async state(): Promise<StatusLineState> {
    return (await this.#line()).state();
  }

  async #startIfAdded(): Promise<void> {
    await this.#parts.environment.live.refresh();
    this.#startIfSet();
  }

  #startIfSet(): void {
    if (this.#isClosed || !this.#parts.environment.live.loaded.layers.some(({ value }) => value.statusLine)) return;
    void this.#line().then((line) => (this.#isClosed ? undefined : line.refresh()));
  }

  async #open(): Promise<SessionStatusLine> {
    const { SessionStatusLine: Opened } = await import("./open-status-line.ts");
    const opened = new Opened(this.#parts, this.#screen);
    opened.onChanged(() => {
      for (const listener of this.#listeners) listener();
    });
    return opened;
  }

  async #close(): Promise<void> {
    this.#isClosed = true;
    this.#listeners.clear();
    await (await this.#line.begun)?.close();
  }
}
