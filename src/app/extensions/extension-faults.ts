import { dirname } from "node:path";
import { oneLine } from "@quoll/terminal-text/one-line";
import { claimUncaught } from "../../platform/uncaught-errors.ts";
import { type ChosenExtension, framePrefix } from "./chosen-extensions.ts";
import type { RunningCode } from "./running-code.ts";

/** The number of faults kept for one extension; older faults are dropped. */
const MAX_FAULTS = 10;
const MAX_COLUMNS = 400;

/** The faults of a session's extensions, and the errors that no code of Quoll caught. */
export class ExtensionFaults {
  readonly #faults = new Map<string, readonly string[]>();
  readonly #loaded: ChosenExtension[] = [];
  #notify: (line: string) => void;
  readonly #notified = new Set<string>();

  readonly #running: Pick<RunningCode, "leave">;

  /** @param notify Tells the person one line. */
  constructor(notify: (line: string) => void, running: Pick<RunningCode, "leave">) {
    this.#notify = notify;
    this.#running = running;
  }

  notifyThrough(notify: (line: string) => void): void {
    this.#notify = notify;
  }

  /** The newest first. */
  of({ file }: ChosenExtension): readonly string[] {
    return this.#faults.get(file) ?? [];
  }

  /** Keeps a fault for lists. @returns the line for the person. */
  note({ file, shown }: ChosenExtension, problem: string): string {
    const line = oneLine(problem, MAX_COLUMNS);
    this.#faults.set(file, [line, ...(this.#faults.get(file) ?? [])].slice(0, MAX_FAULTS));
    return `the extension ${shown}: ${line}`;
  }

  /** Keeps a fault and shows it to the person; each line is shown once. */
  report(extension: ChosenExtension, problem: string): void {
    this.#notifyOnce(this.note(extension, problem));
  }

  /** Shows the person one line that is not a fault, once. */
  mention({ shown }: ChosenExtension, fact: string): void {
    this.#notifyOnce(`the extension ${shown}: ${fact}`);
  }

  /** An uncaught error is often reported in the middle of the extension's own code. */
  #notifyOnce(line: string): void {
    if (this.#notified.has(line)) return;
    this.#notified.add(line);
    this.#running.leave(() => this.#notify(line));
  }

  /**
   * From now on, uncaught errors of these extensions do not end the program.
   * @returns the function that stops watching.
   */
  watch(extensions: readonly ChosenExtension[]): () => void {
    this.#loaded.push(...extensions);
    // A file of extensions/ can load other files in the same folder.
    const places = extensions.flatMap((one) => [framePrefix(one), `${dirname(one.file)}/`]);
    return claimUncaught({ places, claimed: (frames, text) => this.#uncaught(frames, text) });
  }

  #uncaught(frames: string, message: string): void {
    const owner = this.#loaded.find((one) => frames.includes(framePrefix(one)));
    const problem = `an error that it did not catch: ${message}`;
    if (owner) this.report(owner, problem);
    else this.#running.leave(() => this.#notify(`an extension: ${oneLine(problem, MAX_COLUMNS)}`));
  }
}
