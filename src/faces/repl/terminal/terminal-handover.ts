import { errorMessage } from "../../../contracts/errors.ts";
import { setText } from "../editor/editor-state.ts";
import { cleanPaste } from "../editor/pastes.ts";
import { changeDraft } from "../layers/prompt-layer.ts";
import { afterEditing } from "../layers/question.ts";
import type { ReplProps } from "../repl-props.ts";
import type { ReplState } from "../repl-state.ts";
import { scrolledOut } from "./erase-below.ts";

/** Runs a function while another program has the terminal. */
export type HandOver = <T>(run: () => Promise<T>) => Promise<T>;

/** Hands the terminal to the shell or to the person's editor, one at a time. */
export class TerminalHandover {
  readonly #props: Pick<ReplProps, "editFile" | "editText" | "suspend" | "terminal">;
  readonly #state: ReplState;
  readonly #lease: HandOver;
  #isLeased = false;

  constructor(
    props: Pick<ReplProps, "editFile" | "editText" | "suspend" | "terminal">,
    state: ReplState,
    lease: HandOver,
  ) {
    this.#props = props;
    this.#state = state;
    this.#lease = lease;
  }

  /** True if another program has the terminal and gets the keys. */
  get isLeased(): boolean {
    return this.#isLeased;
  }

  /** Returns to the shell until it resumes Quoll. Running work is also suspended. */
  async suspend(): Promise<void> {
    const { suspend } = this.#props;
    if (suspend) await this.#whileLeased(() => this.#lease(suspend));
  }

  /** Redraws the live rows at the top of the window. The earlier content of the window moves into the scrollback. */
  async redraw(): Promise<void> {
    const { stdout, isPlain, isFull } = this.#props.terminal;
    if (isPlain) return;
    await this.#whileLeased(() =>
      this.#lease(async () => {
        // A full screen is redrawn when it returns.
        if (!isFull) stdout.write(scrolledOut(stdout.rows));
      }),
    );
  }

  /** Lets the person edit the file of a question; the question then applies to the edited text. */
  async edit(id: string, file: string, ended: AbortSignal): Promise<void> {
    const { editFile } = this.#props;
    if (!editFile) return;
    await this.#whileLeased(async () => {
      const state = this.#state;
      try {
        const edited = await this.#lease(() => editFile(file, ended));
        state.ui = afterEditing(state.ui, id, { edited }, state.nowMs) ?? state.ui;
      } catch (error) {
        const problem = errorMessage(error);
        const told = afterEditing(state.ui, id, { problem }, state.nowMs);
        if (told) state.ui = told;
        else state.notify("error", problem);
      }
    });
  }

  /**
   * Lets the person edit a file.
   * @returns the reason why that was not possible; undefined when the editor was closed.
   */
  async open(file: string, ended: AbortSignal): Promise<string | undefined> {
    const { editFile } = this.#props;
    if (!editFile || this.#isLeased) return `The terminal can't be lent to an editor now. The file is ${file}.`;
    let problem: string | undefined;
    await this.#whileLeased(async () => {
      await this.#lease(() => editFile(file, ended)).catch((error: unknown) => {
        problem = errorMessage(error);
      });
    });
    return problem;
  }

  /** Lets the person edit the draft. A line break that the editor added at the end is removed. */
  async editDraft(text: string, ended: AbortSignal): Promise<void> {
    const { editText } = this.#props;
    const state = this.#state;
    if (!editText) {
      state.notify("error", "There is no editor to open here.");
      return;
    }
    await this.#whileLeased(async () => {
      try {
        const edited = cleanPaste(await this.#lease(() => editText(text, ended))).replace(/\n$/, "");
        // An unchanged draft keeps its folded pastes.
        if (edited !== text) state.ui = changeDraft(state.ui, setText(state.ui.editor, edited), state.nowMs);
      } catch (error) {
        state.notify("error", errorMessage(error));
      }
    });
  }

  async #whileLeased(run: () => Promise<void>): Promise<void> {
    if (this.#isLeased) return;
    this.#isLeased = true;
    try {
      await run();
    } finally {
      this.#isLeased = false;
      this.#state.drawNow();
    }
  }
}
