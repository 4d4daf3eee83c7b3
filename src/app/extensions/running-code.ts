import { AsyncLocalStorage } from "node:async_hooks";
import type { ExtensionCode } from "../../contracts/extension.ts";
import { holdForeignCode } from "../../platform/foreign-code.ts";
import { StuckWatch } from "../../platform/stuck-watch.ts";
import { type ChosenExtension, framePrefix } from "./chosen-extensions.ts";

/** An extension that computes this long without a pause ends the session: no other code can run until then. */
const STUCK_MS = 30_000;
/** Deep enough to include the frames of `console` itself. */
const STACK_FRAMES = 50;

/** Tracks which extension's code is running, and watches for endless loops in it. */
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

  /** Loads an extension: during loading, its code is also recognised by stack frames. */
  async load<Value>(extension: ChosenExtension, run: () => Promise<Value>): Promise<Value> {
    this.#loading.add(extension);
    try {
      return await run();
    } finally {
      this.#loading.delete(extension);
    }
  }

  /**
   * Intercepts the output of extensions, and their calls of `process.exit`.
   * @param print Receives the text; without an extension, it came from `console`.
   * @returns the function that ends the interception.
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

  /** Bun runs the top level of a module outside the caller's async storage. */
  #owner(): ChosenExtension | undefined {
    const known = this.#current.getStore();
    if (known || this.#loading.size === 0) return known;
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = STACK_FRAMES;
    const { stack = "" } = new Error();
    Error.stackTraceLimit = stackTraceLimit;
    return [...this.#loading].find((one) => stack.includes(framePrefix(one)));
  }

  #line(names: readonly string[]): string {
    const seconds = STUCK_MS / 1000;
    return `quoll: ended, because ${names.length > 1 ? "one of the extensions" : "the extension"} ${names.join(", ")} has computed for ${seconds} s without a pause, and nothing else could run.${this.#hint}`;
  }
}
