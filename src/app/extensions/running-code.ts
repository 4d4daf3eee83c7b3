import type { ExtensionCode } from "../../contracts/extension.ts";
import { StuckWatch } from "../../platform/stuck-watch.ts";
import type { ChosenExtension } from "./extension-places.ts";

/** An extension that computes for so long without a pause ends the session: nothing else can run until then. */
const STUCK_MS = 30_000;

/** The code of a session's extensions while it runs, and the watch for endless loops in it. */
export class RunningCode {
  readonly #watch: StuckWatch;
  #hint = "";

  constructor({ hasScreen }: { readonly hasScreen: boolean }) {
    this.#watch = new StuckWatch({ limitMs: STUCK_MS, hasScreen, line: (names) => this.#line(names) });
  }

  of({ shown }: ChosenExtension): ExtensionCode {
    return { call: (run) => this.#watch.call(shown, run) };
  }

  savedAs(sessionId: string): void {
    this.#hint = ` The session is saved up to its last step: quoll --resume ${sessionId} continues it.`;
  }

  close(): void {
    this.#watch.close();
  }

  #line(names: readonly string[]): string {
    const seconds = STUCK_MS / 1000;
    return `quoll: ended, because ${names.length > 1 ? "one of the extensions" : "the extension"} ${names.join(", ")} has computed for ${seconds} s without a pause, and nothing else could run.${this.#hint}`;
  }
}
