import { afterSleep } from "../../../contracts/after-sleep.ts";
import type { Clock } from "../../../contracts/ports.ts";
import { decodeKeys, emptyDecoder, flushKeys, type InputEvent, isWithinAnswer } from "../input/decode-keys.ts";

/** A terminal sends all bytes of a key at once; bytes that follow an Escape later than this belong to another key. */
const ESCAPE_MS = 30;
/** How long the rest of a terminal's answer may take over a slow line. The answer must not count as typed. */
const ANSWER_MS = 1_000;
/** Input that arrives this early was typed before raw mode: the terminal driver converted Enter to line feeds. */
const EARLY_MS = 100;

type Options = {
  readonly stdin: NodeJS.ReadStream;
  readonly clock: Clock;
  readonly keys: (events: readonly InputEvent[]) => void;
  /** The terminal is gone. */
  readonly closed: () => void;
};

/** Reads keys until the returned function is called. */
export function readKeys({ stdin, clock, keys, closed }: Options): {
  feed(text: string): void;
  stop(): void;
} {
  let decoder = emptyDecoder;
  let waiting: AbortController | undefined;
  const emit = (decoded: ReturnType<typeof decodeKeys>) => {
    decoder = decoded.decoder;
    if (decoded.events.length > 0) keys(decoded.events);
  };
  const feed = (text: string) => {
    waiting?.abort();
    emit(decodeKeys(decoder, text));
    if (decoder.pending === "" || decoder.paste) return;
    const wait = new AbortController();
    waiting = wait;
    afterSleep(clock.sleep(isWithinAnswer(decoder) ? ANSWER_MS : ESCAPE_MS, wait.signal), () =>
      emit(flushKeys(decoder)),
    );
  };
  const startedAt = clock.monotonicMs();
  let isFirst = true;
  const onData = (chunk: string | Buffer) => {
    const isEarly = isFirst || clock.monotonicMs() - startedAt < EARLY_MS;
    isFirst = false;
    feed(isEarly ? String(chunk).replaceAll("\n", "\r") : String(chunk));
  };
  stdin.setEncoding("utf8");
  stdin.on("data", onData);
  stdin.on("end", closed);
  stdin.on("error", closed);
  stdin.resume();
  return {
    feed,
    stop: () => {
      waiting?.abort();
      stdin.off("data", onData);
      stdin.off("end", closed);
      stdin.off("error", closed);
      stdin.pause();
    },
  };
}
