import { readXml, type XmlAttributes } from "./xml-events.ts";

/** What the styles of an OpenDocument file say about its text (OpenDocument 1.3, part 3, 16). */
export type Styles = {
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
