import type { UserInput } from "../contracts/engine.ts";
import type { EngineEvent } from "../contracts/event.ts";
import type { EngineDeps } from "./engine-deps.ts";
import type { InputQueue } from "./input-queue.ts";
import { USER_SHELL_RAN } from "./system-reminders.ts";
import type { UserMessages } from "./user-messages.ts";

type Parts = {
  readonly inputs: Pick<InputQueue, "beginShell">;
  readonly messages: Pick<UserMessages, "addNote">;
  emit(event: EngineEvent): void;
};

/** The commands that the person types with `!`, and the turn that answers their output. */
export class UserShell {
  readonly #deps: EngineDeps;
  readonly #parts: Parts;
  #isAnswerDue = false;

  constructor(deps: EngineDeps, parts: Parts) {
    this.#deps = deps;
    this.#parts = parts;
  }

  /** Runs a command; the model gets it with the next input. `isWaiting`: the command comes from the queue. */
  async run(command: string, { isWaiting, signal }: { isWaiting: boolean; signal: AbortSignal }): Promise<void> {
    const { inputs, messages, emit } = this.#parts;
    if (!isWaiting) inputs.beginShell(this.#deps.ids.next(), command);
    const { runUserShell } = await import("./run-user-shell.ts");
    messages.addNote(await runUserShell(command, this.#deps, emit, signal));
    this.#isAnswerDue = !signal.aborted && this.#deps.respondsToShell?.() === true;
  }

  /**
   * Called when the next input begins, which answers the last command too.
   * @returns the input of a turn that only answers; undefined if no answer is due.
   */
  takeAnswer(): UserInput | undefined {
    const isDue = this.#isAnswerDue;
    this.#isAnswerDue = false;
    return isDue ? { prompt: USER_SHELL_RAN, typed: "" } : undefined;
  }
}
