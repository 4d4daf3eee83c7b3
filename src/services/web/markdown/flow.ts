/** Blocks of Markdown, and the line that is being written. */
export class Flow {
  readonly #blocks: string[] = [];
  #line: string[] = [];
  /** True if it holds a block that fits no cell of a table. */
  isComplex = false;

  get isEmpty(): boolean {
    return this.#blocks.length === 0 && this.#line.every((part) => part.trim() === "");
  }

  /** A place in the line, for `cut`. */
  get mark(): { readonly blocks: number; readonly parts: number } {
    return { blocks: this.#blocks.length, parts: this.#line.length };
  }

  write(text: string): void {
    this.#line.push(text);
  }

  /** Takes back what was written since a mark. @returns undefined if blocks were written since. */
  cut({ blocks, parts }: Flow["mark"]): string | undefined {
    return blocks === this.#blocks.length ? this.#line.splice(parts).join("") : undefined;
  }

  /** Ends the line, which becomes a paragraph. */
  endLine(): void {
    const text = tidyLine(this.#line.join(""));
    this.#line = [];
    if (text !== "") this.#blocks.push(text);
  }

  add(block: string): void {
    this.endLine();
    if (block !== "") this.#blocks.push(block);
  }

  text(separator = "\n\n"): string {
    this.endLine();
    return this.#blocks.join(separator);
  }
}

/** One blank between words, and none at the ends of lines. */
function tidyLine(text: string): string {
  return text
    .replace(/[ \t\r\f]+/g, " ")
    .replace(/ *\n */g, "\n")
    .replace(/\n{2,}/g, "\n")
    .trim();
}
