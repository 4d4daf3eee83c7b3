import { plainText } from "@quoll/terminal-text/plain-text";
import { printError } from "../../platform/host.ts";
import type { ChosenExtension } from "./chosen-extensions.ts";
import type { ExtensionFaults } from "./extension-faults.ts";

/** The number of early texts that are kept until the debug log is open; later texts of the startup are dropped. */
const MAX_EARLY = 100;
const MAX_CHARS = 10_000;

/**
 * The text that extensions print: it goes only to the debug log, because it would break the screen or the output of a
 * run.
 */
export class PrintedText {
  readonly #hasScreen: boolean;
  readonly #faults: Pick<ExtensionFaults, "mention">;
  #early: string[] = [];
  #log: ((text: string) => void) | undefined;

  constructor(hasScreen: boolean, faults: Pick<ExtensionFaults, "mention">) {
    this.#hasScreen = hasScreen;
    this.#faults = faults;
  }

  /**
   * @param extension Undefined if the extension that called `console` is unknown; without a screen, such text goes to
   * stderr.
   */
  add(text: string, extension: ChosenExtension | undefined): void {
    const line = plainText(text.slice(0, MAX_CHARS).trimEnd());
    if (line === "") return;
    if (extension) this.#faults.mention(extension, "its output goes only to the debug log (--debug)");
    else if (!this.#hasScreen) printError(line);
    const entry = extension ? `${extension.shown} printed: ${line}` : line;
    if (this.#log) this.#log(entry);
    else if (this.#early.length < MAX_EARLY) this.#early.push(entry);
  }

  logBy(log: (text: string) => void): void {
    for (const line of this.#early) log(line);
    this.#early = [];
    this.#log = log;
  }
}
