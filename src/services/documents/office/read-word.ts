import { Parser } from "htmlparser2";
import mammoth from "mammoth";
import type { DocumentText } from "../../../contracts/documents.ts";
import type { ElementWriter, NewWriter } from "../parts-wanted.ts";
import type { Archive } from "./open-archive.ts";
import { heldThings, linkedThings } from "./relations.ts";

/** Notes refer to their place in the text with an arrow, which no reader of text can follow. */
const BACK = /^#(?:footnote|endnote|comment)-ref-/;
/** mammoth leaves comments out by default. */
const STYLES = ["comment-reference => sup"];

/** The text of a Word document as Markdown, with notes and comments at its end. */
export async function readWord(archive: Archive, newWriter: NewWriter): Promise<DocumentText> {
  const buffer = Buffer.from(archive.only((name) => /\.(?:xml|rels)$/i.test(name)));
  const convertImage = mammoth.images.imgElement(async () => ({ src: "" }));
  const { value: html } = await mammoth.convertToHtml({ buffer }, { convertImage, styleMap: STYLES });
  const writer = newWriter();
  writeHtml(html, writer);
  return {
    kind: "Word document",
    unit: "text",
    total: 1,
    contents: [],
    parts: [{ number: 1, title: "", text: writer.finish() }],
    notes: [...heldThings(archive), ...linkedThings(archive, ["word/document.xml", "word/settings.xml"])],
  };
}

function writeHtml(html: string, writer: ElementWriter): void {
  let isBack = false;
  const parser = new Parser({
    onopentag: (name, attributes) => {
      if (name === "a" && BACK.test(attributes["href"] ?? "")) isBack = true;
      else if (name === "img") writer.text(attributes["alt"] ? `[picture: ${attributes["alt"]}]` : "[picture]");
      else writer.open(name, attributes);
    },
    ontext: (text) => {
      if (!isBack) writer.text(text);
    },
    onclosetag: (name) => {
      if (name === "a" && isBack) isBack = false;
      else if (name !== "img") writer.close(name);
    },
  });
  parser.end(html);
}
