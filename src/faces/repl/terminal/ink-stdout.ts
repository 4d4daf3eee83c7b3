import type { Size } from "../repl-screen-state.ts";
import type { FrameWriter, Place } from "./frame-writer.ts";
import type { frameOf, InkOutput, outputOf } from "./ink-output.ts";
import type { LivePlaces } from "./live-places.ts";
import { withRows } from "./row-places.ts";

/** The share of a slow write's duration that each following write keeps. */
const FORGOTTEN = 0.7;
/** Ink's marks before and after a frame. */
const BEGIN = "\u001b[?2026h";
const END = "\u001b[?2026l";

/** The code that writes Ink's frames, loaded together with Ink. */
export type InkFrames = {
  readonly writer: FrameWriter;
  readonly frameOf: typeof frameOf;
  readonly outputOf: typeof outputOf;
  /** The lines of the live frame. */
  readonly live: LivePlaces;
};

/**
 * The terminal as Ink sees it: with the last adopted size, and with resizes that Quoll announces. Ink writes whole frames and
 * erases them in a way that leaves copies in the history of tmux; here each frame becomes one write of only what differs.
 */
export class InkStdout {
  readonly stream: NodeJS.WriteStream;
  /** The terminal for output that Ink does not write. */
  readonly direct: Pick<NodeJS.WriteStream, "write">;
  readonly #textOf: (key: number) => string;
  readonly #listeners = new Set<() => void>();
  #size: Size;
  #writeMs = 0;
  #frames: InkFrames | undefined;
  /** The parts of the current frame that Ink has written. */
  #chunks: string[] | undefined;
  /** A sequence that is written together with Ink's first output. */
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

  /** How long a write currently takes: a write to a terminal that is not read fast enough blocks. */
  get writeMs(): number {
    return this.#writeMs;
  }

  get size(): Size {
    return this.#size;
  }

  /** Writes frames with this code from now on. */
  writeWith(frames: InkFrames): void {
    this.#frames = frames;
  }

  /** The sequence that erases the frame on the screen, to be written at once; the next frame begins in its first row. */
  eraseFrame(): string {
    return this.#frames?.writer.erase() ?? "";
  }

  /** Tells Ink the new size, and Ink draws its frame again. */
  adopt(size: Size): void {
    this.#size = size;
    for (const listener of this.#listeners) listener();
  }

  #write(target: NodeJS.WriteStream) {
    return (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
      const text = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
      const frames = this.#frames;
      if (!frames) return this.#timed(target, [text, ...rest]);
      if (text === BEGIN && !this.#chunks) {
        this.#chunks = [];
        return true;
      }
      if (!this.#chunks) return this.#timed(target, [this.#written(frames, frames.outputOf(text), text), ...rest]);
      if (text !== END) {
        this.#chunks.push(text);
        return true;
      }
      const frame = frames.frameOf(this.#chunks);
      this.#chunks = undefined;
      return this.#timed(target, [this.#written(frames, frame, ""), ...rest]);
    };
  }

  #timed(target: NodeJS.WriteStream, chunk: readonly unknown[]): boolean {
    const startedAt = performance.now();
    const isTaken: boolean = Reflect.apply(target.write, target, chunk);
    this.#writeMs = Math.max(performance.now() - startedAt, this.#writeMs * FORGOTTEN);
    return isTaken;
  }

  /** What goes to the terminal. @param text What Ink has written. */
  #written(frames: InkFrames, output: InkOutput, text: string): string {
    const prefix = text === "" && output.kind === "other" ? "" : this.prefix;
    if (prefix !== "") this.prefix = "";
    return prefix + this.#sequence(frames, output, text);
  }

  #sequence({ writer, live }: InkFrames, output: InkOutput, text: string): string {
    switch (output.kind) {
      case "frame": {
        const rows = output.rows?.map((row) => live.lineOf(row, this.#size.columns)) ?? writer.rows;
        const cursor: Place | undefined = output.cursor && { x: output.cursor.x, y: rows.length - 1 - output.cursor.y };
        const above = output.above.flatMap((line) => withRows(line, this.#textOf).split("\n"));
        return writer.frame({ above, rows, cursor }, this.#size);
      }
      case "erase":
        return writer.erase();
      case "leave":
        return writer.leave();
      case "show":
      case "hide":
        return writer.show(output.kind === "show");
      case "other":
        return text;
    }
  }

  /** Resize listeners are kept here; all other listeners are passed to the terminal. */
  #subscription(original: NodeJS.WriteStream["on"], target: NodeJS.WriteStream, isAdded: boolean) {
    return (event: string, listener: () => void) => {
      if (event !== "resize") Reflect.apply(original, target, [event, listener]);
      else if (isAdded) this.#listeners.add(listener);
      else this.#listeners.delete(listener);
      return this.stream;
    };
  }
}
