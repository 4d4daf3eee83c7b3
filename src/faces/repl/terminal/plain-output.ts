import type { ReplScreen } from "../repl-screen-state.ts";

/** The state that decides what a plain screen shows. */
export type PlainStatus = {
  readonly isBusy: boolean;
  /** The number of rows of the transcript, whether printed or not. */
  readonly rows: number;
  /** The id of the question that takes the keys. */
  readonly questionId: string | undefined;
  /** Monotonic milliseconds. */
  readonly nowMs: number;
  /** The current activity with its time: `running npm test · 32s`. */
  readonly doing: string;
  /** Lines that are printed when they change: a retry, the step of the task list. */
  readonly news: readonly string[];
};

/** A plain screen cannot scroll, so a question is printed whole. */
export const PLAIN_ROWS = 1_000;
/** The time between two lines about continuing work. */
const PROGRESS_MS = 30_000;
/** The maximum number of typed lines that are not printed again when the transcript repeats them. */
const MAX_TYPED = 50;
const PROMPT = "> ";

type Deps = {
  readonly stdout: Pick<NodeJS.WriteStream, "write">;
  readonly screen: ReplScreen;
  readonly status: () => PlainStatus;
};

/**
 * A screen of lines without redraws, for screen readers and for terminals that can't move their cursor: it prints each
 * settled row, each question once, a progress line at intervals, and a mark where the person types. The terminal itself
 * echoes the typed text.
 */
export class PlainOutput {
  readonly #deps: Deps;
  readonly #unsubscribe: () => void;
  #printed = 0;
  #askedId: string | undefined;
  #isMarked = false;
  #typed: readonly string[] = [];
  #told: readonly string[] = [];
  /** When the work began, or was last reported. */
  #quietSince: number | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#unsubscribe = deps.screen.subscribe(() => this.update());
    this.update();
  }

  update(): void {
    const { screen, status } = this.#deps;
    const { printed, frame } = screen.snapshot;
    for (const { text, echo } of printed.slice(this.#printed)) if (!this.#isTyped(echo)) this.#print(text);
    this.#printed = printed.length;
    const now = status();
    if (now.questionId !== undefined && now.questionId !== this.#askedId) {
      this.#askedId = now.questionId;
      // The last line is the status, which changes constantly.
      this.#print(frame.lines.slice(0, -1).join("\n"));
      this.#mark();
    } else if (!now.isBusy && now.questionId === undefined && now.rows === printed.length) this.#mark();
    this.#tell(now);
  }

  /** Called when the person sent a line, so that the cursor is in an empty line. */
  entered(text: string): void {
    this.#isMarked = false;
    this.#typed = [...this.#typed, text.trim()].slice(-MAX_TYPED);
  }

  end(): void {
    this.#unsubscribe();
    if (this.#isMarked) this.#deps.stdout.write("\n");
  }

  /** Reports continuing work at intervals, and news at once. */
  #tell({ isBusy, questionId, nowMs, doing, news }: PlainStatus): void {
    const told = this.#told;
    this.#told = news;
    for (const line of news) if (!told.includes(line)) this.#print(line);
    if (!isBusy || questionId !== undefined) this.#quietSince = undefined;
    else if (this.#quietSince === undefined) this.#quietSince = nowMs;
    else if (nowMs - this.#quietSince >= PROGRESS_MS) {
      this.#quietSince = nowMs;
      this.#print(`Working: ${doing}`);
    }
  }

  /** True if a row only repeats a line that was typed here. */
  #isTyped(echo: string | undefined): boolean {
    const at = echo === undefined ? -1 : this.#typed.indexOf(echo.trim());
    if (at >= 0) this.#typed = this.#typed.toSpliced(0, at + 1);
    return at >= 0;
  }

  #print(text: string): void {
    this.#deps.stdout.write(`${this.#isMarked ? "\n" : ""}${text}\n`);
    this.#isMarked = false;
  }

  #mark(): void {
    if (!this.#isMarked) this.#deps.stdout.write(PROMPT);
    this.#isMarked = true;
  }
}
