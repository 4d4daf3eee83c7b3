import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { atMost } from "@quoll/async/at-most";
import { plainText } from "@quoll/terminal-text/plain-text";
import { truncateText } from "@quoll/terminal-text/truncate-text";
import { parsedJson } from "../../../contracts/parsed-json.ts";
import type { Clock } from "../../../contracts/ports.ts";
import type { PipedProcess } from "../../../platform/processes/spawn-piped.ts";
import type { Exit } from "../../../platform/processes/spawn-to-file.ts";
import { stopSpawn } from "../../../platform/processes/stop-ladder.ts";
import { MAX_STDERR_BYTES, STOP_DELAYS } from "../mcp-limits.ts";
import { readMessage } from "./read-message.ts";
import { ClosedConnectionError } from "./session-error.ts";

const MAX_LINES = 3;
const MAX_COLUMNS = 240;
/** Stack trace lines of JavaScript and Python: they show the location, not the error. */
const TRACE = /^\s*(?:at .+|File ".+", line \d+.*|\^+|~+|Node\.js v[\d.]+|\d+ \|.*)$/;
const FIELDS = /^[\]}]+[,;]?$/;
const ERROR = /^.{0,40}(?:error|cannot|not found)/i;

/** Time to wait for output written before the end; a child of the program may keep the pipe open forever. */
const DRAIN_MS = 200;

export type StdioDeps = {
  readonly clock: Clock;
  readonly maxMessageBytes: number;
  spawn(): Promise<PipedProcess>;
  /** The program and all its child processes have ended. */
  ended(program: PipedProcess): void;
};

/**
 * Talks to a program over its standard streams: one JSON-RPC message per line. Other lines are ignored. The
 * program, its process group and its other descendants end with the connection, whichever side ends it.
 */
export class StdioTransport implements Transport {
  onmessage?: Transport["onmessage"];
  onerror?: (error: Error) => void;
  onclose?: () => void;

  readonly #deps: StdioDeps;
  #stderr: Buffer = Buffer.alloc(0);
  #program: PipedProcess | undefined;
  #starting: Promise<PipedProcess> | undefined;
  #closed: Promise<void> | undefined;
  /** Resolves when the connection has ended. */
  #watching: Promise<void> | undefined;
  /** The cause of the connection's end, if we did not end it. */
  #trouble: string | undefined;
  #rubbish: string | undefined;

  constructor(deps: StdioDeps) {
    this.#deps = deps;
  }

  /** The reason why the program has ended, with the end of its stderr; for error lines. */
  get reason(): string {
    const how = this.#trouble ?? "the connection was closed";
    return [how, this.stderrTail].filter((part) => part !== undefined).join(": ");
  }

  /** False until the program has started, and if it could not be started. */
  get isStarted(): boolean {
    return this.#program !== undefined;
  }

  /** The kept end of the program's stderr, as it was written. */
  get stderr(): string {
    return this.#stderr.toString("utf8");
  }

