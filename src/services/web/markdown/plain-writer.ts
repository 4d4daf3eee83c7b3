import { type Attributes, BLOCKS, isUnread } from "./element-rules.ts";

/** Writes the text of a page, a line for each block, for pages on which Markdown meets a limit. */
export class PlainWriter {
  readonly #parts: string[] = [];
  #skipped: { readonly name: string; depth: number } | undefined;
  #isTitle = false;
  title = "";

  open(name: string, attributes: Attributes): void {
    if (this.#skipped) {
      if (this.#skipped.name === name) this.#skipped.depth += 1;
      return;
    }
    if (name === "title" && this.title === "") this.#isTitle = true;
    if (isUnread(name, attributes)) this.#skipped = { name, depth: 1 };
    else if (BLOCKS.has(name) || name === "br") this.#parts.push("\n");
  }

  text(text: string): void {
    if (this.#isTitle) this.title += text;
    else if (!this.#skipped) this.#parts.push(text.replace(/\s+/g, " "));
  }

  close(name: string): void {
    if (name === "title") this.#isTitle = false;
    if (this.#skipped?.name === name) {
      this.#skipped.depth -= 1;
      if (this.#skipped.depth === 0) this.#skipped = undefined;
    } else if (!this.#skipped && BLOCKS.has(name)) this.#parts.push("\n");
  }

  /** Everything that was written. */
  finish(): string {
    return this.#parts
      .join("")
      .replace(/ *\n */g, "\n")
      .replace(/\n{2,}/g, "\n")
      .trim();
  }
}
