import { type Attributes, BLOCKS, isAround, isMain, isUnread, languageOf, languageOfCode } from "./element-rules.ts";
import type { Flow } from "./flow.ts";
import { endFrame, type Frame, isFrame, isList, MAIN, newFrame } from "./frame.ts";
import { absolute, imageText, isMark, linkTarget, markedText } from "./inline-text.ts";
import { spanOf } from "./table-text.ts";

/** Deeper lists, quotes and tables are written as if they were not nested. */
const MAX_FRAMES = 60;
const MAX_MARKS = 200;
/** A main part with less of the page's text is not its content. */
const MIN_MAIN_SHARE = 0.2;

type Mark = { readonly name: string; readonly flow: Flow; readonly at: Flow["mark"]; readonly attributes: Attributes };
/** An open element, and how many elements of its name are open in it. */
type Open = { readonly name: string; depth: number };

export type WriterOptions = {
  /** The address of the page. */
  readonly url: string;
  /** True to keep what belongs to the site and not to the page. */
  readonly keepsAround?: boolean;
};

/**
 * Writes Markdown from the events of an HTML parser, in one pass and without a document: memory grows with the text
 * alone. Headings, lists, tables, code and links keep their form, links become absolute, and nothing is escaped but the
 * bars in tables, because a model reads the text and no program does.
 */
export class MarkdownWriter {
  readonly #keepsAround: boolean;
  readonly #root = newFrame("", undefined);
  readonly #frames: Frame[] = [this.#root];
  readonly #marks: Mark[] = [];
  /** The texts of the elements that hold the page's content. */
  readonly #mains: string[] = [];
  readonly #languages: (Open & { readonly language: string })[] = [];
  #base: string;
  #main: Open | undefined;
  /** The outermost element that is left out. */
  #skipped: Open | undefined;
  #code: CodeBlock | undefined;
  #articles = 0;
  /** Elements that were too deep for a frame of their own. */
  #ignored = 0;
  #title: string[] | undefined;
  title = "";

  constructor({ url, keepsAround = false }: WriterOptions) {
    this.#base = url;
    this.#keepsAround = keepsAround;
  }

