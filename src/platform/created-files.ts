import { lstatSync } from "node:fs";

/** Of more files, the oldest are forgotten: their loss is told like that of any file. */
const MAX_FILES = 1_000;

type State = { readonly modifiedMs: number; readonly size: number };

/** The files that the model itself created in this session, each in the state in which the model left it. */
export class CreatedFiles {
  readonly #states = new Map<string, State>();

  /** @param path Absolute, links resolved. */
  add(path: string, { modifiedMs, size }: State): void {
    this.#states.delete(path);
    this.#states.set(path, { modifiedMs, size });
    const [oldest] = this.#states.keys();
    if (this.#states.size > MAX_FILES && oldest !== undefined) this.#states.delete(oldest);
  }

  /** The model changed a file; nothing happens if it did not create the file. */
  changed(path: string, state: State): void {
    if (this.#states.has(path)) this.add(path, state);
  }

  /** True if the model created the file and nobody else has changed it since. */
  isOwn(path: string): boolean {
    const known = this.#states.get(path);
    const now = known && lstatSync(path, { throwIfNoEntry: false });
    return now?.isFile() === true && now.mtimeMs === known?.modifiedMs && now.size === known.size;
  }
}
