/**
 * Remembers what blocks of a history were translated to, so that a long one costs nothing but its newest part: the same block
 * asked for in the same way is the same object again. Blocks must not be changed; a changed history has new ones.
 */
export class Translated<Source extends object, Made> {
  readonly #made = new WeakMap<Source, { readonly way: string; readonly made: Made }>();

  /** @param way all that `make` depends on beside the block; only the newest way is remembered. */
  of(source: Source, way: string, make: () => Made): Made {
    const known = this.#made.get(source);
    if (known?.way === way) return known.made;
    const made = make();
    this.#made.set(source, { way, made });
    return made;
  }
}