  /** The end of the program's stderr, or else its stdout lines that were not messages. */
  get stderrTail(): string | undefined {
    return stderrTail(this.stderr) ?? stderrTail(this.#rubbish ?? "");
  }

  /** @throws {ToolFailedError} the program cannot be started. */
  async start(): Promise<void> {
    this.#starting = this.#deps.spawn();
    const program = await this.#starting;
    this.#program = program;
    const lines = new LineSplitter(this.#deps.maxMessageBytes);
    program.stderr.on("data", (chunk: Buffer) => {
      // A copy, because a view would keep all that was written alive.
      this.#stderr = Buffer.from(Buffer.concat([this.#stderr, chunk]).subarray(-MAX_STDERR_BYTES));
    });
    program.stdout.on("data", (chunk: Buffer) => this.#read(chunk, lines));
    for (const stream of [program.stdin, program.stdout, program.stderr]) stream.on("error", () => undefined);
    const drained = Promise.all([ended(program.stdout), ended(program.stderr)]);
    this.#watching = this.#watch(program, drained);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#program ?? {};
    if (!stdin || this.#closed || stdin.destroyed) throw new ClosedConnectionError();
    const text = `${JSON.stringify(message)}\n`;
    const failure = await new Promise<Error | undefined>((resolve) => {
      stdin.write(text, (error) => resolve(error ?? undefined));
    });
    if (!failure) return;
    await this.#endedSoon();
    throw failure;
  }

  /** A program that reads no more has mostly ended, and its exit says why. */
  async #endedSoon(): Promise<void> {
    if (this.#watching) await atMost(this.#watching, DRAIN_MS, { clock: this.#deps.clock });
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    const program = this.#program ?? (await this.#starting?.catch(() => undefined));
    // This comes first, so that waiting requests do not wait for the cleanup.
    this.onclose?.();
    if (!program) return;
    program.stdin.end();
    await stopSpawn(program, this.#deps.clock, STOP_DELAYS);
    for (const stream of [program.stdin, program.stdout, program.stderr]) stream.destroy();
    this.#deps.ended(program);
  }

  /** Ends the connection when the program or its pipes end. */
  async #watch(program: PipedProcess, drained: Promise<unknown>): Promise<void> {
    // A write that fails in the meantime ends the connection, and the exit says why.
    void program.exited.then((exit) => this.#noteExit(exit));
    await Promise.race([program.exited, ended(program.stdout)]);
    await atMost(Promise.all([program.exited, drained]), DRAIN_MS, { clock: this.#deps.clock });
    const exit = await Promise.race([program.exited, undefined]);
    this.#noteExit(exit);
    await this.close();
  }

  #noteExit(exit: Exit | undefined): void {
    if (!this.#closed) this.#trouble ??= describeExit(exit);
  }

  #read(chunk: Buffer, lines: LineSplitter): void {
    if (this.#closed) return;
    try {
      for (const line of lines.push(chunk)) this.#deliver(line);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#trouble = "it sent an oversized message";
      void this.close();
    }
  }

  #deliver(line: string): void {
    if (line.trim() === "") return;
    const value = parsedJson(line);
    // Older servers send several messages in one array.
    const messages = (Array.isArray(value) ? value : [value]).flatMap((one: unknown) => readMessage(one) ?? []);
    if (messages.length === 0) {
      this.#rubbish ??= line.slice(0, 2_000);
      this.onerror?.(new Error("The program wrote a line that is not a message."));
    }
    for (const message of messages) this.onmessage?.(message);
  }
}

function describeExit(exit: Exit | undefined): string {
  if (!exit) return "it closed its output";
  if (exit.signal !== undefined) return `it was killed by ${exit.signal}`;
  return `it exited with code ${exit.exitCode}`;
}

function ended(stream: PipedProcess["stdout"]): Promise<void> {
  return new Promise((resolve) => {
    stream.once("end", resolve);
    stream.once("close", resolve);
  });
}

/** The end of a program's stderr, as one printable quoted line; undefined if it wrote nothing. */
export function stderrTail(text: string): string | undefined {
  const lines = plainText(text)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const telling = lines.filter((line) => !TRACE.test(line));
  const last = (telling.length > 0 ? telling : lines).slice(-MAX_LINES);
  // Node prints the fields of an error after its message, as the last lines.
  const error = FIELDS.test(last.at(-1) ?? "") ? telling.findLast((line) => ERROR.test(line)) : undefined;
  const words = error ?? last.join(" · ");
  return words === "" ? undefined : `"${truncateText(words, MAX_COLUMNS)}"`;
}

const LINE_FEED = 0x0a;

/** Splits bytes into lines in linear time, for any chunk size. Decodes each complete line once. */
export class LineSplitter {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * @returns the complete lines, without line ends.
   * @throws {RangeError} a line is longer than `maxBytes`.
   */
  push(chunk: Buffer): readonly string[] {
    const lines: string[] = [];
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
      lines.push(this.#take(chunk.subarray(from, at)));
      from = at + 1;
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from));
    return lines;
  }

  #take(end: Buffer): string {
    this.#keep(end);
    const line = Buffer.concat(this.#parts, this.#bytes).toString("utf8");
    this.#parts = [];
    this.#bytes = 0;
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#maxBytes) throw new RangeError(`a line is longer than ${this.#maxBytes} bytes`);
    this.#parts.push(part);
  }
}
