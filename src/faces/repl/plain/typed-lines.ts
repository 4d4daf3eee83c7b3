// biome-ignore-all lint/suspicious/noControlCharactersInRegex: keys that a terminal echoes into a line are control characters.
import type { Clock } from "../../../contracts/ports.ts";
import type { KeyEvent } from "../input/decode-keys.ts";
import type { ReplTerminal } from "../repl-props.ts";

/** A line of the Escape key alone. */
export const ESCAPE = "\u001b";

type Terminal = Pick<ReplTerminal, "stdin" | "isPlain" | "editsLines">;

/** True if the terminal edits the line and sends it whole. */
export function isInLineMode({ isPlain = false, editsLines = false, stdin }: Terminal): boolean {
  return isPlain && !(editsLines && stdin.isTTY);
}

type Options = {
  readonly stdin: NodeJS.ReadStream;
  readonly clock: Pick<Clock, "sleep">;
  /** Receives each line without its end; the lines of a paste come together. */
  readonly line: (text: string) => void;
  /** The input has ended. */
  readonly closed: () => void;
};

/** Lines that follow each other faster than anybody types are one paste. */
const PASTE_MS = 30;
/** Sequences of arrow keys and the like: the terminal's line editor does not know them. */
const SEQUENCES = /\u001b(?:[[O][0-?]*[ -/]*[@-~]?|.)/g;
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/**
 * Reads the lines that the terminal's own line editor sends, until the returned function is called. A line keeps its
 * tabs and has no other control characters; Escape alone stays.
 */
export function readTypedLines({ stdin, clock, line, closed }: Options): { feed(text: string): void; stop(): void } {
  let open = "";
  let ended: readonly string[] = [];
  let waiting = new AbortController();
  const flush = () => {
    waiting.abort();
    const text = ended.join("\n");
    const isEmpty = ended.length === 0;
    ended = [];
    if (!isEmpty) line(text);
  };
  const feed = (text: string) => {
    const parts = (open + text).split(/\r\n?|\n/);
    open = parts.pop() ?? "";
    if (parts.length === 0) return;
    ended = [...ended, ...parts.map(cleanLine)];
    waiting.abort();
    waiting = new AbortController();
    clock.sleep(PASTE_MS, waiting.signal).then(flush, () => undefined);
  };
  const onData = (chunk: string | Buffer) => feed(String(chunk));
  const onEnd = () => {
    if (open !== "") feed("\n");
    flush();
    closed();
  };
  stdin.setEncoding("utf8");
  stdin.on("data", onData);
  stdin.on("end", onEnd);
  stdin.on("error", closed);
  stdin.resume();
  return {
    feed,
    stop() {
      waiting.abort();
      stdin.off("data", onData);
      stdin.off("end", onEnd);
      stdin.off("error", closed);
      stdin.pause();
    },
  };
}

function cleanLine(line: string): string {
  return line.trim() === ESCAPE ? ESCAPE : line.replace(SEQUENCES, "").replace(CONTROLS, "");
}

/**
 * Joins the keys of a paste: an Enter with text after it in one piece of input was pasted, because nobody types so fast.
 * The lines of a paste become one text, which the person can send.
 */
export function pastedKeys(events: readonly KeyEvent[]): readonly KeyEvent[] {
  const isEnter = (event: KeyEvent | undefined) => event?.type === "key" && event.name === "enter";
  const first = events.findIndex((event) => isEnter(event));
  const isPaste = first >= 0 && events.slice(first).some((event) => event.type === "text");
  if (!isPaste) return events;
  const text = events.map((event) => (event.type === "key" ? (isEnter(event) ? "\n" : "") : event.text)).join("");
  return [{ type: "text", text: text.replace(/\n$/, "") }];
}
