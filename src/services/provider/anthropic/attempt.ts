import type { Clock } from "../../../contracts/ports.ts";
import type { ProviderEvent } from "../../../contracts/provider.ts";
import { type AnswerReader, runAttempt as runSharedAttempt } from "../request/attempt.ts";
import { BrokenStreamError } from "../request/broken-stream.ts";
import type { Patience } from "../request/idle-watch.ts";
import { MessageAssembler } from "./from-stream.ts";
import type { ServerEvent } from "./server-events.ts";
import { parseWireEvent, type WireEvent } from "./wire-event.ts";

type SharedOptions = Parameters<typeof runSharedAttempt<ServerEvent>>[0];

type AttemptOptions = {
  /** Emits events that arrived together as one group. Aborting the signal must end the generator and free its connection. */
  readonly open: (signal: AbortSignal) => AsyncGenerator<readonly ServerEvent[], void>;
  /** The provider's name. */
  readonly provider?: string;
  readonly model: string;
  readonly request: SharedOptions["request"];
  readonly freshId?: (given: string) => string;
  readonly clock: Clock;
  /** Allowed silence. */
  readonly patience: Patience;
};

/** Sends a request once and yields its events, like every adapter (`request/attempt.ts`). */
export function runAttempt(
  { open, provider, model, request, freshId, clock, patience }: AttemptOptions,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent, void> {
  const reader = new MessageReader(model, provider, freshId);
  return runSharedAttempt({ open, reader, request, clock, patience }, signal);
}

class MessageReader implements AnswerReader<ServerEvent> {
  readonly #assembler: MessageAssembler;

  constructor(model: string, provider: string | undefined, freshId: AttemptOptions["freshId"]) {
    this.#assembler = new MessageAssembler(model, provider, freshId);
  }

  get isComplete(): boolean {
    return this.#assembler.isComplete;
  }

  get usage() {
    return this.#assembler.usage;
  }

  isPiece({ event }: ServerEvent): boolean {
    return event === "content_block_delta";
  }

  accept(item: ServerEvent): readonly ProviderEvent[] {
    const event = readEvent(item);
    return event ? this.#assembler.accept(event) : [];
  }
}

/** Undefined for events without content: pings, and end marks of other vendors. */
function readEvent({ event, data }: ServerEvent): WireEvent | undefined {
  if (event === "ping" || data === "" || data === "[DONE]") return undefined;
  const parsed = parsedEvent(data);
  if (event !== "error" && parsed.type !== "error") return parsed;
  const { type, message } = parsed.error ?? {};
  const text = typeof message === "string" && message !== "" ? message : data;
  throw new BrokenStreamError(text, typeof type === "string" ? type : undefined);
}

function parsedEvent(data: string): WireEvent {
  try {
    return parseWireEvent(data);
  } catch (error) {
    throw new BrokenStreamError("it is not valid JSON.", undefined, { cause: error }, true);
  }
}
