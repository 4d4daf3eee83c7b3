import { lazy } from "@quoll/async/lazy";
import { callOf, type Question } from "../../../contracts/question.ts";
import { waitForPerson } from "../../../protocol/transcript/reduce.ts";
import type { ReplState } from "../repl-state.ts";
import type { FramePacer } from "../terminal/frame-pacer.ts";
import type { StackContext } from "./layer-stack.ts";
import { isHeld } from "./question.ts";

/** The open questions of the session on the screen. */
export class AskedQuestions {
  readonly #state: ReplState;
  readonly #pacer: FramePacer;
  readonly #failed: (error: unknown) => void;
  readonly #code = lazy(async () => (await import("./asked-layer.ts")).questionCode);

  /** @param failed Reports a bug in Quoll. */
  constructor(state: ReplState, pacer: FramePacer, failed: (error: unknown) => void) {
    this.#state = state;
    this.#pacer = pacer;
    this.#failed = failed;
  }

  get context(): Pick<StackContext, "askedLayer"> {
    const code = this.#code.value;
    return code ? { askedLayer: code.askedLayer } : {};
  }

  /** Shows the questions that are currently waiting for an answer. */
  take(pending: readonly Question[]): void {
    const state = this.#state;
    state.questions = pending;
    const { ui, nowMs, rowQuestions } = state;
    const code = this.#code.value;
    if (code) this.#show(code.syncQuestion(ui, pending, nowMs, rowQuestions));
    else if (pending.length > 0) this.#load().catch(this.#failed);
    else this.#show(ui);
  }

  /** Opens a question that waits in the row of an agent; without an id, the next question that must be answered. */
  open(id: string | undefined): void {
    const { ui, questions, nowMs } = this.#state;
    const question = questions.find((one) => one.id === id);
    const code = this.#code.value;
    if (question && code) this.#show(code.openRowQuestion(ui, question, nowMs));
    else this.take(questions);
  }

  #show(ui: ReplState["ui"]): void {
    this.#state.ui = ui;
    this.stopClocks();
    this.drawAtHoldEnd();
    this.#pacer.now();
  }

  /** The first frame does not wait for the code of questions. Until it is loaded, nothing is asked and no key is taken. */
  async #load(): Promise<void> {
    await this.#code();
    this.take(this.#state.questions);
  }

  /** The clock of a call stops while its question waits for the person. */
  stopClocks(): void {
    const { mustAnswer, nowMs, transcript } = this.#state;
    const asking = new Set(mustAnswer.flatMap((question) => callOf(question)?.toolUseId ?? []));
    this.#state.transcript = waitForPerson(transcript, asking, nowMs);
  }

  /** The frame changes when a question or a command's list takes the keys after the person stopped typing. */
  drawAtHoldEnd(): void {
    const { ui, nowMs } = this.#state;
    if (ui.asking && isHeld(ui, nowMs)) this.#pacer.at(ui.asking.guardedUntil);
    if (nowMs < ui.heldUntil) this.#pacer.at(ui.heldUntil);
    if (nowMs < ui.mutedUntil) this.#pacer.at(ui.mutedUntil);
  }
}
