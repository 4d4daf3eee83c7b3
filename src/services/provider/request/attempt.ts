import type { Usage } from "../../../contracts/message.ts";
import type { Clock } from "../../../contracts/ports.ts";
import type { ProviderEvent } from "../../../contracts/provider.ts";
import { BrokenStreamError, RequestFailedError } from "./broken.ts";
import { IdleWatch, type Patience } from "./idle-watch.ts";
import { Inbox } from "./inbox.ts";
import { TryUsage } from "./try-usage.ts";

/** How long a finished answer's connection may take to end by itself, so that the next request can use it again. */
const LINGER_MS = 1_000;

/** Makes an answer out of what a vendor streams. */
export interface AnswerReader<Item> {
  /** @throws {BrokenStreamError} the item says that the stream failed. */
  accept(item: Item): readonly ProviderEvent[];
  /** True once `done` was given out. */
  readonly isComplete: boolean;
  /** What the server has reported so far, where it reports before the end. */
  readonly usage?: Usage | undefined;
}

export type AttemptOptions<Item> = {
  /**
   * Gives together what came together. Aborting the signal must end the generator and free its connection.
   * @param touch to be called at each sign of life that gives no item.
   */
  readonly open: (signal: AbortSignal, touch: () => void) => AsyncGenerator<readonly Item[], void>;
  readonly reader: AnswerReader<Item>;
  readonly request: ConstructorParameters<typeof TryUsage>[0];
  readonly clock: Clock;
  /** Silence that is borne. */
  readonly patience: Patience;
};

type Told<Item> = { readonly item: Item } | { readonly notice: string };

/**
 * Sends a request once and gives its events, the last being `done`.
 *
 * However it ends, nothing is left behind: request, timer and abort listener are released. An abort ends it at once.
 * @throws the abort reason, {RequestFailedError} or {BrokenStreamError}.
 */
export async function* runAttempt<Item>(
  { open, reader, request: asked, clock, patience }: AttemptOptions<Item>,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent, void> {
  signal.throwIfAborted();
  const inbox = new Inbox<Told<Item>>();
  const request = new AbortController();
  const watching = new AbortController();
  const onAbort = () => {
    inbox.cancel(signal.reason);
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
  const pumped = pump(open(request.signal, touch), inbox, arrived);
  void watch.run(idleListener(inbox, request, patience), watching.signal);
  let failure: unknown;
  try {
    for await (const event of eventsOf(inbox, reader, signal)) yield counted(event, use);
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
  inbox: Inbox<Told<Item>>,
  reader: AnswerReader<Item>,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent, void> {
  for (let items = await inbox.take(); items; items = await inbox.take()) {
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

/** Never rejects: whoever takes from the inbox gets the error. */
async function pump<Item>(
  batches: AsyncGenerator<readonly Item[], void>,
  inbox: Inbox<Told<Item>>,
  arrived: () => void,
): Promise<void> {
  try {
    for await (const items of batches) {
      arrived();
      for (const item of items) inbox.put({ item });
    }
    inbox.end();
  } catch (error) {
    const isRead = error instanceof BrokenStreamError || error instanceof RequestFailedError;
    inbox.fail(isRead ? error : new RequestFailedError(error));
  }
}

function idleListener<Item>(inbox: Inbox<Told<Item>>, request: AbortController, { idleMs, notedMs }: Patience) {
  return {
    onNoted() {
      const [silent, left] = [notedMs, idleMs - notedMs].map((ms) => Math.round(ms / 1000));
      inbox.put({ notice: `Nothing came from the model for ${silent} s; in ${left} s the request is tried again.` });
    },
    onExpired(silentMs: number) {
      inbox.fail(new BrokenStreamError(`Nothing came from the model for ${Math.round(silentMs / 1000)} s.`));
      request.abort();
    },
  };
}

/** Lets a response end by itself, but not for long. */
async function linger(pumped: Promise<void>, request: AbortController, clock: Clock): Promise<void> {
  const ended = new AbortController();
  void pumped.then(() => ended.abort());
  await clock.sleep(LINGER_MS, ended.signal).catch(() => {});
  request.abort();
}
