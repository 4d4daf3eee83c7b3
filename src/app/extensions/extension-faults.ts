import { dirname } from "node:path";
import { oneLine } from "@quoll/terminal-text/one-line";
import { holdForeignCode } from "../../platform/foreign-code.ts";
import { claimUncaught } from "../../platform/uncaught-errors.ts";
import type { ChosenExtension } from "./extension-places.ts";

/** Of one extension, the newest; older ones are dropped. */
const MAX_FAULTS = 10;
const MAX_COLUMNS = 400;

/** The faults of a session's extensions, and the errors that no code of Quoll caught. */
export class ExtensionFaults {
  readonly #faults = new Map<string, readonly string[]>();
  readonly #loaded: ChosenExtension[] = [];
  #tell: (line: string) => void;
  readonly #told = new Set<string>();

  /** @param tell Tells the person one line. */
  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  tellBy(tell: (line: string) => void): void {
    this.#tell = tell;
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

  /** Keeps a fault and tells the person, each line once. */
  tell(extension: ChosenExtension, problem: string): void {
    const line = this.note(extension, problem);
    if (this.#told.has(line)) return;
    this.#told.add(line);
    this.#tell(line);
  }

  /**
   * From now on, errors of these extensions that nobody caught do not end the program, nor do their calls of `process.exit`.
   * @param print Receives the text that is written with `console`. @returns the function that ends this.
   */
  watch(extensions: readonly ChosenExtension[], print: (text: string) => void): () => void {
    this.#loaded.push(...extensions);
    // A file of extensions/ can load others beside it.
    const places = extensions.flatMap((one) => [placeOf(one), `${dirname(one.file)}/`]);
    const ends = [
      claimUncaught({ places, claimed: (frames, text) => this.#uncaught(frames, text) }),
      holdForeignCode(print),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  #uncaught(frames: string, message: string): void {
    const owner = this.#loaded.find((one) => frames.includes(placeOf(one)));
    const problem = `an error that it did not catch: ${message}`;
    if (owner) this.tell(owner, problem);
    else this.#tell(`an extension: ${oneLine(problem, MAX_COLUMNS)}`);
  }
}

/** The beginning of an extension's places in the frames of a stack. */
function placeOf({ file, folder }: ChosenExtension): string {
  return folder === undefined ? `${file}:` : `${folder}/`;
}
