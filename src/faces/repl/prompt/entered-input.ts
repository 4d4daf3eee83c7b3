import { typedWords, type UserInput } from "../../../contracts/engine.ts";
import type { QueuedInput } from "../../../contracts/event.ts";
import { parseCommand } from "../../../protocol/commands/slash-commands.ts";
import type { SessionEvent, SessionPort } from "../../../protocol/session-port.ts";
import { takeBack } from "../layers/prompt-layer.ts";
import type { Draft, Waiting } from "../layers/ui-state.ts";
import type { ReplState } from "../repl-state.ts";
import { WaitingInputs } from "./waiting-inputs.ts";

const NO_COMMAND = "There is no command after the `!`: type `!ls`, for example.";

const TAKEN_BACK = "Your prompt is back in the editor; the model will not see it.";

/** How long an input waits at most for servers that are starting; their tools join the session later. */
const MAX_SERVER_WAIT_MS = 1_000;

/** Handles an input that was removed from the queue; undefined when the running turn had already taken it. */
type Claim = (input: UserInput | undefined, waiting: Waiting) => void;

type InputEventType = "rested" | "enqueued" | "withdrawn" | "taken_back" | "draft";
type InputEvent = Extract<SessionEvent, { readonly type: InputEventType }>;

/** True for an event about inputs. */
export function isInputEvent(event: SessionEvent): event is InputEvent {
  return ["rested", "enqueued", "withdrawn", "taken_back", "draft"].includes(event.type);
}

/** Sends the person's inputs to their destination: a command, the shell, the model, or the queue. */
export class EnteredInput {
  readonly #port: SessionPort;
  readonly #state: ReplState;
  readonly #waiting: WaitingInputs;
  readonly #claims = new Map<string, { readonly waiting: Waiting; readonly then: Claim }>();
  /** True after the person interrupted the turn: waiting inputs keep waiting. */
  #isInterrupted = false;
  readonly #after: (ms: number, then: () => void) => void;
  /** Whether an input waits for the servers that are starting, or has waited long enough. */
  #serverWait: "none" | "running" | "over" = "none";

  /** @param after Calls back after a time, unless the REPL ends first. */
  constructor(port: SessionPort, state: ReplState, after: (ms: number, then: () => void) => void) {
    this.#port = port;
    this.#state = state;
    this.#after = after;
    this.#waiting = new WaitingInputs(port);
  }

  /** @param draft The text as it was typed, if it has folded pastes. */
  enter(text: string, draft?: Draft): void {
    if (draft) this.#waiting.sent(text, draft);
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

  /** Handles an event of the session about inputs. */
  hear(event: InputEvent): void {
    if (event.type === "rested") this.#rest(event.interrupted);
    else if (event.type === "taken_back") this.#takeBack(typedWords(event.input));
    else if (event.type === "draft") this.#returned(event.text);
    else if (event.type === "enqueued") this.#enqueued(event.id, event.as);
    else this.#withdrawn(event.id, event.input);
  }

  /** A cancelled prompt returns to the editor, before what was typed in the meantime. */
  #takeBack(text: string): void {
    const state = this.#state;
    this.#isInterrupted = true;
    this.#returned(text);
    state.tell("info", TAKEN_BACK);
  }

  /** An earlier prompt returns to the editor. */
  #returned(text: string): void {
    const state = this.#state;
    const draft = this.#waiting.draftOf(text);
    // A placeholder stands for one paste only.
    const isFree = [...draft.pastes].every(([name, paste]) => (state.ui.pastes.get(name) ?? paste) === paste);
    state.ui = takeBack(state.ui, [isFree ? draft : { shown: text, pastes: new Map() }]);
  }

  /** The engine gave an input a different id. */
  #enqueued(id: string, as: string): void {
    const { ui } = this.#state;
    this.#state.ui = { ...ui, queue: this.#waiting.renamed(ui.queue, id, as) };
  }

  /** Withdraws a waiting input into the prompt. */
  withdraw(id: string): void {
    this.#claim(id, (input, waiting) => {
      if (input) this.#state.ui = takeBack(this.#state.ui, [waiting]);
    });
  }

  /** Handles the engine's answer about an input that should be removed. */
  #withdrawn(id: string, input: UserInput | undefined): void {
    const claim = this.#claims.get(id);
    this.#claims.delete(id);
    claim?.then(input, claim.waiting);
    this.#state.drawNow();
  }

  /** Sends the oldest waiting input; the engine continues with the rest. */
  goOn(): void {
    const [first] = this.#state.ui.queue;
    if (!first || this.#state.hasLeft) return;
    this.#claim(first.id, (input, { when }) => {
      if (input && when === "shell") this.#runShell(input.prompt);
      else if (input) this.submit(input, false);
    });
  }

  /** Stops the operation beside the turn, if there is one; otherwise all that runs. */
  interrupt(): void {
    const { isBusy, isOperating } = this.#state;
    if (isBusy && isOperating) {
      this.#port.send({ type: "interrupt", what: "commands" });
      return;
    }
    this.#isInterrupted = true;
    this.#state.isStopping = this.#state.isBusy;
    this.#port.send({ type: "interrupt" });
  }

  /** Shows the engine's list of waiting inputs. */
  showQueue(told: readonly QueuedInput[], total: number): void {
    const { ui } = this.#state;
    this.#state.ui = { ...ui, queue: this.#waiting.told(ui.queue, told), unlisted: total - told.length };
  }

  /** A turn or operation ended. If the engine started no other turn, a waiting shell command may run. */
  #rest(interrupted: boolean): void {
    if (!this.#state.isBusy && !interrupted) this.goOn();
  }

  /** The names of the servers for which the tools still wait. Early inputs are sent when no server is left. */
  starting(names: readonly string[]): void {
    const state = this.#state;
    const isOver = state.starting.length > 0 && names.length === 0;
    state.starting = names;
    if (isOver) this.#serverWait = "none";
    state.drawNow();
    if (isOver && !state.isBusy && !this.#isInterrupted) this.goOn();
  }

  /** Starts a turn with the input. If a turn runs, or the tools are not ready, the input is queued. */
  submit(input: UserInput, canWait = true): void {
    const isEarly = canWait && this.#state.starting.length > 0 && this.#serverWait !== "over";
    // The engine queues a command's text itself: the screen's queue knows only what the person typed.
    if ((this.#state.isBusy || isEarly) && input.typed === undefined) {
      this.enqueue({ shown: input.prompt, pastes: new Map() }, input.prompt, isEarly ? "early" : "steer");
      if (isEarly) this.#limitWait();
      return;
    }
    this.#isInterrupted = false;
    this.#port.send({ type: "submit", input });
  }

  /** Sends the early inputs when they have waited long enough. */
  #limitWait(): void {
    if (this.#serverWait !== "none") return;
    this.#serverWait = "running";
    this.#after(MAX_SERVER_WAIT_MS, () => {
      const state = this.#state;
      if (this.#serverWait !== "running" || state.starting.length === 0) return;
      this.#serverWait = "over";
      if (state.isBusy || this.#isInterrupted || state.ui.queue[0]?.when !== "early") return;
      state.tell("info", `Sent without the tools of ${listed(state.starting)}, still starting; they can join later.`);
      this.goOn();
    });
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

  /** Removes an input from the list first, so that it cannot run as well. */
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

function listed(names: readonly string[]): string {
  const [first = "", ...others] = names;
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
