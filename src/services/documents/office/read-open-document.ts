import type { DocumentPart, DocumentText } from "../../../contracts/documents.ts";
import { namesOf } from "../named.ts";
import { type NewWriter, type PartsWanted, partNumbers } from "../parts-wanted.ts";
import type { Archive } from "./open-archive.ts";
import { OpenDocumentText, stylesOf } from "./open-document-text.ts";
import { heldThings } from "./relations.ts";
import { elementsNamed, readXml } from "./xml-events.ts";

/** The text of an OpenDocument text, or the slides of an OpenDocument presentation. */
export function readOpenDocument(archive: Archive, wanted: PartsWanted, newWriter: NewWriter): DocumentText {
  const xml = archive.text("content.xml") ?? "";
  const styles = stylesOf([archive.text("styles.xml") ?? "", xml]);
  const pages = elementsNamed(xml, "draw:page").map((page) => page["draw:name"] ?? "");
  const isTalk = /presentation|graphics/.test(archive.text("mimetype") ?? "") && pages.length > 0;
  const document = new OpenDocumentText(newWriter, styles, isTalk);
  readXml(xml, {
    open: (name, attributes) => document.open(name, attributes),
    text: (text) => document.text(text),
    close: (name) => document.close(name),
  });
  const texts = document.finish();
  const notes = [...heldThings(archive), ...namesOf("linked files, not opened", linkedFiles(xml))];
  if (!isTalk) {
    const part: DocumentPart = { number: 1, title: "", text: texts.join("\n\n") };
    return { kind: "OpenDocument text", unit: "text", total: 1, parts: [part], contents: [], notes };
  }
  const numbers = partNumbers(wanted, texts.length, "slide");
  const parts = numbers.map((number) => ({ number, title: "", text: texts[number - 1] ?? "" }));
  return { kind: "OpenDocument presentation", unit: "slide", total: texts.length, parts, contents: [], notes };
}

/** Pictures and objects outside the document. */
function linkedFiles(xml: string): ReadonlySet<string> {
  const found = ["draw:image", "draw:object", "draw:object-ole", "text:section-source", "table:table-source"]
    .flatMap((name) => elementsNamed(xml, name))
    .flatMap((one) => one["xlink:href"] ?? []);
  return new Set(found.filter((href) => /^(?:[a-z][a-z0-9+.-]*:|\.\.\/|\/)/i.test(href)));
}
