import type { ElementWriter } from "../parts-wanted.ts";
import type { Relation } from "./relations.ts";
import { readXml, type XmlAttributes } from "./xml-events.ts";

/** Placeholders that repeat the same on each slide (ECMA-376, part 1, 19.7.10). */
const REPEATED: ReadonlySet<string> = new Set(["dt", "ftr", "sldNum", "hdr", "sldImg"]);
const TITLES: ReadonlySet<string> = new Set(["title", "ctrTitle"]);

type Paragraph = { level: number; isBullet: boolean };
/** `placeholder`: its type; undefined for a box that the author drew. */
type Shape = { placeholder: string | undefined };

export type SlideParts = {
  readonly relations: readonly Relation[];
  /** True for the page with the notes of a slide. */
  readonly isNotes?: boolean;
};

/** Writes the text of a slide, or of its notes. @returns its title. */
export function writeSlide(xml: string, writer: ElementWriter, { relations, isNotes = false }: SlideParts): string {
  const slide = new SlideContent(writer, relations, isNotes);
  readXml(xml, {
    open: (name, attributes) => slide.open(name, attributes),
    text: (text) => slide.text(text),
    close: (name) => slide.close(name),
  });
  return slide.title;
}

class SlideContent {
  title = "";
  #shape: Shape | undefined;
  #paragraph: Paragraph | undefined;
  #depth = 0;
  #isText = false;
  #link: string | undefined;
  /** Cells that a cell to the left or above covers. */
  #isCovered = false;
  #isTable = false;
  /** True if the paragraph has text. */
  #begun = false;

  constructor(
    readonly writer: ElementWriter,
    readonly relations: readonly Relation[],
    readonly isNotes: boolean,
  ) {}

  get #isTitle(): boolean {
    return !this.isNotes && TITLES.has(this.#shape?.placeholder ?? "");
  }

  get #isLeftOut(): boolean {
    return this.#isCovered || REPEATED.has(this.#shape?.placeholder ?? "");
  }

  open(name: string, attributes: XmlAttributes): void {
    switch (name) {
      case "p:sp":
      case "p:graphicFrame":
      case "p:pic":
        this.#shape = { placeholder: undefined };
        break;
      case "p:cNvPr":
        if (this.#shape && attributes["descr"] && !this.isNotes) this.#say(`[picture: ${attributes["descr"]}]`);
        break;
      case "p:ph":
        if (this.#shape) this.#shape.placeholder = attributes["type"] ?? "body";
        break;
      case "c:chart":
        this.#say("[chart]");
        break;
      case "a:tbl":
        this.#endList();
        this.#isTable = true;
        this.writer.open("table", {});
        break;
      case "a:tr":
        this.writer.open("tr", {});
        break;
      case "a:tc":
        this.#isCovered = attributes["hMerge"] === "1";
        if (!this.#isCovered) this.writer.open("td", { colspan: attributes["gridSpan"] ?? "1" });
        break;
      case "a:hlinkClick": {
        const id = attributes["r:id"];
        const link = this.relations.find((relation) => relation.id === id && relation.isExternal)?.target;
        if (link !== undefined && this.#paragraph) this.#openLink(link);
        break;
      }
      default:
        this.#openText(name, attributes);
    }
  }

  #openText(name: string, attributes: XmlAttributes): void {
    if (name === "a:p") {
      const isBody = this.#shape?.placeholder === "body" || this.#shape?.placeholder === "obj";
      this.#paragraph = { level: 0, isBullet: isBody && !this.isNotes };
    } else if (name === "a:pPr" && this.#paragraph) this.#paragraph.level = Number(attributes["lvl"] ?? 0) || 0;
    else if (name === "a:buNone" && this.#paragraph) this.#paragraph.isBullet = false;
    else if ((name === "a:buChar" || name === "a:buAutoNum") && this.#paragraph) this.#paragraph.isBullet = true;
    else if (name === "a:br") this.#write("\n");
    else if (name === "a:t") this.#isText = true;
  }

  text(text: string): void {
    if (this.#isText) this.#write(text);
  }

  close(name: string): void {
    if (name === "a:t") this.#isText = false;
    else if (name === "a:r") this.#closeLink();
    else if (name === "a:p") this.#endParagraph();
    else if (name === "a:tc" && !this.#isCovered) this.writer.close("td");
    else if (name === "a:tr") this.writer.close("tr");
    else if (name === "a:tbl") {
      this.writer.close("table");
      this.#isTable = false;
    } else if (name === "p:sp" || name === "p:graphicFrame" || name === "p:pic") {
      this.#endList();
      this.#shape = undefined;
    }
    if (name === "a:tc") this.#isCovered = false;
  }

  /** The paragraph is opened by its first text, because empty ones are frequent. */
  #write(text: string): void {
    if (this.#isLeftOut || !this.#paragraph) return;
    if (this.#isTitle) {
      this.title += text === "\n" ? " " : text;
      return;
    }
    if (!this.#begun) {
      this.#begun = true;
      if (this.#isTable) this.writer.open("div", {});
      else if (this.#paragraph.isBullet) this.#openItem(this.#paragraph.level);
      else {
        this.#endList();
        this.writer.open("p", {});
      }
    }
    if (text === "\n") this.writer.open("br", {});
    else this.writer.text(text);
  }

  #endParagraph(): void {
    if (this.#isTitle) this.title += " ";
    this.#closeLink();
    if (this.#begun) {
      if (this.#isTable) this.writer.close("div");
      else if (!this.#paragraph?.isBullet) this.writer.close("p");
    }
    this.#begun = false;
    this.#paragraph = undefined;
  }

  #openLink(link: string): void {
    if (this.#isLeftOut || this.#isTitle) return;
    this.#write("");
    this.#link = link;
    this.writer.open("a", { href: link });
  }

  #closeLink(): void {
    if (this.#link !== undefined) this.writer.close("a");
    this.#link = undefined;
  }

  #openItem(level: number): void {
    const depth = Math.min(level + 1, this.#depth + 1);
    while (this.#depth > depth) this.#closeItem();
    if (this.#depth === depth) {
      this.writer.close("li");
      this.writer.open("li", {});
      return;
    }
    this.writer.open("ul", {});
    this.writer.open("li", {});
    this.#depth += 1;
  }

  #closeItem(): void {
    this.writer.close("li");
    this.writer.close("ul");
    this.#depth -= 1;
  }

  #endList(): void {
    while (this.#depth > 0) this.#closeItem();
  }

  #say(text: string): void {
    this.#endList();
    this.writer.open("p", {});
    this.writer.text(text);
    this.writer.close("p");
  }
}
