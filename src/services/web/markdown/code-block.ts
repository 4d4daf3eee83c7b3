import { type Attributes, languageOf, languageOfCode } from "./element-rules.ts";

const LINES: ReadonlySet<string> = new Set(["div", "p", "li", "tr"]);

/** The text of an open `pre`, in which blanks and line ends count. */
export class CodeBlock {
  readonly #parts: string[] = [];
  #language: string | undefined;
  #depth = 1;

  constructor(language: string | undefined) {
    this.#language = language;
  }

  open(name: string, attributes: Attributes): void {
    if (name === "pre") this.#depth += 1;
    if (name === "br") this.write("\n");
    this.#language ??= name === "code" || name === "pre" ? languageOfCode(attributes) : languageOf(attributes);
  }

  write(text: string): void {
    this.#parts.push(text);
  }

  /** @returns true if the block has ended. */
  close(name: string): boolean {
    // Some generators put each line into an element.
    if (LINES.has(name) && this.#parts.length > 0 && !this.#parts.at(-1)?.endsWith("\n")) this.write("\n");
    if (name === "pre") this.#depth -= 1;
    return this.#depth === 0;
  }

  /** The code between fences that are longer than any in it. */
  text(): string {
    const code = this.#parts
      .join("")
      .replace(/\r\n?/g, "\n")
      .replace(/^\n+|\s+$/g, "");
    if (code === "") return "";
    const longest = [...code.matchAll(/`{3,}/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
    const fence = "`".repeat(longest + 1);
    return `${fence}${this.#language ?? ""}\n${code}\n${fence}`;
  }
}
