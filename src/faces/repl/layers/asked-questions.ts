import { callOf, type Question } from "../../../contracts/question.ts";
import type { ReplState } from "../repl-state.ts";
import type { FramePacer } from "../terminal/frame-pacer.ts";
import { waitForPerson } from "../transcript/reduce.ts";
import { isHeld, syncQuestion } from "./question.ts";

/** The open questions of the session on the screen. */
export class AskedQuestions {
  readonly #state: ReplState;
  readonly #pacer: FramePacer;

  constructor(state: ReplState, pacer: FramePacer) {
    this.#state = state;
    this.#pacer = pacer;
  }

  /** Shows the questions that are currently waiting for an answer. */
  take(pending: readonly Question[]): void {
    const state = this.#state;
    state.questions = pending;
    state.ui = syncQuestion(state.ui, pending, state.nowMs);
    this.stopClocks();
    this.drawAtHoldEnd();
    this.#pacer.now();
  }

  /** The clock of a call stops while its question waits for the person. */
  stopClocks(): void {
    const { questions, nowMs, transcript } = this.#state;
    const asking = new Set(questions.flatMap((question) => callOf(question)?.toolUseId ?? []));
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