  get #frame(): Frame {
    return this.#frames.at(-1) ?? this.#root;
  }

  open(name: string, attributes: Attributes): void {
    if (this.#skipped) {
      if (this.#skipped.name === name) this.#skipped.depth += 1;
      return;
    }
    this.#noteHead(name, attributes);
    if (this.#isLeftOut(name, attributes)) this.#skipped = { name, depth: 1 };
    else if (this.#code) this.#code.open(name, attributes);
    else this.#openElement(name, attributes);
  }

  text(text: string): void {
    if (this.#title) this.#title.push(text);
    else if (this.#skipped) return;
    else if (this.#code) this.#code.write(text);
    else this.#frame.flow.write(text.replace(/[\s\u00a0]+/g, " "));
  }

  close(name: string): void {
    if (name === "title" && this.#title) {
      this.title = this.#title.join("").replace(/\s+/g, " ").trim();
      this.#title = undefined;
    }
    if (this.#skipped) {
      if (this.#skipped.name === name) this.#skipped.depth -= 1;
      if (this.#skipped.depth === 0) this.#skipped = undefined;
    } else if (this.#code) {
      if (this.#code.close(name)) this.#endCode();
    } else this.#closeElement(name);
  }

  /** The Markdown of the page's content, or of everything if the page does not say what its content is. */
  finish(): string {
    this.#endCode();
    while (this.#frames.length > 1) this.#endFrame();
    const all = this.#root.flow.text();
    const main = this.#mains.filter((text) => text !== "").join("\n\n");
    return main.length > all.length * MIN_MAIN_SHARE ? main : all;
  }

  #noteHead(name: string, { href }: Attributes): void {
    if (name === "title" && this.title === "") this.#title ??= [];
    if (name === "base" && href) this.#base = absolute(href, this.#base) ?? this.#base;
  }

  #isLeftOut(name: string, attributes: Attributes): boolean {
    if (name === "pre" || name === "code") return false;
    if (isUnread(name, attributes)) return true;
    // A page must not vanish because its outermost element has the class of a sidebar.
    if (this.#keepsAround || name === "body" || name === "html" || isMain(name, attributes)) return false;
    const isInside = this.#articles > 0 && (name === "aside" || name === "footer");
    return !isInside && isAround(name, attributes);
  }

  #openElement(name: string, attributes: Attributes): void {
    for (const open of this.#languages) if (open.name === name) open.depth += 1;
    const language = languageOf(attributes);
    if (language !== undefined) this.#languages.push({ name, language, depth: 1 });
    if (name === "article") this.#articles += 1;
    if (this.#main?.name === name) this.#main.depth += 1;
    if (BLOCKS.has(name)) this.#openBlock(name, attributes);
    else this.#openInline(name, attributes);
  }

  #closeElement(name: string): void {
    for (const open of this.#languages) if (open.name === name) open.depth -= 1;
    while (this.#languages.at(-1)?.depth === 0) this.#languages.pop();
    if (name === "article") this.#articles -= 1;
    if (BLOCKS.has(name)) this.#closeBlock(name);
    else this.#closeInline(name);
  }

  #openBlock(name: string, attributes: Attributes): void {
    const { flow } = this.#frame;
    flow.endLine();
    const isHeading = /^h[1-6]$/.test(name);
    if (isHeading || isList(name) || name === "pre" || name === "table") flow.isComplex = true;
    if (name === "hr") flow.add("---");
    else if (name === "pre") this.#code = new CodeBlock(languageOfCode(attributes) ?? this.#languages.at(-1)?.language);
    else if (isFrame(name)) this.#openFrame(name, attributes);
    else if (!this.#main && isMain(name, attributes) && this.#frames.length === 1) {
      this.#main = { name, depth: 1 };
      this.#frames.push(newFrame(MAIN, undefined));
    }
  }

  #openFrame(name: string, { start, colspan, rowspan }: Attributes): void {
    if (this.#frames.length > MAX_FRAMES) {
      this.#ignored += 1;
      return;
    }
    if (name === "li" && !isList(this.#frame.name)) return;
    const rows = this.#frames.findLast((frame) => frame.rows)?.rows;
    if (name === "tr") {
      rows?.push([]);
      return;
    }
    const frame = newFrame(name, start);
    if (name === "td" || name === "th") {
      if (!rows || !["table", "td", "th"].includes(this.#frame.name)) return;
      if (rows.length === 0) rows.push([]);
      rows.at(-1)?.push({ flow: frame.flow, columns: spanOf(colspan), rows: spanOf(rowspan) });
    }
    if (name === "caption" && this.#frame.name !== "table") return;
    this.#frames.push(frame);
  }

  #closeBlock(name: string): void {
    this.#frame.flow.endLine();
    if (isFrame(name) && this.#ignored > 0) {
      this.#ignored -= 1;
      return;
    }
    if (this.#main?.name === name) {
      this.#main.depth -= 1;
      if (this.#main.depth === 0) this.#endMain();
    }
    const at = isFrame(name) ? this.#frames.findLastIndex((frame) => frame.name === name) : 0;
    const table = this.#frames.findLastIndex((frame) => frame.rows);
    // Only its own end closes a table.
    if (at > 0 && (name === "table" || at > table)) while (this.#frames.length > at) this.#endFrame();
  }

  #endMain(): void {
    this.#main = undefined;
    while (this.#frames.some(({ name }) => name === MAIN)) this.#endFrame();
  }

  #endFrame(): void {
    const frame = this.#frames.pop();
    if (!frame) return;
    if (frame.name === MAIN) this.#mains.push(frame.flow.text());
    endFrame(frame, this.#frame);
  }

  #openInline(name: string, attributes: Attributes): void {
    const { flow } = this.#frame;
    if (name === "br") flow.write("\n");
    else if (name === "img") flow.write(imageText(attributes, this.#base));
    else if (name === "rt") flow.write("(");
    else if (name === "input" && attributes["type"] === "checkbox")
      flow.write(attributes["checked"] === undefined ? "[ ] " : "[x] ");
    else if (isMark(name) && this.#marks.length < MAX_MARKS)
      this.#marks.push({ name, flow, at: flow.mark, attributes });
  }

  #closeInline(name: string): void {
    if (name === "rt") this.#frame.flow.write(")");
    const at = this.#marks.findLastIndex((mark) => mark.name === name);
    if (at < 0) return;
    // Marks that were opened inside are left as plain text.
    const [mark] = this.#marks.splice(at);
    if (!mark || mark.flow !== this.#frame.flow) return;
    const text = mark.flow.cut(mark.at);
    const link = name === "a" ? linkTarget(mark.attributes["href"], this.#base) : undefined;
    if (text !== undefined) mark.flow.write(markedText(name, text, link));
    else if (link !== undefined) mark.flow.add(`<${link}>`);
  }

  #endCode(): void {
    const code = this.#code;
    this.#code = undefined;
    if (code) this.#frame.flow.add(code.text());
  }
}

const LINES: ReadonlySet<string> = new Set(["div", "p", "li", "tr"]);

/** The text of an open `pre`, in which blanks and line ends count. */
class CodeBlock {
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
