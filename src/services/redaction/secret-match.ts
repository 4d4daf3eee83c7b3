/** A credential in a text. */
export type SecretMatch = {
  /** Offsets into the text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** Lower case and dashes. */
  readonly kind: string;
  /**
   * What its placeholder is made from, when that is not the text between `start` and `end`: the same for one secret however
   * its lines are broken, indented or numbered.
   */
  readonly identity?: string;
};

/** Finds credentials of one sort. Never throws; takes time in proportion to the text. */
export type Finder = (text: string) => readonly SecretMatch[];
