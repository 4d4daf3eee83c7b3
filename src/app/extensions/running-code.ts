import { AsyncLocalStorage } from "node:async_hooks";
import type { ExtensionCode } from "../../contracts/extension.ts";
import { holdForeignCode } from "../../platform/foreign-code.ts";
import { StuckWatch } from "../../platform/stuck-watch.ts";
import { type ChosenExtension, placeOf } from "./extension-places.ts";

/** An extension that computes for so long without a pause ends the session: nothing else can run until then. */
const STUCK_MS = 30_000;
/** Deep enough for the frames of `console` itself. */
const STACK_FRAMES = 50;

/** The code of a session's extensions while it runs: whose it is, and the watch for endless loops in it. */
export class RunningCode {
  readonly #watch: StuckWatch;
  readonly #current = new AsyncLocalStorage<ChosenExtension | undefined>();
  readonly #loading = new Set<ChosenExtension>();
  #hint = "";

  constructor({ hasScreen }: { readonly hasScreen: boolean }) {
    this.#watch = new StuckWatch({ limitMs: STUCK_MS, hasScreen, line: (names) => this.#line(names) });
  }

  of(extension: ChosenExtension): ExtensionCode {
    return {
      call: (run) => this.#current.run(extension, () => this.#watch.call(extension.shown, run)),
      leave: (run) => this.leave(run),
    };
  }

  /** Runs code of Quoll that code of an extension calls. */
  leave<Value>(run: () => Value): Value {
    return this.#current.run(undefined, run);
  }

  /** Loads an extension: until it is loaded, its code is also known by the frames of the stack. */
  async load<Value>(extension: ChosenExtension, run: () => Promise<Value>): Promise<Value> {
    this.#loading.add(extension);
    try {
      return await run();
    } finally {
      this.#loading.delete(extension);
    }
  }

  /**
   * Holds back what extensions print, and their calls of `process.exit`.
   * @param print Receives the text; without an extension, it came from `console`. @returns the function that ends this.
   */
  hold(print: (text: string, extension: ChosenExtension | undefined) => void): () => void {
    return holdForeignCode({ owner: () => this.#owner(), print });
  }

  savedAs(sessionId: string): void {
    this.#hint = ` The session is saved up to its last step: quoll --resume ${sessionId} continues it.`;
  }

  close(): void {
    this.#watch.close();
  }

  /** Bun runs the top level of a module outside of the caller's storage. */
  #owner(): ChosenExtension | undefined {
    const known = this.#current.getStore();
    if (known || this.#loading.size === 0) return known;
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = STACK_FRAMES;
    const { stack = "" } = new Error();
    Error.stackTraceLimit = stackTraceLimit;
    return [...this.#loading].find((one) => stack.includes(placeOf(one)));
  }

  #line(names: readonly string[]): string {
    const seconds = STUCK_MS / 1000;
    return `quoll: ended, because ${names.length > 1 ? "one of the extensions" : "the extension"} ${names.join(", ")} has computed for ${seconds} s without a pause, and nothing else could run.${this.#hint}`;
  }
}
