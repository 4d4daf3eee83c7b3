import type { Clock } from "../../../contracts/ports.ts";
import type { ProviderEvent } from "../../../contracts/provider.ts";
import type { ServerEvent } from "./client.ts";
import { BrokenStreamError, RequestFailedError } from "./failure.ts";
import { MessageAssembler } from "./from-stream.ts";
import { IDLE_ABORTED_MS, IDLE_NOTED_MS, IdleWatch } from "./idle-watch.ts";
import { Inbox } from "./inbox.ts";
import { parseWireEvent, type WireEvent } from "./wire-event.ts";

/** How long a finished answer's connection may take to end by itself, so that the next request can use it again. */
const LINGER_MS = 1_000;

type AttemptOptions = {
  /** Aborting the signal must end the generator and free its connection. */
  readonly open: (signal: AbortSignal) => AsyncGenerator<ServerEvent, void>;
  readonly model: string;
  readonly clock: Clock;
  /** Silence that is borne before the first event. */
  readonly firstEventMs: number;
};

type Item = { readonly event: ServerEvent } | { readonly notice: string };

/**
 * Sends a request once and gives its events, the last being `done`.
 *
 * However it ends, nothing is left behind: request, timer and abort listener are released. An abort ends it at once.
 * @throws the abort reason, {RequestFailedError} or {BrokenStreamError}.
 */
export async function* runAttempt(options: AttemptOptions, signal: AbortSignal): AsyncGenerator<ProviderEvent, void> {
  signal.throwIfAborted();
  const inbox = new Inbox<Item>();
  const request = new AbortController();
  const watching = new AbortController();
  const onAbort = () => {
    inbox.cancel(signal.reason);
    request.abort();
  };
  signal.addEventListener("abort", onAbort, { once: true });
  const watch = new IdleWatch(options.clock, options.firstEventMs);
  const pumped = pump(options.open(request.signal), inbox, watch);
  void watch.run(idleListener(inbox, request), watching.signal);
  const assembler = new MessageAssembler(options.model);
  try {
    yield* eventsOf(inbox, assembler, signal);
  } finally {
    signal.removeEventListener("abort", onAbort);
    watching.abort();
    if (assembler.isComplete) void linger(pumped, request, options.clock);
    else request.abort();
  }
}

async function* eventsOf(
  inbox: Inbox<Item>,
  assembler: MessageAssembler,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent, void> {
  for (let items = await inbox.take(); items; items = await inbox.take()) {
    for (const item of items) {
      if ("notice" in item) yield { type: "notice", message: item.notice };
      else {
        const event = readEvent(item.event);
        if (!event) continue;
        for (const told of assembler.accept(event)) {
          signal.throwIfAborted();
          yield told;
        }
        if (assembler.isComplete) return;
      }
    }
  }
  throw new BrokenStreamError("The stream ended before the message was complete.");
}

/** Never rejects: whoever takes from the inbox gets the error. */
async function pump(events: AsyncGenerator<ServerEvent, void>, inbox: Inbox<Item>, watch: IdleWatch): Promise<void> {
  try {
    for await (const event of events) {
      watch.touch();
      inbox.put({ event });
    }
    inbox.end();
  } catch (error) {
    inbox.fail(new RequestFailedError(error));
  }
}

function idleListener(inbox: Inbox<Item>, request: AbortController) {
  return {
    onNoted() {
      const left = (IDLE_ABORTED_MS - IDLE_NOTED_MS) / 1000;
      inbox.put({
        notice: `Nothing came from the model for ${IDLE_NOTED_MS / 1000} s; in ${left} s the request is tried again.`,
      });
    },
    onExpired(silentMs: number) {
      inbox.fail(new BrokenStreamError(`Nothing came from the model for ${Math.round(silentMs / 1000)} s.`));
      request.abort();
    },
  };
}

/** Undefined for what carries nothing: pings, and end marks of other vendors. */
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
    throw new BrokenStreamError("The stream holds an event that is not valid JSON.", undefined, { cause: error });
  }
}

/** Lets a response end by itself, but not for long. */
async function linger(pumped: Promise<void>, request: AbortController, clock: Clock): Promise<void> {
  const ended = new AbortController();
  void pumped.then(() => ended.abort());
  await clock.sleep(LINGER_MS, ended.signal).catch(() => {});
  request.abort();
}
