import type { ElementWriter, NewWriter } from "../parts-wanted.ts";
import { readXml, type XmlAttributes } from "./xml-events.ts";

/** Text that is no content: deleted text, fields of a form, definitions. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "text:tracked-changes",
  "text:sequence-decls",
  "text:variable-decls",
  "text:index-title-template",
  "office:forms",
  "office:settings",
  "office:meta",
  "style:header",
  "style:footer",
]);
/** A file may say that a cell or a blank is repeated a million times. */
const MAX_REPEATED = 100;
/** An item that holds a list alone only indents that list. */
const ONLY_NESTED = /^(?:- )+(?=- )/gm;

/** A note or a comment, which is written behind the text. */
type Aside = { readonly label: string; readonly writer: ElementWriter };

/** Takes the events of an OpenDocument `content.xml` and writes Markdown. */
export class OpenDocumentText {
  /** The styles of the open lists. */
  readonly #lists: string[] = [];
  /** The elements that stand for an open one of the document, innermost last. */
  readonly #opened: (readonly string[])[] = [];
  readonly #texts: string[] = [];
  readonly #asides: string[] = [];
  #writer: ElementWriter;
  #aside: Aside | undefined;
  /** The creator of a comment, its date and the sign of a note are read for themselves. */
  #field: string | undefined;
  #left: { readonly name: string; depth: number } | undefined;
  #notes = 0;
  #isNoteOfPage = false;

  constructor(
    readonly newWriter: NewWriter,
    readonly styles: Styles,
    /** True for a presentation: each page is a text of its own. */
    readonly hasPages: boolean,
  ) {
    this.#writer = newWriter();
  }

  /** One text, or the texts of all pages. */
  finish(): readonly string[] {
    if (!this.hasPages) this.#endText();
    return this.#texts;
  }

