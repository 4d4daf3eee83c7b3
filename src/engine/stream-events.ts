import { Channel } from "@quoll/async/channel";
import type { EngineEvent } from "../contracts/event.ts";

export type Emit = (event: EngineEvent) => void;

/** Work that tells events by a callback, as one stream of them; the work's own result is what it returns. */
export async function* streamEvents<Value>(
  start: (emit: Emit, signal: AbortSignal) => Promise<Value>,
  signal: AbortSignal,
): AsyncGenerator<EngineEvent, Value> {
  const channel = new Channel<EngineEvent>();
  const abort = new AbortController();
  const work = start((event) => channel.push(event), AbortSignal.any([signal, abort.signal]));
  work.then(
    () => channel.close(),
    (error: unknown) => channel.fail(error),
  );
  try {
    yield* channel;
    return await work;
  } finally {
    // Reached early only when the reader gave up (`.return()`): nothing may go on behind its back.
    abort.abort(new Error("The reader of this turn has gone."));
  }
}

/** Tells each event of a stream, until its work is over. @returns its result. */
export async function emitAll<Value>(events: AsyncGenerator<EngineEvent, Value>, emit: Emit): Promise<Value> {
  for (;;) {
    const next = await events.next();
    if (next.done) return next.value;
    emit(next.value);
  }
}
