import type { Engine, UserInput } from "../../contracts/engine.ts";
import type { EngineEvent, InputReceipt } from "../../contracts/event.ts";
import type { UserBlock } from "../../contracts/message.ts";
import type { Ids } from "../../contracts/ports.ts";
import type { ProgramSession } from "../../protocol/session-port.ts";
import type { ClientMessage } from "./read-input.ts";

/** Limits for the waiting inputs and their total size. */
export const MAX_WAITING = 10_000;
export const MAX_WAITING_BYTES = 256 * 1024 * 1024;
/** The maximum number of blocks kept for the next turn, from messages that start no turn themselves. */
const MAX_HELD_BLOCKS = 1_000;

export type IntakeDeps = {
  readonly ids: Ids;
  /** Reports that the model got the message with this id. */
  taken(message: ClientMessage, id: string): void;
  /** Reports that a message was rejected, and why. */
  reportProblem(problem: string): void;
};

/** A change of the session between turns, for example another model. */
export type Job = {
  /** Must not reject. */
  run(): Promise<void>;
  /** Called instead of `run` if the session ends first. */
  dropped(): void;
};

type Opened = { readonly engine: Pick<Engine, "state" | "enqueue">; readonly session: ProgramSession };

/** An input in the engine's queue. Only a message can be withdrawn by the program. */
type Waiting = { readonly message?: ClientMessage; readonly bytes: number; readonly dropped?: () => void };

/** Puts a program's messages into the engine's queue, and remembers them until the model got them. */
export class MessageIntake {
  readonly #deps: IntakeDeps;
  #engine: Opened["engine"] | undefined;
  #session: ProgramSession | undefined;
  /** Content that the next message includes. */
  #held: readonly UserBlock[] = [];
  /** By the ids of the engine's queue. */
  readonly #waiting = new Map<string, Waiting>();
  #bytes = 0;
  /** The message that left the queue last. */
  #last: ClientMessage | undefined;
  #current: ClientMessage | undefined;
  #isRunning = false;
  #settled: (() => void)[] = [];

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
  }

  /** The session is open. */
  open({ engine, session }: Opened): void {
    this.#engine = engine;
    this.#session = session;
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
    if (found) this.#session?.send({ type: "withdraw", id: found[0] });
    return found !== undefined;
  }

  /** Drops every waiting message, or also the jobs. @returns the ids of the messages. */
  clear({ all = false } = {}): readonly string[] {
    const { ids } = this;
    for (const [id, { message, dropped }] of [...this.#waiting]) {
      if (!message && !all) continue;
      this.#session?.send({ type: "withdraw", id });
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
    const id = this.#keep({ bytes: 0, dropped });
    if (id === undefined) return false;
    const work = async () => {
      this.begin(id);
      await run();
      return () => this.end();
    };
    this.#engine?.enqueue({ prompt: "" }, "next", { id, run: work });
    return true;
  }

  /** A message or job begins. */
  begin(id: string): void {
    this.#take(id);
    this.#current = this.#last;
    this.#isRunning = true;
  }

  /** It has ended. */
  end(): void {
    this.#current = undefined;
    this.#isRunning = false;
    this.#look();
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
    if (isOver && this.#waiting.size > 0) this.#session?.send({ type: "start_queued" });
  }

  #noteReceipt({ id, state, messageId }: InputReceipt): void {
    if (state === "queued") return;
    if (state === "sent") {
      if (this.#last && messageId !== undefined) this.#deps.taken(this.#last, messageId);
      this.#last = undefined;
      return;
    }
    if (state === "taken") this.#take(id);
    else if (this.#leave(id)) this.#look();
  }

  #take(id: string): void {
    const taken = this.#leave(id);
    if (taken) this.#last = taken.message;
  }

  #leave(id: string): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    this.#bytes -= waiting?.bytes ?? 0;
    return waiting;
  }

  #addMessage(message: ClientMessage, bytes: number): boolean {
    const id = this.#keep({ message, bytes });
    if (id === undefined) return false;
    const { attachments } = message;
    const steers = message.when === "steer" && this.#current !== undefined && this.#engine?.state.busy === true;
    const when = steers || message.when !== "steer" ? message.when : "next";
    const input = this.#input(message);
    this.#session?.send({ type: "ask", id, input, when, mayBeCommand: attachments.length === 0 });
    return true;
  }

  /** @returns the id in the queue; undefined if there is no room. */
  #keep(waiting: Waiting): string | undefined {
    const { size } = this.#waiting;
    if (size >= MAX_WAITING || (size > 0 && this.#bytes + waiting.bytes > MAX_WAITING_BYTES)) return undefined;
    const id = this.#deps.ids.next();
    this.#waiting.set(id, waiting);
    this.#bytes += waiting.bytes;
    return id;
  }

  #look(): void {
    if (this.#waiting.size > 0 || this.#isRunning) return;
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
