import { Channel } from "@quoll/async/channel";
import type { EngineEvent } from "../contracts/event.ts";

export type Emit = (event: EngineEvent) => void;

/** Converts work that reports events by callback into a stream of events. The stream returns the work's result. */
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
    // The reader may stop early (`.return()`), and the work must not continue without a reader.
    abort.abort(new Error("The reader of this turn has gone."));
  }
}

/** Reports each event of a stream until it ends. @returns the stream's result. */
export async function emitAll<Value>(events: AsyncGenerator<EngineEvent, Value>, emit: Emit): Promise<Value> {
  for (;;) {
    const next = await events.next();
    if (next.done) return next.value;
    emit(next.value);
  }
}
