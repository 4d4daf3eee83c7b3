import { namesOf } from "../named.ts";
import type { Archive } from "./open-archive.ts";
import { elementsNamed } from "./xml-events.ts";

/** A relation of a part of an Office file to another part, or to something outside (ECMA-376, part 2, 9). */
export type Relation = {
  readonly id: string;
  /** The last word of its type: `slide`, `hyperlink`. */
  readonly type: string;
  /** The name of an entry, or an address. */
  readonly target: string;
  readonly isExternal: boolean;
};

/** The relations of an entry. */
export function relationsOf(archive: Archive, name: string): readonly Relation[] {
  const folder = name.slice(0, name.lastIndexOf("/") + 1);
  const list = `${folder}_rels/${name.slice(folder.length)}.rels`;
  return elementsNamed(archive.text(list), "Relationship").map(({ Id = "", Type = "", Target = "", TargetMode }) => {
    const isExternal = TargetMode === "External";
    const target = isExternal ? Target : entryName(folder, Target);
    return { id: Id, type: Type.slice(Type.lastIndexOf("/") + 1), target, isExternal };
  });
}

/** The name of the entry that a part in a folder means: `slides/slide1.xml`, `../media/a.png` or `/ppt/a.xml`. */
export function entryName(folder: string, target: string): string {
  const path = target.startsWith("/") ? target : `/${folder}${target}`;
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return names.join("/");
}

const MACROS = /(?:^|\/)(?:vbaProject\.bin|Basic\/.*\.xml|Scripts\/.+)$/i;
const EMBEDDED = /^(?:word|xl|ppt)\/(?:embeddings|activeX)\/[^_][^/]*$|^Object[^/]*\/content\.xml$/i;
const PICTURES = /^(?:word|xl|ppt)\/media\/|^Pictures\//i;
const CHARTS = /^(?:word|xl|ppt)\/charts\/chart\d*\.xml$/i;

/** Phrases for what a document holds beside its text: none of it is opened. */
export function heldThings(archive: Archive): readonly string[] {
  const { names } = archive;
  const macros = names.filter((name) => MACROS.test(name));
  const pictures = names.filter((name) => PICTURES.test(name)).length;
  const charts = names.filter((name) => CHARTS.test(name)).length;
  return [
    ...(macros.length > 0 ? ["it holds macros, which were not run"] : []),
    ...namesOf(
      "embedded files, not opened",
      names.filter((name) => EMBEDDED.test(name)),
    ),
    ...(pictures > 0 ? [`pictures, not shown: ${pictures}`] : []),
    ...(charts > 0 ? [`charts, not shown: ${charts}`] : []),
  ];
}

/** Files and addresses outside that an Office file would load, links for readers excepted. */
export function linkedThings(archive: Archive, parts: readonly string[]): readonly string[] {
  const outside = parts.flatMap((part) => relationsOf(archive, part).filter(({ isExternal }) => isExternal));
  const loaded = outside.filter(({ type }) => type !== "hyperlink").map(({ target }) => target);
  return namesOf("linked files, not opened", new Set(loaded));
}
