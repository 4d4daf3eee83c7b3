/** What `count-statements.ts` writes at a mark. */
export type Mark = {
  readonly kind: "signal" | "request";
  readonly functions: readonly {
    readonly file: string;
    /** Offsets in the file's characters. */
    readonly start: number;
    readonly end: number;
    /** The parts that did not run. */
    readonly skipped: readonly (readonly [start: number, end: number])[];
  }[];
};

/** The statements that ran at one or several marks: for each function, one byte a character. */
export class Executed {
  readonly #functions = new Map<string, Uint8Array>();

  constructor(marks: readonly Mark[]) {
    for (const { functions } of marks) {
      for (const { file, start, end, skipped } of functions) {
        const key = `${file}:${start}`;
        const ran = this.#functions.get(key) ?? new Uint8Array(end - start);
        this.#functions.set(key, ran);
        const now = new Uint8Array(end - start).fill(1);
        for (const [from, to] of skipped) now.fill(0, from - start, to - start);
        now.forEach((isRun, at) => {
          if (isRun) ran[at] = 1;
        });
      }
    }
  }

  /** @returns the files, sorted, with a statement that ran here and not in the control. */
  filesWithout(control: Executed): readonly string[] {
    const files = new Set<string>();
    for (const [key, ran] of this.#functions) {
      const known = control.#functions.get(key);
      if (ran.some((isRun, at) => isRun === 1 && known?.[at] !== 1)) files.add(key.slice(0, key.lastIndexOf(":")));
    }
    return [...files].sort();
  }
}
