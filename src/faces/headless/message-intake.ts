import type { Engine, QueuedWork, UserInput } from "../../contracts/engine.ts";
import type { EngineEvent, InputReceipt } from "../../contracts/event.ts";
import type { UserBlock } from "../../contracts/message.ts";
import type { Ids } from "../../contracts/ports.ts";
import type { ClientMessage } from "./read-input.ts";

/** Limits for the waiting inputs and their total size. */
export const MAX_WAITING = 10_000;
export const MAX_WAITING_BYTES = 256 * 1024 * 1024;
/** The maximum number of blocks kept for the next turn, from messages that start no turn themselves. */
const MAX_HELD_BLOCKS = 1_000;

export type IntakeDeps = {
  readonly ids: Ids;
  /** Runs the turn of a message. Must not reject. */
  runTurn(message: ClientMessage, input: UserInput): Promise<void>;
  /** Reports that the model got the message with this id. */
  taken(message: ClientMessage, id: string): void;
  /** Reports that a message was rejected, and why. */
  reportProblem(problem: string): void;
};

/** A change of the session between turns, for example another model. */
export type Job = QueuedWork & {
  /** Called instead of `run` if the session ends first. */
  dropped(): void;
};

/** An input in the engine's queue. Only a message can be withdrawn by the program. */
type Waiting = { readonly message?: ClientMessage; readonly bytes: number; readonly dropped?: () => void };

/** Puts a program's messages into the engine's queue, and remembers them until the model got them. */
export class MessageIntake {
  readonly #deps: IntakeDeps;
  #engine: Engine | undefined;
  /** Content that the next message includes. */
  #held: readonly UserBlock[] = [];
  /** By the ids of the engine's queue. */
  readonly #waiting = new Map<string, Waiting>();
  #bytes = 0;
  /** The message that left the queue last. */
  #last: ClientMessage | undefined;
  #current: ClientMessage | undefined;
  #running = 0;
  #settled: (() => void)[] = [];

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
  }

  /** The session is open. */
  open(engine: Engine): void {
    this.#engine = engine;
  }

  /** The message that started the running turn. */
  get current(): ClientMessage | undefined {
    return this.#current;
  }

  /** The complete message of this prompt, which may be only its last part. */
  wordsOf(prompt: string): string | undefined {
    if (this.#current?.prompt === prompt) return this.#current.words;
    return this.#waiting.values().find(({ message }) => message?.prompt === prompt)?.message?.words;
  }

  /** Ids of the waiting messages, in their order. */
  get ids(): readonly string[] {
    return (this.#engine?.state.queue ?? []).flatMap(({ id }) => this.#waiting.get(id)?.message?.id ?? []);
  }

  /** Takes a message back. @returns false if the message is not waiting (any more). */
  drop(id: string): boolean {
    const found = this.#waiting.entries().find(([, { message }]) => message?.id === id);
    return found !== undefined && this.#engine?.withdraw(found[0]) !== undefined;
  }

  /** Drops every waiting message, or also the jobs. @returns the ids of the messages. */
  clear({ all = false } = {}): readonly string[] {
    const { ids } = this;
    for (const [id, { message, dropped }] of [...this.#waiting]) {
      if (!message && !all) continue;
      this.#engine?.withdraw(id);
      dropped?.();
    }
    return ids;
  }

  /**
   * Adds a message. A message without an id gets an id here, because it may be named before it is taken.
   * @param bytes The approximate size of the message's line.
   */
  take(given: ClientMessage, bytes: number): void {
    const message = { ...given, id: given.id ?? this.#deps.ids.next() };
    if (!message.beginsTurn) this.#hold(message);
    else if (!this.#addMessage(message, bytes))
      this.#deps.reportProblem(`${MAX_WAITING} inputs, or too many bytes, are already queued`);
  }

  /** Adds a job, which runs after the messages before it. @returns false if there is no room. */
  add({ run, dropped }: Job): boolean {
    return this.#enqueue({ bytes: 0, dropped }, { prompt: "" }, { when: "next", run });
  }

  /** Resolves when nothing runs and nothing waits. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.#settled.push(resolve);
      this.#look();
    });
  }

  note(event: EngineEvent): void {
    if (event.type === "input_receipt") this.#noteReceipt(event.receipt);
    // An interrupted turn of the engine's own does not hold back the program's messages.
    const isOver = event.type === "busy_changed" && !event.busy && event.interrupted;
    if (isOver && this.#waiting.size > 0) this.#engine?.startQueued();
  }

  #noteReceipt({ id, state, messageId }: InputReceipt): void {
    if (state === "queued") return;
    if (state === "sent") {
      if (this.#last && messageId !== undefined) this.#deps.taken(this.#last, messageId);
      this.#last = undefined;
      return;
    }
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    this.#bytes -= waiting.bytes;
    if (state === "taken") this.#last = waiting.message;
    else this.#look();
  }

  #addMessage(message: ClientMessage, bytes: number): boolean {
    const steers = message.when === "steer" && this.#current !== undefined && this.#engine?.state.busy === true;
    const when = steers || message.when !== "steer" ? message.when : "next";
    const input = this.#input(message);
    return this.#enqueue({ message, bytes }, input, { when, run: () => this.#runTurn(message, input) });
  }

  async #runTurn(message: ClientMessage, input: UserInput): Promise<void> {
    this.#current = message;
    await this.#deps.runTurn(message, input);
    this.#current = undefined;
  }

  /** @returns false if there is no room. */
  #enqueue(
    waiting: Waiting,
    input: UserInput,
    { when, run }: QueuedWork & { readonly when: ClientMessage["when"] },
  ): boolean {
    const { size } = this.#waiting;
    if (size >= MAX_WAITING || (size > 0 && this.#bytes + waiting.bytes > MAX_WAITING_BYTES)) return false;
    let isBegun = false;
    const work = async () => {
      isBegun = true;
      this.#running += 1;
      this.#last = waiting.message;
      await run();
      this.#running -= 1;
      this.#look();
    };
    const id = this.#engine?.enqueue(input, when, { run: work });
    // If nothing runs, the engine begins an input at once.
    if (isBegun || id === undefined) return true;
    this.#waiting.set(id, waiting);
    this.#bytes += waiting.bytes;
    return true;
  }

  #look(): void {
    if (this.#waiting.size > 0 || this.#running > 0) return;
    for (const resolve of this.#settled.splice(0)) resolve();
  }

  #hold({ attachments, prompt }: ClientMessage): void {
    const held: readonly UserBlock[] = [...this.#held, ...attachments, { type: "text", text: prompt }];
    if (held.length > MAX_HELD_BLOCKS)
      this.#deps.reportProblem(`${this.#held.length} parts of messages already wait for a turn`);
    else this.#held = held;
  }

  #input({ id, prompt, attachments }: ClientMessage): UserInput {
    const held = this.#held;
    this.#held = [];
    return { prompt, attachments: [...held, ...attachments], ...(id !== undefined && { id }) };
  }
}
