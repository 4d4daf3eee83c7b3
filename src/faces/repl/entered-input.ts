import type { UserInput } from "../../contracts/engine.ts";
import type { Outcome, QueuedInput } from "../../contracts/event.ts";
import { parseCommand, takeBack } from "./layers/prompt-layer.ts";
import type { Draft, Waiting } from "./layers/ui-state.ts";
import type { ReplState } from "./repl-state.ts";
import type { SessionPort } from "./session-protocol.ts";
import { WaitingInputs } from "./waiting-inputs.ts";

const NO_COMMAND = "There is no command behind the `!`: type `!ls`, for example.";

/** What an input that was taken out of the queue is for; undefined when the running turn had taken it already. */
type Claim = (input: UserInput | undefined, waiting: Waiting) => void;

/** What the person enters, on its way: to a command, to the shell, to the model at once, or to those that wait for their time. */
export class EnteredInput {
  readonly #port: SessionPort;
  readonly #state: ReplState;
  readonly #waiting: WaitingInputs;
  readonly #claims = new Map<string, { readonly waiting: Waiting; readonly then: Claim }>();
  /** The person ended what runs: what waits goes on waiting. */
  #isInterrupted = false;

  constructor(port: SessionPort, state: ReplState) {
    this.#port = port;
    this.#state = state;
    this.#waiting = new WaitingInputs(port);
  }

  enter(text: string): void {
    const command = parseCommand(text);
    if (command) this.#port.send({ type: "command", text, ...command });
    else if (text.trimStart().startsWith("!")) this.#runShell(text);
    else this.submit({ prompt: text });
  }

  enqueue(draft: Draft, text: string, when: Waiting["when"]): void {
    const state = this.#state;
    const { queue, send } = this.#waiting.add(state.ui.queue, draft, text, when);
    state.ui = { ...state.ui, queue };
    send?.();
    state.drawNow();
  }

  /** The engine has an input under an id of its own. */
  enqueued(id: string, as: string): void {
    const { ui } = this.#state;
    this.#state.ui = { ...ui, queue: this.#waiting.renamed(ui.queue, id, as) };
  }

  /** Takes back what waits: into the prompt, or away. */
  withdraw(id: string, edit: boolean): void {
    this.#claim(id, (input, waiting) => {
      if (input && edit) this.#state.ui = takeBack(this.#state.ui, [waiting]);
    });
  }

  /** What became of an input that was to be taken back. */
  withdrawn(id: string, input: UserInput | undefined): void {
    const claim = this.#claims.get(id);
    this.#claims.delete(id);
    claim?.then(input, claim.waiting);
    this.#state.drawNow();
  }

  /** Sends what waits longest; the engine goes on with the rest. */
  goOn(): void {
    const [first] = this.#state.ui.queue;
    if (!first || this.#state.hasLeft) return;
    this.#claim(first.id, (input, { when }) => {
      if (input && when === "shell") this.#runShell(input.prompt);
      else if (input) this.submit(input, false);
    });
  }

  interrupt(): void {
    this.#isInterrupted = true;
    this.#state.isStopping = this.#state.isBusy;
    this.#port.send({ type: "interrupt" });
  }

  /** What the engine says of its queue. */
  showQueue(told: readonly QueuedInput[], total: number): void {
    const { ui } = this.#state;
    this.#state.ui = { ...ui, queue: this.#waiting.told(ui.queue, told), unlisted: total - told.length };
  }

  /** A turn ended, and the engine had its chance to begin the next one: a shell command's time has come. */
  rest(outcome: Outcome): void {
    if (!this.#state.isBusy && outcome.reason !== "aborted") this.goOn();
  }

  /** The person's own shell command is over. */
  restAfterShell(): void {
    if (!this.#isInterrupted && !this.#state.isBusy) this.goOn();
  }

  /** What the model's tools wait for now. Words that came too early are sent once everything is there. */
  starting(names: readonly string[]): void {
    const state = this.#state;
    const isOver = state.starting.length > 0 && names.length === 0;
    state.starting = names;
    state.drawNow();
    if (isOver && !state.isBusy && !this.#isInterrupted) this.goOn();
  }

  /** Begins a turn, or puts the input where it belongs when one runs already, or nothing can run yet. */
  submit(input: UserInput, canWait = true): void {
    const isEarly = canWait && this.#state.starting.length > 0;
    if (this.#state.isBusy || isEarly) {
      this.enqueue({ shown: input.prompt, pastes: new Map() }, input.prompt, isEarly ? "early" : "steer");
      return;
    }
    this.#isInterrupted = false;
    this.#port.send({ type: "submit", input });
  }

  #runShell(text: string): void {
    const command = text.trimStart().slice(1).trim();
    if (this.#state.isBusy) {
      this.enqueue({ shown: text, pastes: new Map() }, text, "shell");
      return;
    }
    this.#state.add({ kind: "user", text: `!${command}` });
    if (command === "") {
      this.#state.tell("error", NO_COMMAND);
      return;
    }
    this.#isInterrupted = false;
    this.#port.send({ type: "shell", command });
  }

  /** Takes an input out of the list before anything is done with it, so that it can't run as well. */
  #claim(id: string, then: Claim): void {
    const { ui } = this.#state;
    const claimed = this.#waiting.claim(ui.queue, id);
    if (!claimed) return;
    const { waiting, queue, input } = claimed;
    this.#state.ui = { ...ui, queue };
    if (input) {
      then(input, waiting);
      return;
    }
    this.#claims.set(id, { waiting, then });
    this.#port.send({ type: "withdraw", id });
  }
}
