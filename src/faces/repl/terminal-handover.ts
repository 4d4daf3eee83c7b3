import { errorMessage } from "../../contracts/errors.ts";
import { afterEditing } from "./layers/question.ts";
import type { ReplProps } from "./repl-props.ts";
import type { ReplState } from "./repl-state.ts";

/** Runs something while the terminal is not ours. */
export type HandOver = <T>(run: () => Promise<T>) => Promise<T>;

/** Lends the terminal to the shell, or to the person's editor: to one at a time. */
export class TerminalHandover {
  readonly #props: Pick<ReplProps, "editFile" | "suspend">;
  readonly #state: ReplState;
  readonly #lend: HandOver;
  #isLent = false;

  constructor(props: Pick<ReplProps, "editFile" | "suspend">, state: ReplState, lend: HandOver) {
    this.#props = props;
    this.#state = state;
    this.#lend = lend;
  }

  /** Whether somebody else has it: what is typed is typed for them. */
  get isLent(): boolean {
    return this.#isLent;
  }

  /** Gives the terminal back to the shell until it lets us go on. What runs is stopped as well. */
  async suspend(): Promise<void> {
    const { suspend } = this.#props;
    if (suspend) await this.#whileLent(() => this.#lend(suspend));
  }

  /** Lets the person edit what a question is about; what they wrote is what is asked then. */
  async edit(id: string, file: string, ended: AbortSignal): Promise<void> {
    const { editFile } = this.#props;
    if (!editFile) return;
    await this.#whileLent(async () => {
      const state = this.#state;
      try {
        const edited = await this.#lend(() => editFile(file, ended));
        state.ui = afterEditing(state.ui, id, { edited }, state.nowMs) ?? state.ui;
      } catch (error) {
        const problem = errorMessage(error);
        const told = afterEditing(state.ui, id, { problem }, state.nowMs);
        if (told) state.ui = told;
        else state.tell("error", problem);
      }
    });
  }

  async #whileLent(run: () => Promise<void>): Promise<void> {
    if (this.#isLent) return;
    this.#isLent = true;
    try {
      await run();
    } finally {
      this.#isLent = false;
      this.#state.drawNow();
    }
  }
}
