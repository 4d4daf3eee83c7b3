import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { Clock } from "../../contracts/ports.ts";
import type { PipedProcess } from "../../platform/processes/spawn-piped.ts";
import type { Exit } from "../../platform/processes/spawn-to-file.ts";
import { stopSpawn } from "../../platform/processes/stop-ladder.ts";
import { ByteRing } from "./byte-ring.ts";
import { lastWords } from "./last-words.ts";
import { STDERR_RING_BYTES, STOP_DELAYS } from "./limits.ts";
import { LineSplitter } from "./line-splitter.ts";
import { readMessage } from "./read-message.ts";

/** How long output that was written before the end is waited for; a child of the program may hold the pipe open for ever. */
const DRAIN_MS = 200;

export type StdioDeps = {
  readonly clock: Clock;
  readonly maxMessageBytes: number;
  spawn(): Promise<PipedProcess>;
  /** The program and all that came of it have ended. */
  ended(program: PipedProcess): void;
};

/**
 * Talks with a program over its standard streams: one JSON-RPC message a line. Lines that are none are passed over. The
 * program, its program group and whoever else came of it end with the connection, whichever side ends it.
 */
export class StdioTransport implements Transport {
  onmessage?: Transport["onmessage"];
  onerror?: (error: Error) => void;
  onclose?: () => void;

  readonly #deps: StdioDeps;
  readonly #stderr = new ByteRing(STDERR_RING_BYTES);
  #program: PipedProcess | undefined;
  #starting: Promise<PipedProcess> | undefined;
  #closed: Promise<void> | undefined;
  /** What ended the connection, when we did not. */
  #trouble: string | undefined;
  #rubbish: string | undefined;

  constructor(deps: StdioDeps) {
    this.#deps = deps;
  }

  /** Why the program is gone, in a few words with the end of what it said; for a failure's line. */
  get reason(): string {
    const how = this.#trouble ?? "the connection was closed";
    return [how, this.lastWords].filter((part) => part !== undefined).join(": ");
  }

  /** False while, and when, its program could not be started. */
  get isStarted(): boolean {
    return this.#program !== undefined;
  }

  /** The end of its stderr, or else what it wrote to stdout that was no message. */
  get lastWords(): string | undefined {
    return lastWords(this.#stderr.text) ?? lastWords(this.#rubbish ?? "");
  }

  /** @throws {ToolFailedError} the program can't be started. */
  async start(): Promise<void> {
    this.#starting = this.#deps.spawn();
    const program = await this.#starting;
    this.#program = program;
    const lines = new LineSplitter(this.#deps.maxMessageBytes);
    program.stderr.on("data", (chunk: Buffer) => this.#stderr.push(chunk));
    program.stdout.on("data", (chunk: Buffer) => this.#read(chunk, lines));
    for (const stream of [program.stdin, program.stdout, program.stderr]) stream.on("error", () => undefined);
    const drained = Promise.all([ended(program.stdout), ended(program.stderr)]);
    void this.#watch(program, drained);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#program ?? {};
    if (!stdin || this.#closed || stdin.destroyed) throw new Error("The connection is closed.");
    const text = `${JSON.stringify(message)}\n`;
    await new Promise<void>((resolve, reject) => {
      stdin.write(text, (error) => (error ? reject(error) : resolve()));
    });
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    const program = this.#program ?? (await this.#starting?.catch(() => undefined));
    // First of all: whoever waits for an answer need not wait for the clean-up.
    this.onclose?.();
    if (!program) return;
    program.stdin.end();
    await stopSpawn(program, this.#deps.clock, STOP_DELAYS);
    for (const stream of [program.stdin, program.stdout, program.stderr]) stream.destroy();
    this.#deps.ended(program);
  }

  /** Ends the connection when the program, or its way to us, ends by itself. */
  async #watch(program: PipedProcess, drained: Promise<unknown>): Promise<void> {
    const waiting = new AbortController();
    await Promise.race([program.exited, ended(program.stdout)]);
    const late = this.#deps.clock.sleep(DRAIN_MS, waiting.signal).catch(() => undefined);
    await Promise.race([Promise.all([program.exited, drained]), late]);
    waiting.abort(new Error("It has ended."));
    const exit = await Promise.race([program.exited, undefined]);
    if (!this.#closed) this.#trouble ??= describeExit(exit);
    await this.close();
  }

  #read(chunk: Buffer, lines: LineSplitter): void {
    if (this.#closed) return;
    try {
      for (const line of lines.push(chunk)) this.#deliver(line);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#trouble = "it sent a message that is too large";
      void this.close();
    }
  }

  #deliver(line: string): void {
    if (line.trim() === "") return;
    const value = parseJson(line);
    // Older servers send several messages in one list.
    const messages = (Array.isArray(value) ? value : [value]).flatMap((one: unknown) => readMessage(one) ?? []);
    if (messages.length === 0) {
      this.#rubbish ??= line.slice(0, 2_000);
      this.onerror?.(new Error("The program wrote a line that is no message."));
    }
    for (const message of messages) this.onmessage?.(message);
  }
}

function describeExit(exit: Exit | undefined): string {
  if (!exit) return "it closed its output";
  if (exit.signal !== undefined) return `it was ended by ${exit.signal}`;
  return `it ended with code ${exit.exitCode}`;
}

function ended(stream: PipedProcess["stdout"]): Promise<void> {
  return new Promise((resolve) => {
    stream.once("end", resolve);
    stream.once("close", resolve);
  });
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
