import type { ServerNotification } from "@modelcontextprotocol/sdk/types.js";
import { oneLine } from "@quoll/terminal-text/one-line";
import type { EngineEvent } from "../../contracts/event.ts";

/** A client cancels a request that is silent for a minute, unless it receives progress. */
const HEARTBEAT_MS = 10_000;

type ProgressPorts = {
  /** The progress token; absent if the client wants no progress. */
  readonly token: string | number | undefined;
  send(notification: ServerNotification): Promise<void>;
};

/** Reports the events of a call as progress of the client's request, and regularly that the call is still running. */
export class CallProgress {
  readonly #ports: ProgressPorts;
  readonly #heartbeat: ReturnType<typeof setInterval> | undefined;
  #count = 0;
  #last = "Running";

  constructor(ports: ProgressPorts) {
    this.#ports = ports;
    if (ports.token === undefined) return;
    this.#heartbeat = setInterval(() => this.#send(this.#last), HEARTBEAT_MS);
  }

  note(event: EngineEvent): void {
    const text = progressText(event);
    if (text !== undefined && text !== "") this.#send(text);
  }

  stop(): void {
    clearInterval(this.#heartbeat);
  }

  #send(text: string): void {
    const { token: progressToken, send } = this.#ports;
    if (progressToken === undefined) return;
    this.#last = oneLine(text);
    this.#count += 1;
    const params = { progressToken, progress: this.#count, message: this.#last };
    // A client that has disconnected needs no progress.
    void send({ method: "notifications/progress", params }).catch(() => undefined);
  }
}

function progressText(event: EngineEvent): string | undefined {
  switch (event.type) {
    case "tool_progress":
      return event.progress.tail.at(-1);
    case "tool_started":
      return `${event.use.name} ${event.title}`;
    case "request_started":
      return `Request ${event.step} to ${event.model}`;
    default:
      return undefined;
  }
}
