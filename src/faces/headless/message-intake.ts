import type { Engine, UserInput } from "../../contracts/engine.ts";
import type { EngineEvent } from "../../contracts/event.ts";
import type { UserBlock } from "../../contracts/message.ts";
import type { Ids } from "../../contracts/ports.ts";
import type { ClientMessage } from "./read-input.ts";
import { type Job, MAX_WAITING, MAX_WAITING_BYTES, type TurnQueue } from "./turn-queue.ts";

/** The maximum number of blocks kept for the next turn, from messages that start no turn themselves. */
const MAX_HELD_BLOCKS = 1_000;

export type IntakeDeps = {
  readonly queue: TurnQueue;
  readonly ids: Ids;
  /** Runs the turn of a message. Must not reject. */
  runTurn(message: ClientMessage): Promise<void>;
  /** Reports that the model got the message with this id. */
  taken(message: ClientMessage, id: string): void;
  /** Reports that a message was rejected, and why. */
  reportProblem(problem: string): void;
};

type Steering = { readonly message: ClientMessage; readonly id: string; readonly bytes: number };

/** Passes messages to the model one by one, in order, except those that steer the running turn. */
export class MessageIntake {
  readonly #deps: IntakeDeps;
  /** Content that the next message includes. */
  #held: readonly UserBlock[] = [];
  #steering: Steering[] = [];
  #steeringBytes = 0;
  #current: ClientMessage | undefined;

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
  }

  /** The message that started the running turn. */
  get current(): ClientMessage | undefined {
    return this.#current;
  }

  /** The complete message of this prompt, which may be only its last part. */
  wordsOf(prompt: string): string | undefined {
    const messages = [this.#current, ...this.#steering.map(({ message }) => message)];
    return messages.find((message) => message?.prompt === prompt)?.words;
  }

  /** Ids of the waiting messages, in their order. */
  get ids(): readonly string[] {
    return [...this.#steering.flatMap(({ message: { id } }) => id ?? []), ...this.#deps.queue.ids];
  }

  /** Takes a message back. @returns false if the message is not waiting (any more). */
  drop(id: string, engine: Engine): boolean {
    const steering = this.#steering.find(({ message }) => message.id === id);
    if (!steering) return this.#deps.queue.drop(id);
    this.#forget(steering);
    return engine.withdraw(steering.id) !== undefined;
  }

  /** Drops every waiting message. @returns their ids. */
  clear(engine: Engine): readonly string[] {
    const taken = this.#takeAll(engine);
    return [...taken.flatMap(({ message: { id } }) => id ?? []), ...this.#deps.queue.clear()];
  }

  /**
   * Adds a message. A message without an id gets an id here, because it may be named before it is taken.
   * @param bytes The approximate size of the message's line.
   */
  take(given: ClientMessage, engine: Engine, bytes: number): void {
    const message = { ...given, id: given.id ?? this.#deps.ids.next() };
    if (!message.beginsTurn) this.#hold(message);
    else if (!this.#isAdded(message, engine, bytes))
      this.#deps.reportProblem(`${MAX_WAITING} inputs, or too many bytes, are already queued`);
  }

  /** @returns false if there is no room. */
  #isAdded(message: ClientMessage, engine: Engine, bytes: number): boolean {
    const isSteering = message.when === "steer" && this.#current && engine.state.busy;
    if (!isSteering) return this.#deps.queue.add(this.#job(message, bytes));
    if (this.#steering.length >= MAX_WAITING || this.#steeringBytes + bytes > MAX_WAITING_BYTES) return false;
    this.#steeringBytes += bytes;
    this.#steering.push({ message, bytes, id: engine.enqueue(this.#input(message), "steer") });
    return true;
  }

  /** Starts the turn of a message. @returns the input for the engine. */
  begin(message: ClientMessage): UserInput {
    this.#current = message;
    return this.#input(message);
  }

  end(): void {
    this.#current = undefined;
  }

  note(event: EngineEvent, engine: Engine): void {
    if (event.type === "turn_started" && this.#current) this.#deps.taken(this.#current, event.message.id);
    if (event.type === "words_added" && event.by === "user") this.#takenOver(event.message.id, event.prompt);
    if (event.type === "busy_changed" && !event.busy) this.#takeBack(engine);
  }

  #hold({ attachments, prompt }: ClientMessage): void {
    const held: readonly UserBlock[] = [...this.#held, ...attachments, { type: "text", text: prompt }];
    if (held.length > MAX_HELD_BLOCKS)
      this.#deps.reportProblem(`${this.#held.length} parts of messages already wait for a turn`);
    else this.#held = held;
  }

  #job(message: ClientMessage, bytes = 0): Job {
    const run = () => this.#deps.runTurn(message);
    return { bytes, run, isLater: message.when === "later", ...(message.id !== undefined && { id: message.id }) };
  }

  #input({ id, prompt, attachments }: ClientMessage): UserInput {
    const held = this.#held;
    this.#held = [];
    return { prompt, attachments: [...held, ...attachments], ...(id !== undefined && { id }) };
  }

  #takenOver(messageId: string, prompt: string): void {
    const taken = this.#steering.find(({ message }) => message.prompt === prompt);
    if (!taken) return;
    this.#forget(taken);
    this.#deps.taken(taken.message, messageId);
  }

  /**
   * Messages that should steer a turn or operation that has ended start a separate turn, before all waiting messages.
   */
  #takeBack(engine: Engine): void {
    const left = this.#takeAll(engine);
    if (left.length > 0) this.#deps.queue.addFirst(left.map(({ message, bytes }) => this.#job(message, bytes)));
  }

  #forget(steering: Steering): void {
    this.#steering = this.#steering.filter((one) => one !== steering);
    this.#steeringBytes -= steering.bytes;
  }

  /** Withdraws all messages that the engine has not used yet. */
  #takeAll(engine: Engine): readonly Steering[] {
    const left = this.#steering.filter(({ id }) => engine.withdraw(id) !== undefined);
    this.#steering = [];
    this.#steeringBytes = 0;
    return left;
  }
}
