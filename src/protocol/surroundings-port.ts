import type { FindFiles, FoundFile } from "../contracts/file-mention.ts";
import type { StatusLineScreen } from "../contracts/status-line.ts";
import type { Mention, SessionCommand, SessionEvent, SessionStatus } from "./session-port.ts";
import { noticeText } from "./transcript/notice-text.ts";

/** Finds words that continue a typed one. Never rejects. */
export type SuggestMentions = (word: string, signal: AbortSignal) => Promise<readonly Mention[]>;

/** Receives changes of a session outside its engine. */
export type SessionWatcher = {
  /** A problem that the person should know: one line. */
  notify(text: string): void;
  /** The names of the servers that the model's tools wait for; empty when all are ready. Inputs wait until then. */
  starting(names: readonly string[]): void;
  /**
   * The names that a prompt can mention with `@`, including the `@`. `suggest` is asked from the first `{` of a name
   * on.
   */
  mentions(names: readonly Mention[], suggest?: SuggestMentions): void;
  /** The status changed. */
  changed(): void;
};

/** The facts of a session that screens see besides its engine. */
export type SessionSurroundings = {
  status(): SessionStatus;
  /** Takes the facts of a screen, for the person's own lines. */
  look(screen: StatusLineScreen): void;
  readonly findFiles: FindFiles;
  /** @returns a function that stops this. */
  watch(watcher: SessionWatcher): () => void;
};

/** The commands about a session's surroundings. */
type RequestType = "find_files" | "continue_mention" | "look";
export type SurroundingsRequest = Extract<SessionCommand, { readonly type: RequestType }>;

/** Tells one screen about servers, mentions, files and the status line of a session. */
export class SurroundingsPort {
  readonly #session: SessionSurroundings;
  readonly #emit: (event: SessionEvent) => void;
  #lastStatus = "";
  #finding = new AbortController();
  #continuing = new AbortController();
  #continueMention: SuggestMentions | undefined;
  #unwatch: () => void = () => undefined;

  constructor(session: SessionSurroundings, emit: (event: SessionEvent) => void) {
    this.#session = session;
    this.#emit = emit;
  }

  /** Starts to tell changes. */
  watch(): void {
    this.#unwatch = this.#session.watch({
      notify: (text) => this.#emit({ type: "row", row: { kind: "notice", level: "warning", text: noticeText(text) } }),
      starting: (names) => this.#emit({ type: "starting", names }),
      mentions: (names, suggest) => {
        this.#continueMention = suggest;
        this.#emit({ type: "mentions", names, ...(suggest && { canContinue: true }) });
      },
      changed: () => this.emitStatus(),
    });
  }

  take(request: SurroundingsRequest): void {
    if (request.type === "find_files") this.#findFiles(request.typed);
    else if (request.type === "look") this.#session.look(request.screen);
    else void this.#continue(request.word);
  }

  /** Tells the status, if it changed. */
  emitStatus(): void {
    const status = this.#session.status();
    const text = JSON.stringify(status);
    if (text === this.#lastStatus) return;
    this.#lastStatus = text;
    this.#emit({ type: "status", status });
  }

  end(): void {
    this.#unwatch();
    this.#finding.abort();
    this.#continuing.abort();
  }

  #findFiles(typed: string | undefined): void {
    this.#finding.abort();
    if (typed === undefined) return;
    this.#finding = new AbortController();
    const onFound = (found: readonly FoundFile[], note?: string) =>
      this.#emit({ type: "files", typed, found, ...(note !== undefined && { note }) });
    this.#session.findFiles(typed, onFound, this.#finding.signal);
  }

  async #continue(word: string): Promise<void> {
    this.#continuing.abort();
    this.#continuing = new AbortController();
    const { signal } = this.#continuing;
    const mentions = (await this.#continueMention?.(word, signal)) ?? [];
    if (!signal.aborted) this.#emit({ type: "continued_mentions", word, mentions });
  }
}
