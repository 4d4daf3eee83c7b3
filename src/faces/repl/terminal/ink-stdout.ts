import type { Size } from "../repl-screen-state.ts";
import { ERASE_BELOW } from "./erase-below.ts";
import { withRows } from "./row-places.ts";
import { shortMoves } from "./short-moves.ts";

/** How fast a slow write is forgotten, with each write. */
const FORGOTTEN = 0.7;
const INK_ERASE_BELOW = "\u001b[J";
/** Before and after a frame: the terminal shows it as a whole. */
const BEGIN = "\u001b[?2026h";
const END = "\u001b[?2026l";
const HIDE = "\u001b[?25l";
const SHOW = "\u001b[?25h";
/** A frame of at most so many characters is read and shown by the terminal at once without being marked. */
const SMALL_CHARS = 400;

/**
 * The terminal as Ink sees it: with the size that was adopted last, and with resizes that we announce. Ink's way to
 * erase a frame leaves copies in the history of tmux; this class erases it differently. A frame is one write, with as few bytes as
 * it needs.
 */
export class InkStdout {
  readonly stream: NodeJS.WriteStream;
  /** The terminal for what Ink does not write. */
  readonly direct: Pick<NodeJS.WriteStream, "write">;
  readonly #textOf: (key: number) => string;
  readonly #listeners = new Set<() => void>();
  #size: Size;
  #writeMs = 0;
  /** The part of the current frame that Ink has written. */
  #frame: string | undefined;
  /** Written together with Ink's first output. */
  prefix: string;

  constructor(stdout: NodeJS.WriteStream, size: Size, prefix = "", textOf: (key: number) => string = String) {
    this.#textOf = textOf;
    this.#size = size;
    this.prefix = prefix;
    this.direct = { write: (text: string | Uint8Array) => this.#timed(stdout, [text]) };
    this.stream = new Proxy(stdout, {
      get: (target, name) => {
        if (name === "columns") return this.#size.columns;
        if (name === "rows") return this.#size.rows;
        if (name === "on" || name === "addListener") return this.#subscription(target.on, target, true);
        if (name === "off" || name === "removeListener") return this.#subscription(target.off, target, false);
        if (name === "write") return this.#write(target);
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  /** How long a write takes now: one to a terminal that is not read fast enough blocks. */
  get writeMs(): number {
    return this.#writeMs;
  }

  get size(): Size {
    return this.#size;
  }

  /** Tells Ink the new size, and Ink draws its frame again. */
  adopt(size: Size): void {
    this.#size = size;
    for (const listener of this.#listeners) listener();
  }

  #write(target: NodeJS.WriteStream) {
    return (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
      const text = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
      if (text === BEGIN && this.#frame === undefined) this.#frame = "";
      if (this.#frame === undefined) return this.#timed(target, [this.#written(text), ...rest]);
      this.#frame += text;
      if (text !== END && rest.length === 0) return true;
      const frame = this.#written(this.#frame);
      this.#frame = undefined;
      return this.#timed(target, [frame.length > SMALL_CHARS ? frame : inOneGo(frame), ...rest]);
    };
  }

  #timed(target: NodeJS.WriteStream, chunk: readonly unknown[]): boolean {
    const startedAt = performance.now();
    const isTaken: boolean = Reflect.apply(target.write, target, chunk);
    this.#writeMs = Math.max(performance.now() - startedAt, this.#writeMs * FORGOTTEN);
    return isTaken;
  }

  #written(text: string): string {
    const written = this.prefix + withRows(shortMoves(text.replaceAll(INK_ERASE_BELOW, ERASE_BELOW)), this.#textOf);
    this.prefix = "";
    return written;
  }

  /** Resize listeners are kept here; all others go to the terminal. */
  #subscription(original: NodeJS.WriteStream["on"], target: NodeJS.WriteStream, isAdded: boolean) {
    return (event: string, listener: () => void) => {
      if (event !== "resize") Reflect.apply(original, target, [event, listener]);
      else if (isAdded) this.#listeners.add(listener);
      else this.#listeners.delete(listener);
      return this.stream;
    };
  }
}

/** A frame without the marks of its begin and end, and without hiding the cursor that it shows again. */
function inOneGo(frame: string): string {
  const marked = frame.replaceAll(BEGIN, "").replaceAll(END, "");
  const isHidden =
    marked.startsWith(HIDE) && marked.endsWith(SHOW) && marked.indexOf(SHOW) === marked.length - SHOW.length;
  return isHidden ? marked.slice(HIDE.length, -SHOW.length) : marked;
}
