import { shellInput, typedWords, type UserInput } from "../../../contracts/engine.ts";
import type { InputReceipt, QueuedInput, QueueTime } from "../../../contracts/event.ts";
import { parseCommand } from "../../../protocol/commands/slash-commands.ts";
import type { SessionEvent, SessionPort } from "../../../protocol/session-port.ts";
import { takeBack, takeReturned } from "../layers/prompt-layer.ts";
import type { Draft, Waiting } from "../layers/ui-state.ts";
import type { ReplState } from "../repl-state.ts";

const NO_COMMAND = "There is no command after the `!`: type `!ls`, for example.";

const TAKEN_BACK = "Your prompt is back in the editor; the model will not see it.";

/** How long an input waits at most for servers that are starting; their tools join the session later. */
const MAX_SERVER_WAIT_MS = 1_000;

/** How many sent drafts with folded pastes are kept, for inputs that wait or whose prompt is cancelled. */
const MAX_SENT = 100;

/** Sends the person's inputs to their destination: a command, the shell, the model, or the session's queue. */
export class EnteredInput {
  readonly #port: SessionPort;
  readonly #state: ReplState;
  readonly #drafts = new SentDrafts();
  /** The inputs that this screen wants back, by id. */
  readonly #wanted = new Map<string, Waiting>();
  /** True after a prompt came back into the editor: it is older than the inputs that wait. */
  #hasReturned = false;
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
  }

  /** @param draft The text as it was typed, if it has folded pastes. */
  enter(text: string, draft?: Draft): void {
    if (draft) this.#drafts.keep(text, draft);
    const command = parseCommand(text);
    if (command) this.#port.send({ type: "command", text, ...command });
    else if (text.trimStart().startsWith("!")) this.#runShell(text);
    else this.#submit({ prompt: text });
  }

  /** Adds an input to the session's queue. */
  enqueue(draft: Draft, text: string, when: QueueTime): void {
    this.#drafts.keep(text, draft);
    if (when === "shell") this.#runShell(text);
    else this.#port.send({ type: "enqueue", prompt: text, when });
  }

  /** A cancelled or earlier prompt returns to the editor, before what was typed in the meantime. */
  returnToEditor(event: Extract<SessionEvent, { readonly type: "taken_back" | "draft" }>): void {
    const state = this.#state;
    if (event.type === "draft") {
      state.ui = takeReturned(state.ui, this.#draftOf(event.text));
      return;
    }
    this.#isInterrupted = true;
    this.#hasReturned = true;
    state.ui = takeReturned(state.ui, this.#draftOf(typedWords(event.input)));
    state.notify("info", TAKEN_BACK);
  }

  /** The draft of a sent text, if its placeholders still stand for the same pastes. */
  #draftOf(text: string): Draft {
    const draft = this.#drafts.of(text);
    // A placeholder stands for one paste only.
    const { pastes } = this.#state.ui;
    const isFree = [...draft.pastes].every(([name, paste]) => (pastes.get(name) ?? paste) === paste);
    return isFree ? draft : { shown: text, pastes: new Map() };
  }

  /** Withdraws a waiting input into the prompt. The input leaves the shown list at once. */
  withdraw(id: string): void {
    const { ui } = this.#state;
    const waiting = ui.queue.find((one) => one.id === id);
    if (!waiting) return;
    this.#wanted.set(id, waiting);
    this.#state.ui = { ...ui, queue: ui.queue.filter((one) => one !== waiting) };
    this.#port.send({ type: "withdraw", id });
  }

  /** Handles a receipt. An input that the running turn has taken does not come back. */
  take({ id, state: to }: InputReceipt): void {
    const waiting = this.#wanted.get(id);
    this.#wanted.delete(id);
    if (waiting && to === "edited") this.#state.ui = takeBack(this.#state.ui, [waiting]);
  }

  /** Begins the oldest waiting input; the session continues with the rest. */
  takeQueued(): void {
    if (this.#state.ui.queue.length === 0 || this.#state.hasLeft) return;
    this.#isInterrupted = false;
    this.#port.send({ type: "start_queued" });
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

  /** Shows the session's list of waiting inputs. */
  showQueue(told: readonly QueuedInput[], total: number): void {
    const queue = told.map(({ id, prompt, when }): Waiting => ({ id, when, ...this.#drafts.of(prompt) }));
    this.#state.ui = { ...this.#state.ui, queue, unlisted: total - told.length };
  }

  /** The names of the servers for which the tools still wait. Early inputs are sent when no server is left. */
  starting(names: readonly string[]): void {
    const state = this.#state;
    const isOver = state.starting.length > 0 && names.length === 0;
    state.starting = names;
    if (isOver) this.#serverWait = "none";
    state.drawNow();
    if (isOver && !state.isBusy && !this.#isInterrupted) this.takeQueued();
  }

  /**
   * Starts a turn with the input, or steers the running one. If the tools are not ready, the input is queued. Inputs
   * that were left waiting by an interrupt begin in the order in which they were typed, this one last.
   */
  #submit(input: UserInput): void {
    const isOldest = this.#hasReturned;
    this.#hasReturned = false;
    if (this.#state.starting.length > 0 && this.#serverWait !== "over") {
      this.#port.send({ type: "enqueue", prompt: input.prompt, when: "early" });
      this.#limitWait();
      return;
    }
    this.#isInterrupted = false;
    const isAfter = !isOldest && this.#state.ui.queue.some(({ when }) => when === "steer" || when === "next");
    if (isAfter) this.#port.send({ type: "enqueue", prompt: input.prompt, when: "steer" });
    else this.#port.send({ type: "submit", input });
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
      state.notify("info", `Sent without the tools of ${listed(state.starting)}, still starting; they can join later.`);
      this.takeQueued();
    });
  }

  /** Runs a command of the person. The session runs it after everything else that it does. */
  #runShell(text: string): void {
    const command = text.trimStart().slice(1).trim();
    if (command !== "") {
      this.#isInterrupted &&= this.#state.isBusy;
      this.#port.send({ type: "shell", command });
      return;
    }
    this.#state.add({ kind: "user", text: typedWords(shellInput(command)) });
    this.#state.notify("error", NO_COMMAND);
  }
}

function listed(names: readonly string[]): string {
  const [first = "", ...others] = names;
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

/** Sent inputs as they were typed, because a session knows only their texts. */
class SentDrafts {
  /** Drafts with placeholders, by their text. */
  readonly #sent = new Map<string, Draft>();

  /** Keeps the draft of a sent text. */
  keep(text: string, { shown, pastes }: Draft): void {
    const used = new Map([...pastes].filter(([name]) => shown.includes(name)));
    if (used.size === 0) return;
    this.#sent.delete(text);
    this.#sent.set(text, { shown, pastes: used });
    for (const oldest of [...this.#sent.keys()].slice(0, -MAX_SENT)) this.#sent.delete(oldest);
  }

  /** The draft of a sent text. */
  of(text: string): Draft {
    return this.#sent.get(text) ?? { shown: text, pastes: new Map() };
  }
}
