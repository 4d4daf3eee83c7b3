/** Keeps what was drawn last, since a call of Ink takes a millisecond and the frame around it is drawn again each second. */
export class LastDrawn<Drawn> {
  #last: { readonly data: readonly unknown[]; readonly drawn: Drawn } | undefined;

  /** Draws if anything in `data`, which is all that the drawing depends on, is another value than the last time. */
  draw(data: readonly unknown[], draw: () => Drawn): Drawn {
    const last = this.#last;
    if (last && last.data.length === data.length && data.every((value, at) => value === last.data[at]))
      return last.drawn;
    const drawn = draw();
    this.#last = { data, drawn };
    return drawn;
  }
}
