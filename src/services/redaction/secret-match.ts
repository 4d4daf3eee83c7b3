/** A credential in a text. */
export type SecretMatch = {
  /** Offsets into the text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** Lower case and dashes. */
  readonly kind: string;
  /**
   * The text from which the placeholder is named, if it differs from the text between `start` and `end`: it is the same
   * for one secret with any line breaks, indentation or line numbers.
   */
  readonly identity?: string;
};

/** Finds credentials of one kind. Never throws; takes time proportional to the text. */
export type Finder = (text: string) => readonly SecretMatch[];
