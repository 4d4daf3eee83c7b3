import type { ServerResponse } from "node:http";
import { ByteCutter } from "./byte-cuts.ts";
import type { CutBytes } from "./scenario.ts";

/**
 * Before a connection is broken on purpose, the client gets time to read what was sent: some clients drop unread bytes.
 * Several short waits instead of a long one: a client in the same process gets a turn of the event loop in each.
 */
const BREAK_DELAY_MS = 5;
const BREAK_DELAYS = 4;

/** `paced`: the step is sent `paceMs` after the last paced step. A binary framing writes bytes. */
export type Step =
  | { readonly kind: "write"; readonly text: string | Uint8Array; readonly paced: boolean }
  /** The twin sends nothing more; the connection stays open until the client or the twin closes it. */
  | { readonly kind: "stall" }
  /** The connection is broken. */
  | { readonly kind: "break" };

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
  readonly paceMs?: number | undefined;
  readonly cutBytes?: CutBytes | undefined;
  /** The connection is broken after this many bytes of the body. */
  readonly breakAfterBytes?: number | undefined;
  /** A connection that is broken on purpose is broken by TCP's RST. */
  readonly breaksByReset?: boolean | undefined;
};

/** An answer that is never sent. */
export type Refusal = { readonly kind: "silence" } | { readonly kind: "hang_up"; readonly reset?: boolean | undefined };

/** Waits for `ms`, or less when `signal` aborts; never throws. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener("abort", finish, { once: true });
  });
}

/** Waits until `signal` aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** Writes a body: in pieces if asked, with back pressure, up to a limit. Every wait ends when `signal` aborts. */
class BodyWriter {
  readonly #response: ServerResponse;
  readonly #signal: AbortSignal;
  readonly #cutter: ByteCutter | undefined;
  #bytesLeft: number;

  constructor(response: ServerResponse, answer: Answer, signal: AbortSignal) {
    this.#response = response;
    this.#signal = signal;
    this.#cutter = answer.cutBytes && new ByteCutter(answer.cutBytes);
    this.#bytesLeft = answer.breakAfterBytes ?? Number.POSITIVE_INFINITY;
  }

  get spent(): boolean {
    return this.#bytesLeft <= 0;
  }

  async write(text: string | Uint8Array): Promise<void> {
    const bytes = typeof text === "string" ? Buffer.from(text, "utf8") : text;
    if (!this.#cutter) return this.#send(bytes);
    for (const piece of this.#cutter.push(bytes)) {
      await this.#send(piece);
      // Waits until the piece has left, because the system would otherwise join it with the next piece.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Sends the remaining bytes of the cutter. */
  async flush(): Promise<void> {
    const rest = this.#cutter?.rest();
    if (rest && rest.length > 0) await this.#send(rest);
  }

  async #send(bytes: Uint8Array): Promise<void> {
    if (this.#signal.aborted || this.spent) return;
    const piece = bytes.subarray(0, Math.min(bytes.length, this.#bytesLeft));
    this.#bytesLeft -= piece.length;
    if (!this.#response.write(piece)) await this.#drained();
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        this.#response.off("drain", finish);
        this.#signal.removeEventListener("abort", finish);
        resolve();
      };
      this.#response.once("drain", finish);
      this.#signal.addEventListener("abort", finish, { once: true });
      if (this.#signal.aborted) finish();
    });
  }
}

/** Breaks a connection, by RST or by closing the socket. */
export function hangUp(response: ServerResponse, reset = false): void {
  if (reset) response.socket?.resetAndDestroy();
  else response.destroy();
}

async function breakConnection(
  response: ServerResponse,
  { breaksByReset }: Answer,
  signal: AbortSignal,
): Promise<void> {
  for (let turn = 0; turn < BREAK_DELAYS; turn += 1) await pause(BREAK_DELAY_MS, signal);
  hangUp(response, breaksByReset);
}

/**
 * Sends an answer step by step.
 * Returns when the last byte is handed over, when the connection was broken on purpose, or when `signal` aborts (client gone, twin closed).
 */
export async function deliver(response: ServerResponse, answer: Answer, signal: AbortSignal): Promise<void> {
  const writer = new BodyWriter(response, answer, signal);
  const paceMs = answer.paceMs ?? 0;
  let dueMs: number | undefined;
  response.writeHead(answer.status, { ...answer.headers });
  response.flushHeaders();
  for (const step of answer.steps) {
    if (signal.aborted) return;
    if (writer.spent) return breakConnection(response, answer, signal);
    if (step.kind !== "write") {
      await writer.flush();
      return step.kind === "stall" ? aborted(signal) : breakConnection(response, answer, signal);
    }
    if (step.paced && paceMs > 0) {
      if (dueMs !== undefined) await pause(Math.max(0, dueMs - performance.now()), signal);
      const nowMs = performance.now();
      // The pace counts from the planned time, so that late timers don't add up. After a slow client delayed a
      // step, the twin does not send the next steps all at once.
      dueMs = Math.max(dueMs ?? nowMs, nowMs - paceMs) + paceMs;
    }
    await writer.write(step.text);
  }
  await writer.flush();
  if (writer.spent) return breakConnection(response, answer, signal);
  if (!signal.aborted) response.end();
}
