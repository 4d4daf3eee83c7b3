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
