import { renderToString } from "ink";
import type { ReactNode } from "react";

/**
 * The lines that a component draws, each at most `columns` wide unless a box in it is wider. No effect or input hook acts, and nothing
 * of the tree stays. A text without characters has no line: a blank stands for an empty line. Colours come from the theme, as codes in
 * the text: Ink's own follow what it guesses about stdout.
 */
export function drawComponent(element: ReactNode, columns: number): readonly string[] {
  const text = renderToString(element, { columns });
  return text === "" ? [] : text.split("\n");
}

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