  get #target(): ElementWriter {
    return this.#aside?.writer ?? this.#writer;
  }

  open(name: string, attributes: XmlAttributes): void {
    if (this.#left) {
      if (this.#left.name === name) this.#left.depth += 1;
      return;
    }
    if (LEFT_OUT.has(name)) {
      this.#left = { name, depth: 1 };
      return;
    }
    this.#openAside(name);
    const elements = this.#elementsOf(name, attributes);
    this.#opened.push(elements.map(([element]) => element));
    for (const [element, given] of elements) this.#target.open(element, given);
    this.#writeSign(name, attributes);
  }

  text(text: string): void {
    if (this.#left) return;
    if (this.#field !== undefined) this.#field += text;
    else this.#target.text(text);
  }

  close(name: string): void {
    if (this.#left) {
      if (this.#left.name === name) this.#left.depth -= 1;
      if (this.#left.depth === 0) this.#left = undefined;
      return;
    }
    for (const element of (this.#opened.pop() ?? []).toReversed()) this.#target.close(element);
    if (name === "text:list") this.#lists.pop();
    this.#closeAside(name);
    if (name === "presentation:notes") this.#isNoteOfPage = false;
    if (name === "draw:page" && this.hasPages) this.#endText();
  }

  #endText(): void {
    const text = [this.#writer.finish(), ...this.#asides].filter((one) => one !== "").join("\n\n");
    this.#texts.push(text.replace(ONLY_NESTED, (bullets) => " ".repeat(bullets.length)));
    this.#asides.length = 0;
    this.#writer = this.newWriter();
  }

  #openAside(name: string): void {
    if (name === "presentation:notes") this.#isNoteOfPage = true;
    if (this.#aside) {
      if (name === "dc:creator" || name === "dc:date" || name === "text:note-citation") this.#field = "";
      return;
    }
    if (name === "text:note") {
      this.#notes += 1;
      const label = String(this.#notes);
      this.#writer.text(`[^${label}]`);
      this.#aside = { label: `[^${label}]: `, writer: this.newWriter() };
    } else if (name === "office:annotation") {
      this.#aside = { label: "[comment] ", writer: this.newWriter() };
      this.#writer.text("[comment]");
    } else if (name === "presentation:notes") this.#aside = { label: "Notes: ", writer: this.newWriter() };
  }

  #closeAside(name: string): void {
    if (this.#field !== undefined) {
      if (name === "dc:creator" && this.#aside)
        this.#aside = { ...this.#aside, label: `[comment of ${this.#field.trim()}] ` };
      if (/^(?:dc:creator|dc:date|text:note-citation)$/.test(name)) this.#field = undefined;
    }
    const ends = name === "text:note" || name === "office:annotation" || name === "presentation:notes";
    if (!ends || !this.#aside || (this.#isNoteOfPage && name !== "presentation:notes")) return;
    const text = this.#aside.writer.finish();
    if (text !== "") this.#asides.push(this.#aside.label + text);
    this.#aside = undefined;
  }

  /** The elements of HTML that an element of the document becomes. */
  #elementsOf(name: string, attributes: XmlAttributes): readonly (readonly [string, XmlAttributes])[] {
    switch (name) {
      case "text:h": {
        const level = Math.min(6, Math.max(1, Number(attributes["text:outline-level"] ?? 1) || 1));
        return [[`h${level}`, {}]];
      }
      case "text:p":
        return [["p", {}]];
      case "text:a":
        return [["a", { href: attributes["xlink:href"] ?? "" }]];
      case "text:span":
        return (this.styles.marks.get(attributes["text:style-name"] ?? "") ?? []).map((mark) => [mark, {}] as const);
      case "text:list":
        return [[this.#openList(attributes["text:style-name"]), {}]];
      case "text:list-item":
      case "text:list-header":
        return [["li", {}]];
      case "table:table":
        return [["table", {}]];
      case "table:table-row":
        return [["tr", {}]];
      case "table:table-cell":
      case "table:covered-table-cell":
        this.#repeatCell(attributes["table:number-columns-repeated"]);
        return [["td", {}]];
      default:
        return [];
    }
  }

  #openList(style = this.#lists.at(-1) ?? ""): "ol" | "ul" {
    this.#lists.push(style);
    return this.styles.numbered.has(`${style} ${this.#lists.length}`) ? "ol" : "ul";
  }

  /** Cells that are equal to the next one are empty: most of them are covered by another. */
  #repeatCell(times: string | undefined): void {
    const more = Math.min(MAX_REPEATED, Number(times ?? 1) || 1) - 1;
    for (let count = 0; count < more; count += 1) {
      this.#target.open("td", {});
      this.#target.close("td");
    }
  }

  /** Elements that are a sign in the text. */
  #writeSign(name: string, attributes: XmlAttributes): void {
    const target = this.#target;
    if (name === "text:s") target.text(" ".repeat(Math.min(MAX_REPEATED, Number(attributes["text:c"] ?? 1) || 1)));
    else if (name === "text:tab") target.text(" ");
    else if (name === "text:line-break") target.open("br", {});
    else if (name === "draw:image") target.text("[picture]");
    else if (name === "draw:object" || name === "draw:object-ole") target.text("[embedded object]");
  }
}

/** What the styles of an OpenDocument file say about its text (OpenDocument 1.3, part 3, 16). */
type Styles = {
  /** The styles of text that is bold, or italic. */
  readonly marks: ReadonlyMap<string, readonly ("strong" | "em")[]>;
  /** The levels of lists that have numbers: `name level`. */
  readonly numbered: ReadonlySet<string>;
};

export function stylesOf(xmls: readonly string[]): Styles {
  const marks = new Map<string, readonly ("strong" | "em")[]>();
  const numbered = new Set<string>();
  let style: string | undefined;
  let list = "";
  const open = (name: string, attributes: XmlAttributes) => {
    if (name === "style:style") style = attributes["style:family"] === "text" ? attributes["style:name"] : undefined;
    if (name === "text:list-style") list = attributes["style:name"] ?? "";
    if (name === "text:list-level-style-number" && attributes["style:num-format"])
      numbered.add(`${list} ${attributes["text:level"] ?? ""}`);
    if (name !== "style:text-properties" || style === undefined) return;
    const isBold = /^(?:bold|[6-9]00)$/.test(attributes["fo:font-weight"] ?? "");
    const isItalic = /^(?:italic|oblique)$/.test(attributes["fo:font-style"] ?? "");
    if (isBold || isItalic)
      marks.set(style, [...(isBold ? ["strong" as const] : []), ...(isItalic ? ["em" as const] : [])]);
  };
  for (const xml of xmls) readXml(xml, { open });
  return { marks, numbered };
}
