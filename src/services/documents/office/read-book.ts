import { Parser } from "htmlparser2";
import { decodedEscapes } from "../../../contracts/decoded-escapes.ts";
import type { DocumentPart, DocumentText } from "../../../contracts/documents.ts";
import { DocumentProblem } from "../document-order.ts";
import { type NewWriter, type PartsWanted, partNumbers } from "../parts-wanted.ts";
import type { Archive } from "./open-archive.ts";
import { entryName } from "./relations.ts";
import { elementsNamed, readXml } from "./xml-events.ts";

const MAX_TITLES = 200;
/** Ways to disguise fonts, which leave the text as it is (EPUB 3.3, 4.2.6.3.1). */
const FONTS_ONLY = /^http:\/\/(?:www\.idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC)$/;

/**
 * The chapters of an EPUB book in the order of reading.
 * @throws {DocumentProblem} it is protected against copying, or damaged.
 */
export function readBook(archive: Archive, wanted: PartsWanted, newWriter: NewWriter): DocumentText {
  const ways = elementsNamed(archive.text("META-INF/encryption.xml"), "enc:EncryptionMethod");
  if (ways.some(({ Algorithm = "" }) => !FONTS_ONLY.test(Algorithm)))
    throw new DocumentProblem("is protected against copying (DRM), so its text can't be read.");
  const [root] = elementsNamed(archive.text("META-INF/container.xml"), "rootfile");
  const list = root?.["full-path"] ?? "";
  const xml = archive.text(list);
  if (xml === undefined) throw new DocumentProblem("is damaged: its list of chapters is missing.");
  const folder = list.slice(0, list.lastIndexOf("/") + 1);
  const items = new Map(elementsNamed(xml, "item").map((item) => [item["id"] ?? "", item]));
  const chapters = elementsNamed(xml, "itemref").flatMap(({ idref = "" }) => items.get(idref)?.["href"] ?? []);
  const entries = chapters.map((href) => nameOf(folder, href)).filter((name) => archive.has(name));
  const titles = titlesOf(archive, folder, [...items.values()]);
  const parts: DocumentPart[] = [];
  for (const number of partNumbers(wanted, entries.length, "chapter")) {
    if (parts.length > 0 && wanted.isEnough()) break;
    const name = entries[number - 1] ?? "";
    parts.push({ number, title: titles.get(name) ?? "", text: chapterText(archive.text(name) ?? "", newWriter) });
  }
  const contents = entries.flatMap((name, index) => ({ title: titles.get(name) ?? "", number: index + 1 }));
  const named = contents.filter(({ title }) => title !== "").slice(0, MAX_TITLES);
  const isPart = parts.length < entries.length;
  const about = [textIn(xml, "dc:title"), textIn(xml, "dc:creator")].filter((text) => text !== "");
  const notes = about.length > 0 ? [`title: ${about.join(", by ")}`] : [];
  return { kind: "EPUB book", unit: "chapter", total: entries.length, parts, contents: isPart ? named : [], notes };
}

function nameOf(folder: string, href: string): string {
  const path = href.replace(/#.*$/s, "");
  return entryName(folder, URL.canParse(path) ? path : (decodedEscapes(path) ?? path));
}

function chapterText(xhtml: string, newWriter: NewWriter): string {
  const writer = newWriter();
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        if (name === "img" || name === "image") writer.text(attributes["alt"] ? `[picture: ${attributes["alt"]}]` : "");
        else writer.open(name, attributes);
      },
      ontext: (text) => writer.text(text),
      onclosetag: (name) => writer.close(name),
    },
    { recognizeSelfClosing: true },
  );
  parser.end(xhtml);
  return writer.finish();
}

/** The names of the entries of chapters, from the book's own table of contents (EPUB 3 `nav`, or the older NCX). */
function titlesOf(
  archive: Archive,
  folder: string,
  items: readonly Readonly<Record<string, string>>[],
): ReadonlyMap<string, string> {
  const titles = new Map<string, string>();
  const add = (from: string, href: string, title: string) => {
    const name = nameOf(from.slice(0, from.lastIndexOf("/") + 1), href);
    const text = title.replace(/\s+/g, " ").trim();
    if (text !== "" && !titles.has(name)) titles.set(name, text);
  };
  const nav = items.find(({ properties = "" }) => /\bnav\b/.test(properties));
  const ncx = items.find((item) => item["media-type"] === "application/x-dtbncx+xml");
  for (const item of [nav, ncx]) {
    const entry = item?.["href"] === undefined ? "" : nameOf(folder, item["href"]);
    readTitles(archive.text(entry) ?? "", (href, title) => add(entry, href, title));
  }
  return titles;
}

function readTitles(xml: string, found: (href: string, title: string) => void): void {
  let href: string | undefined;
  let title = "";
  readXml(xml, {
    open: (name, attributes) => {
      if (name === "a" && attributes["href"]) [href, title] = [attributes["href"], ""];
      if (name === "navPoint") title = "";
      if (name === "content" && attributes["src"]) found(attributes["src"], title);
    },
    text: (text) => {
      title += text;
    },
    close: (name) => {
      if (name === "a" && href !== undefined) found(href, title);
      if (name === "a") href = undefined;
    },
  });
}

/** The text of the first element of a name. */
function textIn(xml: string, wanted: string): string {
  let [depth, text, isDone] = [0, "", false];
  readXml(xml, {
    open: (name) => {
      if (name === wanted && !isDone) depth = 1;
    },
    text: (piece) => {
      if (depth > 0) text += piece;
    },
    close: (name) => {
      if (name !== wanted || depth === 0) return;
      [depth, isDone] = [0, true];
    },
  });
  return text.replace(/\s+/g, " ").trim();
}
