import type { ReplScreen } from "../repl-screen-state.ts";
import { GLYPHS } from "../view/theme.ts";

/** The state that decides what a plain terminal shows. */
export type PlainStatus = {
  readonly isBusy: boolean;
  /** The question that takes the keys. */
  readonly questionId: string | undefined;
};

/** A plain terminal cannot scroll, so a question is printed whole. */
export const PLAIN_ROWS = 1_000;

type Deps = {
  readonly stdout: Pick<NodeJS.WriteStream, "write">;
  readonly screen: ReplScreen;
  readonly status: () => PlainStatus;
};

/**
 * The screen of a terminal that cannot move its cursor (TERM=dumb): prints each settled row, each question once, and a
 * mark where the person types. The terminal itself echoes the typed text.
 */
export class PlainOutput {
  readonly #deps: Deps;
  readonly #unsubscribe: () => void;
  #printed = 0;
  #askedId: string | undefined;
  #isMarked = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#unsubscribe = deps.screen.subscribe(() => this.update());
    this.update();
  }

  update(): void {
    const { screen, status } = this.#deps;
    const { printed, frame } = screen.snapshot;
    for (const { text, isEcho } of printed.slice(this.#printed)) if (!isEcho) this.#print(text);
    this.#printed = printed.length;
    const { isBusy, questionId } = status();
    if (questionId !== undefined && questionId !== this.#askedId) {
      this.#askedId = questionId;
      // The last line is the status, which changes constantly.
      this.#print(frame.lines.slice(0, -1).join("\n"));
      this.#mark();
    } else if (!isBusy && questionId === undefined) this.#mark();
  }

  /** The person ended a line, so the cursor is in an empty one. */
  entered(): void {
    this.#isMarked = false;
  }

  end(): void {
    this.#unsubscribe();
    if (this.#isMarked) this.#deps.stdout.write("\n");
  }

  #print(text: string): void {
    this.#deps.stdout.write(`${this.#isMarked ? "\n" : ""}${text}\n`);
    this.#isMarked = false;
  }

  #mark(): void {
    if (!this.#isMarked) this.#deps.stdout.write(`${GLYPHS.prompt} `);
    this.#isMarked = true;
  }
}
