/** A piece of Markdown that can be drawn by itself, and never changes any more. */
export type Chunk = {
  /** True when a blank line stands between it and the chunk before. */
  readonly gap: boolean;
} & (
  | {
      readonly kind: "markdown";
      readonly text: string;
      /** The number of a numbered list's item: its own marker may say another. */
      readonly ordinal?: number;
    }
  /** Lines of one fenced block; a long block comes in several. */
  | { readonly kind: "code"; readonly language: string; readonly lines: readonly string[] }
);
