import { namesOf } from "../named.ts";
import type { Archive } from "./open-archive.ts";
import { relationsOf } from "./relations.ts";

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
