/** A piece of Markdown that is drawn by itself and never changes again. */
export type Chunk = {
  /** True if a blank line separates the chunk from the previous chunk. */
  readonly gap: boolean;
} & (
  | {
      readonly kind: "markdown";
      readonly text: string;
      /** The number of this item of a numbered list; its own marker may differ. */
      readonly ordinal?: number;
    }
  /** Lines of one fenced block; a long block becomes several chunks. */
  | { readonly kind: "code"; readonly language: string; readonly lines: readonly string[] }
);
