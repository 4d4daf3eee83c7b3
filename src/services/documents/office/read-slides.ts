import type { DocumentPart, DocumentText } from "../../../contracts/documents.ts";
import { type NewWriter, type PartsWanted, partNumbers } from "../parts-wanted.ts";
import type { Archive } from "./open-archive.ts";
import { heldThings, linkedThings, type Relation, relationsOf } from "./relations.ts";
import { writeSlide } from "./slide-content.ts";
import { elementsNamed, readXml } from "./xml-events.ts";

const PRESENTATION = "ppt/presentation.xml";

/** The slides of a PowerPoint presentation in their order, with notes and comments. */
export function readSlides(archive: Archive, wanted: PartsWanted, newWriter: NewWriter): DocumentText {
  const slides = slidesOf(archive);
  const parts: DocumentPart[] = [];
  const numbers = partNumbers(wanted, slides.length, "slide");
  for (const number of numbers) {
    if (parts.length > 0 && wanted.isEnough()) break;
    parts.push({ number, ...slidePart(archive, slides[number - 1] ?? "", newWriter) });
  }
  const read = parts.flatMap(({ number }) => slides[number - 1] ?? []);
  return {
    kind: "PowerPoint presentation",
    unit: "slide",
    total: slides.length,
    parts,
    contents: [],
    notes: [...heldThings(archive), ...linkedThings(archive, read)],
  };
}

/** The entries of the slides in the order of the presentation. */
function slidesOf(archive: Archive): readonly string[] {
  const relations = new Map(relationsOf(archive, PRESENTATION).map((relation) => [relation.id, relation.target]));
  const listed = elementsNamed(archive.text(PRESENTATION), "p:sldId");
  return listed.flatMap((slide) => relations.get(slide["r:id"] ?? "") ?? []).filter((name) => archive.has(name));
}

function slidePart(archive: Archive, name: string, newWriter: NewWriter): { title: string; text: string } {
  const xml = archive.text(name) ?? "";
  const relations = relationsOf(archive, name);
  const writer = newWriter();
  const title = writeSlide(xml, writer, { relations });
  const isHidden = elementsNamed(xml.slice(0, 5_000), "p:sld").some(({ show }) => show === "0");
  const texts = [
    writer.finish(),
    ...textsOf(archive, relations, "diagramData").map((text) => `[diagram] ${text}`),
    ...entriesOf(archive, relations, "notesSlide").map((notes) => notesText(notes, newWriter)),
    ...textsOf(archive, relations, "comments").map((text) => `Comments: ${text}`),
  ];
  const text = texts.filter((one) => one.trim() !== "").join("\n\n");
  return { title: isHidden ? `${title.trim()} (hidden)` : title, text };
}

function entriesOf(archive: Archive, relations: readonly Relation[], type: string): readonly string[] {
  const wanted = relations.filter((relation) => relation.type === type && !relation.isExternal);
  return wanted.flatMap(({ target }) => archive.text(target) ?? []);
}

function notesText(xml: string, newWriter: NewWriter): string {
  const writer = newWriter();
  writeSlide(xml, writer, { relations: [], isNotes: true });
  const text = writer.finish();
  return text === "" ? "" : `Notes: ${text}`;
}

/** The texts of related parts that are no slides, one phrase for each part. */
function textsOf(archive: Archive, relations: readonly Relation[], type: string): readonly string[] {
  return entriesOf(archive, relations, type).flatMap((xml) => {
    const texts: string[] = [];
    let isText = false;
    readXml(xml, {
      open: (name) => {
        isText = name === "a:t" || name === "p:text";
        if (isText) texts.push("");
      },
      text: (text) => {
        if (isText) texts.push((texts.pop() ?? "") + text);
      },
      close: () => {
        isText = false;
      },
    });
    return texts.length > 0 ? [texts.join("; ")] : [];
  });
}
