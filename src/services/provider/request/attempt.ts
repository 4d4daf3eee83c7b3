import { Channel } from "@quoll/async/channel";
import type { Usage } from "../../../contracts/message.ts";
import type { Clock } from "../../../contracts/ports.ts";
import type { ProviderEvent } from "../../../contracts/provider.ts";
import { AttemptUsage } from "./attempt-usage.ts";
import { BrokenStreamError, RequestFailedError } from "./broken-stream.ts";
import { type Idleness, IdleWatch, type Patience } from "./idle-watch.ts";

/** Time for a finished answer's connection to close, so that the next request can reuse it. */
const LINGER_MS = 1_000;

/** Builds an answer from a vendor's stream items. */
export interface AnswerReader<Item> {
  /** @throws {BrokenStreamError} the item reports a failure of the stream. */
  accept(item: Item): readonly ProviderEvent[];
  /** True for an item that only shows that the server is alive. */
  isKeepAlive?(item: Item): boolean;
  /** True after `done` was emitted. */
  readonly isComplete: boolean;
  /** The usage that the server has reported so far, if it reports before the end. */
  readonly usage?: Usage | undefined;
}

export type AttemptOptions<Item> = {
  /**
   * Emits items that arrived together as one group. Aborting the signal must end the generator and free its connection.
   * @param touch must be called at each sign of life that yields no item.
   */
  readonly open: (signal: AbortSignal, touch: () => void) => AsyncGenerator<readonly Item[], void>;
  readonly reader: AnswerReader<Item>;
  readonly request: ConstructorParameters<typeof AttemptUsage>[0];
  readonly clock: Clock;
  /** Allowed silence. */
  readonly patience: Patience;
};

type Told<Item> = { readonly item: Item } | { readonly notice: string };

/**
 * Sends a request once and yields its events, `done` last.
 *
 * In every case, the request, the timer and the abort listener are released. An abort ends the request at once.
 * @throws the abort reason, {RequestFailedError} or {BrokenStreamError}.
 */
export async function* runAttempt<Item>(
  { open, reader, request: asked, clock, patience }: AttemptOptions<Item>,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent, void> {
  signal.throwIfAborted();
  const channel = new Channel<Told<Item>>();
  const request = new AbortController();
  const watching = new AbortController();
  const onAbort = () => {
    channel.cancel(signal.reason);
    request.abort();
  };
  signal.addEventListener("abort", onAbort, { once: true });
  const watch = new IdleWatch(clock, patience);
  const touch = () => watch.touch();
  const use = new AttemptUsage(asked);
  const arrived = (items: readonly Item[]) => {
    use.accept();
    watch.touch(items.some((item) => reader.isKeepAlive?.(item) !== true));
  };
  const pumped = pump(open(request.signal, touch), channel, arrived);
  void watch.run(idleListener(channel, request, patience), watching.signal);
  let failure: unknown;
  try {
    for await (const event of eventsOf(channel, reader, signal)) yield counted(event, use);
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    use.broken(failure, reader.usage);
    signal.removeEventListener("abort", onAbort);
    watching.abort();
    if (reader.isComplete) void linger(pumped, request, clock);
    else request.abort();
  }
}

function counted(event: ProviderEvent, use: AttemptUsage): ProviderEvent {
  if (event.type === "done")
    return { ...event, message: { ...event.message, usage: use.complete(event.message.usage) } };
  use.note(event);
  return event;
}

async function* eventsOf<Item>(
  channel: Channel<Told<Item>>,
  reader: AnswerReader<Item>,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent, void> {
  for (let items = await channel.take(); items; items = await channel.take()) {
    const { events, failure } = readItems(items, reader);
    for (const event of events) {
      signal.throwIfAborted();
      yield event;
    }
    if (failure) throw failure.error;
    if (reader.isComplete) return;
  }
  throw new BrokenStreamError("The stream ended before the message was complete.", undefined, { fault: "incomplete" });
}

type ReadItems = { readonly events: readonly ProviderEvent[]; readonly failure?: { readonly error: unknown } };

/** The events of items, up to a broken one. Neighbouring pieces of a block become one. */
function readItems<Item>(items: readonly Told<Item>[], reader: AnswerReader<Item>): ReadItems {
  const events: ProviderEvent[] = [];
  try {
    for (const told of items) {
      const next: readonly ProviderEvent[] =
        "notice" in told ? [{ type: "notice", message: told.notice }] : reader.accept(told.item);
      for (const event of next) {
        const last = events.at(-1);
        const both = last && bothOf(last, event);
        if (both) events[events.length - 1] = both;
        else events.push(event);
      }
      if (reader.isComplete) break;
    }
    return { events };
  } catch (error) {
    return { events, failure: { error } };
  }
}

function bothOf(one: ProviderEvent, next: ProviderEvent): ProviderEvent | undefined {
  if ((one.type === "text_delta" || one.type === "thinking_delta") && next.type === one.type)
    return { ...next, text: one.text + next.text };
  if (one.type === "tool_input_delta" && next.type === one.type && next.toolUseId === one.toolUseId)
    return { ...next, json: one.json + next.json };
  return undefined;
}

/** Never rejects: the channel's reader gets the error. */
async function pump<Item>(
  batches: AsyncGenerator<readonly Item[], void>,
  channel: Channel<Told<Item>>,
  arrived: (items: readonly Item[]) => void,
): Promise<void> {
  try {
    for await (const items of batches) {
      for (const item of items) channel.push({ item });
      arrived(items);
    }
    channel.close();
  } catch (error) {
    const isRead = error instanceof BrokenStreamError || error instanceof RequestFailedError;
    channel.fail(isRead ? error : new RequestFailedError(error));
  }
}

function idleListener<Item>(channel: Channel<Told<Item>>, request: AbortController, patience: Patience) {
  const { idleMs, notedMs, keepAliveMs, keepAliveNotedMs } = patience;
  return {
    onNoted(what: Idleness) {
      const [sofar, limit] = what === "silence" ? [notedMs, idleMs] : [keepAliveNotedMs, keepAliveMs];
      const [idle, left] = [sofar, limit - sofar].map((ms) => Math.round(ms / 1000));
      channel.push({ notice: `The model has sent ${NOTHING[what]} for ${idle} s; Quoll retries in ${left} s.` });
    },
    onExpired(what: Idleness, ms: number) {
      channel.fail(new BrokenStreamError(`The model sent ${NOTHING[what]} for ${Math.round(ms / 1000)} s.`));
      request.abort();
    },
  };
}

const NOTHING: Readonly<Record<Idleness, string>> = { silence: "nothing", "keep-alives": "nothing but keep-alives" };

/** Lets a response end, within a short time. */
async function linger(pumped: Promise<void>, request: AbortController, clock: Clock): Promise<void> {
  const ended = new AbortController();
  void pumped.then(() => ended.abort());
  await clock.sleep(LINGER_MS, ended.signal).catch(() => {});
  request.abort();
}
