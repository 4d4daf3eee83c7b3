import type { Engine, UserInput } from "../../contracts/engine.ts";
import { errorMessage } from "../../contracts/errors.ts";
import type { Outcome, QueuedInput } from "../../contracts/event.ts";
import { HiddenLine } from "./hidden-line.ts";
import type { ReplState } from "./repl-state.ts";
import type { SlashCommands } from "./slash-commands.ts";
import { parseCommand, takeBack } from "./ui/prompt-keys.ts";
import type { Draft, Waiting } from "./ui/ui-state.ts";
import { WaitingInputs } from "./waiting-inputs.ts";

type Deps = {
  readonly engine: Engine;
  readonly state: ReplState;
  readonly commands: SlashCommands;
  /** A fault of ours. */
  readonly failed: (error: unknown) => void;
};

const NO_COMMAND = "There is no command behind the `!`: type `!ls`, for example.";

/** What the person enters, on its way: to a command, to the shell, to the model at once, or to those that wait for their time. */
export class EnteredInput {
  readonly #engine: Engine;
  readonly #state: ReplState;
  readonly #commands: SlashCommands;
  readonly #failed: (error: unknown) => void;
  readonly #waiting: WaitingInputs;
  readonly #hidden = new HiddenLine();
  /** The person ended what runs: what waits goes on waiting. */
  #isInterrupted = false;

  constructor({ engine, state, commands, failed }: Deps) {
    this.#engine = engine;
    this.#state = state;
    this.#commands = commands;
    this.#failed = failed;
    this.#waiting = new WaitingInputs(engine);
  }

  /** What goes wrong in the engine or in a command is said on the screen; what is left is a fault of ours. */
  enter(text: string): void {
    const command = parseCommand(text);
    const isShell = text.trimStart().startsWith("!");
    const run = command
      ? this.#runCommand(text, command.name, command.argument)
      : isShell
        ? this.#runShell(text)
        : this.#runTurn({ prompt: text });
    run?.catch(this.#failed);
  }

  enqueue(draft: Draft, text: string, when: Waiting["when"]): void {
    const state = this.#state;
    state.ui = { ...state.ui, queue: this.#waiting.add(state.ui.queue, draft, text, when) };
    state.sync();
    state.drawNow();
  }

  /** Takes back what waits: into the prompt, or away. */
  withdraw(id: string, edit: boolean): void {
    const claimed = this.#claim(id);
    if (claimed?.input && edit) this.#state.ui = takeBack(this.#state.ui, [claimed.waiting]);
  }

  /** Sends what waits longest; the engine goes on with the rest. */
  goOn(): void {
    const [first] = this.#state.ui.queue;
    if (!first || this.#state.hasLeft) return;
    const { input, waiting } = this.#claim(first.id) ?? {};
    if (!input) return;
    const run = waiting?.when === "shell" ? this.#runShell(input.prompt) : this.#runTurn(input, false);
    run?.catch(this.#failed);
  }

  interrupt(): void {
    this.#isInterrupted = true;
    this.#state.isStopping = this.#state.isBusy;
    this.#engine.interrupt();
  }

  /** What was typed unseen; undefined when the person went back. */
  async takeHidden(text: string | undefined): Promise<void> {
    const state = this.#state;
    const { rows, picker } = await this.#hidden.answer(text);
    for (const row of rows) state.add(row);
    if (picker) state.ui = { ...state.ui, picker };
  }

  /** What the engine says of its queue. */
  showQueue(told: readonly QueuedInput[], total: number): void {
    const { ui } = this.#state;
    this.#state.ui = { ...ui, queue: this.#waiting.told(ui.queue, told), unlisted: total - told.length };
  }

  /** A turn ended, and the engine had its chance to begin the next one: a shell command's time has come. */
  rest(outcome: Outcome): void {
    this.#state.sync();
    if (!this.#state.isBusy && outcome.reason !== "aborted") this.goOn();
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
  #runTurn(input: UserInput, canWait = true): Promise<void> | undefined {
    const isEarly = canWait && this.#state.starting.length > 0;
    if (this.#engine.state.busy || isEarly) {
      this.enqueue({ shown: input.prompt, pastes: new Map() }, input.prompt, isEarly ? "early" : "steer");
      return undefined;
    }
    return this.#busily(() => this.#engine.submit(input));
  }

  #runShell(text: string): Promise<void> | undefined {
    const command = text.trimStart().slice(1).trim();
    if (this.#engine.state.busy) {
      this.enqueue({ shown: text, pastes: new Map() }, text, "shell");
      return undefined;
    }
    this.#state.add({ kind: "user", text });
    if (command === "") {
      this.#state.tell("error", NO_COMMAND);
      return undefined;
    }
    return this.#busily(() => this.#engine.runShell(command)).then(() => {
      if (!this.#isInterrupted && !this.#state.isBusy) this.goOn();
    });
  }

  async #runCommand(text: string, name: string, argument: string): Promise<void> {
    const state = this.#state;
    const result = await this.#commands.run(name, argument);
    // A list or a hidden line may be left again, and then nothing was done.
    if (result.type === "row") state.add({ kind: "user", text });
    state.refresh();
    if (state.engine.messages.length === 0) state.transcript = { ...state.transcript, context: undefined };
    if (result.type === "row") state.add(result.row);
    if (result.type === "picker") state.ui = { ...state.ui, picker: result.picker };
    if (result.type === "hidden") {
      this.#hidden.ask({ ...result.asked, entered: text });
      state.ui = { ...state.ui, hidden: { title: result.title, text: "" } };
    }
    state.drawNow();
  }

  async #busily(run: () => Promise<unknown>): Promise<void> {
    this.#isInterrupted = false;
    try {
      const running = run();
      this.#state.sync();
      await running;
    } catch (error) {
      this.#state.tell("error", errorMessage(error));
    } finally {
      this.#state.sync();
    }
  }

  #claim(id: string) {
    const { ui } = this.#state;
    const claimed = this.#waiting.claim(ui.queue, id);
    if (claimed) this.#state.ui = { ...ui, queue: claimed.queue };
    return claimed;
  }
}
