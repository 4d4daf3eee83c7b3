import type { FindFiles } from "../contracts/file-mention.ts";
import type { StatusLineScreen } from "../contracts/status-line.ts";
import type { RemoteFacts, RemoteStatus, ToHost, ToScreen } from "./remote-protocol.ts";
import type { SessionCommand, SessionEvent, SessionPort, SessionWatcher } from "./session-port.ts";

/** `why`: one line for the person. `isLost`: the host ended the connection without a message. */
export type RemoteEnd = { readonly why: string; readonly isLost: boolean };

/** A session in another process, as this process's screen sees it. */
export class RemotePort implements SessionPort {
  readonly #send: (message: ToHost) => void;
  readonly #facts = Promise.withResolvers<RemoteFacts | undefined>();
  readonly #ended = Promise.withResolvers<RemoteEnd>();
  #early: ToScreen[] = [];
  #listener: ((event: SessionEvent) => void) | undefined;
  #watcher: SessionWatcher | undefined;
  #status: RemoteStatus | undefined;
  #screen: StatusLineScreen | undefined;
  #searches = 0;
  /** Takes the files of the newest search. */
  #foundFiles: ((message: Extract<ToScreen, { readonly type: "files" }>) => void) | undefined;

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

  /** The last status that the host sent; undefined before its facts. */
  get status(): RemoteStatus | undefined {
    return this.#status;
  }

  send(command: SessionCommand): void {
    this.#send({ type: "command", command });
  }

  /** Asks the host for files of its working folder. */
  readonly findFiles: FindFiles = (typed, told, signal) => {
    this.#searches += 1;
    const id = this.#searches;
    this.#foundFiles = (message) => {
      if (message.id === id && !signal.aborted) told(message.found, message.note);
    };
    this.#send({ type: "find_files", id, typed });
  };

  /** Tells the host the facts of the screen, if they changed. */
  look(screen: StatusLineScreen): void {
    const { columns, rows, vim } = this.#screen ?? {};
    if (screen.columns === columns && screen.rows === rows && screen.vim === vim) return;
    this.#screen = screen;
    this.#send({ type: "look", screen });
  }

  subscribe(listener: (event: SessionEvent) => void): () => void {
    this.#listener = listener;
    this.#flush();
    return () => {
      this.#listener = undefined;
    };
  }

  /** @returns a function that removes the listener. */
  watch(watcher: SessionWatcher): () => void {
    this.#watcher = watcher;
    this.#flush();
    return () => {
      this.#watcher = undefined;
    };
  }

  /** Handles a message of the host. */
  take(message: ToScreen): void {
    if (message.type === "facts") this.#facts.resolve(message.facts);
    else if (message.type === "ended")
      this.#ended.resolve({ why: `The session has ended: ${message.why}.`, isLost: false });
    else if (message.type === "files") this.#foundFiles?.(message);
    else if (!this.#deliver(message)) this.#early.push(message);
  }

  /** The connection is over. */
  lost(): void {
    this.#facts.resolve(undefined);
    this.#ended.resolve({ why: "The connection to the session is lost: quoll ps shows its state.", isLost: true });
  }

  /** Delivers messages that arrived before the screen listened. */
  #flush(): void {
    const early = this.#early;
    this.#early = [];
    for (const message of early) this.take(message);
  }

  /** @returns false if no listener exists yet. */
  #deliver(message: Exclude<ToScreen, { readonly type: "facts" | "ended" | "files" }>): boolean {
    if (message.type === "event") {
      this.#listener?.(message.event);
      return this.#listener !== undefined;
    }
    const watcher = this.#watcher;
    if (message.type === "status") {
      this.#status = message.status;
      watcher?.changed();
      return true;
    }
    if (message.type === "warn") watcher?.warn(message.text);
    else if (message.type === "starting") watcher?.starting(message.names);
    else watcher?.mentions(message.names);
    return watcher !== undefined;
  }
}
