import type { RemoteFacts, ToHost, ToScreen } from "./remote-protocol.ts";
import type { SessionCommand, SessionEvent, SessionPort } from "./session-port.ts";

/** `why`: one line for the person. `isLost`: the host ended the connection without a message. */
export type RemoteEnd = { readonly why: string; readonly isLost: boolean };

/** A session in another process, as this process's screen sees it. */
export class RemotePort implements SessionPort {
  readonly #send: (message: ToHost) => void;
  readonly #facts = Promise.withResolvers<RemoteFacts | undefined>();
  readonly #ended = Promise.withResolvers<RemoteEnd>();
  /** Events that arrived before the screen listened. */
  #early: SessionEvent[] = [];
  #listener: ((event: SessionEvent) => void) | undefined;

  constructor(send: (message: ToHost) => void) {
    this.#send = send;
  }

  /** The first answer of the host; undefined if the connection ended before it. */
  get facts(): Promise<RemoteFacts | undefined> {
    return this.#facts.promise;
  }

  /** Resolves when the host ended the session or has disconnected. */
  get ended(): Promise<RemoteEnd> {
    return this.#ended.promise;
  }

  send(command: SessionCommand): void {
    this.#send({ type: "command", command });
  }

  subscribe(listener: (event: SessionEvent) => void): () => void {
    this.#listener = listener;
    for (const event of this.#early.splice(0)) listener(event);
    return () => {
      this.#listener = undefined;
    };
  }

  /** Handles a message of the host. */
  take(message: ToScreen): void {
    if (message.type === "facts") this.#facts.resolve(message.facts);
    else if (message.type === "ended")
      this.#ended.resolve({ why: `The session has ended: ${message.why}.`, isLost: false });
    else if (this.#listener) this.#listener(message.event);
    else this.#early.push(message.event);
  }

  /** The connection is over. */
  lost(): void {
    this.#facts.resolve(undefined);
    this.#ended.resolve({ why: "The connection to the session is lost: quoll ps shows its state.", isLost: true });
  }
}
