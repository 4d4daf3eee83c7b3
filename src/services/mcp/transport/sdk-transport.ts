import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { errorMessage } from "../../../contracts/errors.ts";
import type { JsonObject } from "../../../contracts/message.ts";
import { INTERNAL_ERROR, readMessage } from "./read-message.ts";
import { ClosedConnectionError } from "./session-error.ts";

/** @returns the answer to a request; any value, or nothing, to a notification. */
type Send = (message: JsonObject, signal: AbortSignal) => Promise<JsonObject | undefined>;

/**
 * The transport to a server inside the program that drives us. Each message is sent through a callback whose promise
 * resolves to the answer; messages that the server sends unprompted arrive through `receive`.
 */
export class SdkTransport implements Transport {
  onmessage?: Transport["onmessage"];
  onerror?: (error: Error) => void;
  onclose?: () => void;

  readonly #send: Send;
  readonly #open = new AbortController();

  constructor(send: Send) {
    this.#send = send;
  }

  async start(): Promise<void> {}

  /** The call returns at once: an answer may take time, and a notification may have none. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#open.signal.aborted) throw new ClosedConnectionError();
    void this.#exchange(message);
  }

  /** A message that the server sends on its own: a notification, or a request. */
  receive(message: JsonObject): void {
    if (this.#open.signal.aborted) return;
    const read = readMessage(message);
    if (read) this.onmessage?.(read);
    else this.onerror?.(new Error("The server sent an invalid JSON-RPC message."));
  }

  async close(): Promise<void> {
    if (this.#open.signal.aborted) return;
    this.#open.abort(new ClosedConnectionError());
    this.onclose?.();
  }

  async #exchange(message: JSONRPCMessage): Promise<void> {
    const isRequest = "method" in message && "id" in message && message.id !== undefined;
    try {
      const answer = await this.#send({ ...message }, this.#open.signal);
      if (!isRequest || this.#open.signal.aborted) return;
      if (answer) this.receive({ ...answer, jsonrpc: "2.0", id: message.id });
      else throw new Error("it gave no answer");
    } catch (error) {
      if (!isRequest) this.onerror?.(error instanceof Error ? error : new Error(errorMessage(error)));
      else
        this.receive({ jsonrpc: "2.0", id: message.id, error: { code: INTERNAL_ERROR, message: errorMessage(error) } });
    }
  }
}
