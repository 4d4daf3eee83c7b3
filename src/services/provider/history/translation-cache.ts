/**
 * Caches translations of history blocks, so that only the newest part of a long history costs time: the same block
 * in the same form yields the same object. Blocks must not be changed; a changed history has new blocks.
 */
export class TranslationCache<Source extends object, Made> {
  readonly #made = new WeakMap<Source, { readonly way: string; readonly made: Made }>();

  /** @param way Everything besides the block that `make` depends on; only the latest value is cached. */
  of(source: Source, way: string, make: () => Made): Made {
    const known = this.#made.get(source);
    if (known?.way === way) return known.made;
    const made = make();
    this.#made.set(source, { way, made });
    return made;
  }
}
