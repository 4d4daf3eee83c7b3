import { Channel } from "@quoll/async/channel";
import type { Usage } from "../../../contracts/message.ts";
import type { Clock } from "../../../contracts/ports.ts";
import type { ProviderEvent } from "../../../contracts/provider.ts";
import { BrokenStreamError, RequestFailedError } from "./broken-stream.ts";
import { IdleWatch, type Patience } from "./idle-watch.ts";
import { TryUsage } from "./try-usage.ts";

/** Time for a finished answer's connection to close, so that the next request can reuse it. */
const LINGER_MS = 1_000;

/** Builds an answer from a vendor's stream items. */
export interface AnswerReader<Item> {
  /** @throws {BrokenStreamError} the item reports a failure of the stream. */
  accept(item: Item): readonly ProviderEvent[];
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
  readonly request: ConstructorParameters<typeof TryUsage>[0];
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
  const use = new TryUsage(asked);
  const arrived = () => {
    use.accept();
    touch();
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

function counted(event: ProviderEvent, use: TryUsage): ProviderEvent {
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
    for (const item of items) {
      if ("notice" in item) yield { type: "notice", message: item.notice };
      else {
        for (const told of reader.accept(item.item)) {
          signal.throwIfAborted();
          yield told;
        }
        if (reader.isComplete) return;
      }
    }
  }
  throw new BrokenStreamError("The stream ended before the message was complete.");
}

/** Never rejects: the channel's reader gets the error. */
async function pump<Item>(
  batches: AsyncGenerator<readonly Item[], void>,
  channel: Channel<Told<Item>>,
  arrived: () => void,
): Promise<void> {
  try {
    for await (const items of batches) {
      arrived();
      for (const item of items) channel.push({ item });
    }
    channel.close();
  } catch (error) {
    const isRead = error instanceof BrokenStreamError || error instanceof RequestFailedError;
    channel.fail(isRead ? error : new RequestFailedError(error));
  }
}

function idleListener<Item>(channel: Channel<Told<Item>>, request: AbortController, { idleMs, notedMs }: Patience) {
  return {
    onNoted() {
      const [silent, left] = [notedMs, idleMs - notedMs].map((ms) => Math.round(ms / 1000));
      channel.push({ notice: `The model has sent nothing for ${silent} s; Quoll retries in ${left} s.` });
    },
    onExpired(silentMs: number) {
      channel.fail(new BrokenStreamError(`The model sent nothing for ${Math.round(silentMs / 1000)} s.`));
      request.abort();
    },
  };
}

/** Lets a response end, within a short time. */
async function linger(pumped: Promise<void>, request: AbortController, clock: Clock): Promise<void> {
  const ended = new AbortController();
  void pumped.then(() => ended.abort());
  await clock.sleep(LINGER_MS, ended.signal).catch(() => {});
  request.abort();
}
