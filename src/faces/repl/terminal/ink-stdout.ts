import type { Size } from "../repl-screen-state.ts";
import { ERASE_BELOW } from "./erase-below.ts";

const INK_ERASE_BELOW = "\u001b[J";

/**
 * The terminal as Ink sees it: with the size that was adopted last, and with resizes that we announce. Ink's way to
 * erase a frame leaves copies in the history of tmux; this class erases it differently.
 */
export class InkStdout {
  readonly stream: NodeJS.WriteStream;
  readonly #listeners = new Set<() => void>();
  #size: Size;
  /** Written together with Ink's first output. */
  prefix: string;

  constructor(stdout: NodeJS.WriteStream, size: Size, prefix = "") {
    this.#size = size;
    this.prefix = prefix;
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
      const written = this.prefix + text.replaceAll(INK_ERASE_BELOW, ERASE_BELOW);
      this.prefix = "";
      return Reflect.apply(target.write, target, [written, ...rest]);
    };
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
