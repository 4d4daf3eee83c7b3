import type { Clock } from "../../../contracts/ports.ts";
import type { ProviderEvent } from "../../../contracts/provider.ts";
import { type AnswerReader, runAttempt as runSharedAttempt } from "../request/attempt.ts";
import { BrokenStreamError } from "../request/broken-stream.ts";
import type { Patience } from "../request/idle-watch.ts";
import type { MessageAssembler } from "./from-stream.ts";
import { answerEvents, parseWireEvent, type ServerEvent, type WireEvent } from "./server-events.ts";

const CONTENT = /"(message_|content_block_|error)/;

type SharedOptions = Parameters<typeof runSharedAttempt<ServerEvent>>[0];

type AttemptOptions = {
  /** Gives the code that reads an answer; asked when the first event is there. */
  readonly assembler: () => Promise<typeof MessageAssembler>;
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
  { assembler, open, provider, model, request, freshId, clock, patience }: AttemptOptions,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent, void> {
  const reader = new MessageReader();
  async function* opened(ended: AbortSignal): AsyncGenerator<readonly ServerEvent[], void> {
    for await (const group of open(ended)) {
      if (!reader.hasBegun) {
        const Assembler = await assembler();
        reader.begin(new Assembler(model, provider, freshId));
      }
      yield group;
    }
  }
  return runSharedAttempt({ open: opened, reader, request, clock, patience }, signal);
}

class MessageReader implements AnswerReader<ServerEvent> {
  #assembler: MessageAssembler | undefined;

  get hasBegun(): boolean {
    return this.#assembler !== undefined;
  }

  /** Called before the first event. */
  begin(assembler: MessageAssembler): void {
    this.#assembler = assembler;
  }

  get isComplete(): boolean {
    return this.#assembler?.isComplete ?? false;
  }

  get usage() {
    return this.#assembler?.usage;
  }

  /** Everything but the events of a message. */
  isKeepAlive({ event, data }: ServerEvent): boolean {
    return event === "ping" || !CONTENT.test(data);
  }

  accept(item: ServerEvent): readonly ProviderEvent[] {
    const event = readEvent(item);
    if (event?.type !== "message") return event ? (this.#assembler?.accept(event) ?? []) : [];
    // A whole message, although a stream was requested.
    return (answerEvents(event) ?? []).flatMap((one) => this.accept(one));
  }
}

/** Undefined for events without content and for those of other APIs: readers of server-sent events ignore what they do not know. */
function readEvent({ event, data }: ServerEvent): WireEvent | undefined {
  const text = data.trim();
  if (event === "ping" || text === "") return undefined;
  if (!text.startsWith("{")) {
    if (event === "error") throw new BrokenStreamError(text);
    return undefined;
  }
  const parsed = parsedEvent(text);
  // Some gateways leave the type to the event's name.
  if (event !== "error" && parsed.type !== "error")
    return parsed.type === undefined && event !== null ? { ...parsed, type: event } : parsed;
  const { type, message } = parsed.error ?? {};
  const said = typeof message === "string" && message !== "" ? message : data;
  throw new BrokenStreamError(said, typeof type === "string" ? type : undefined);
}

function parsedEvent(data: string): WireEvent {
  try {
    return parseWireEvent(data);
  } catch (error) {
    throw new BrokenStreamError("it is not valid JSON.", undefined, { cause: error, fault: "malformed" });
  }
}
