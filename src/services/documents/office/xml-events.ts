import { Parser } from "htmlparser2";

export type XmlAttributes = Readonly<Record<string, string>>;

export type XmlEvents = {
  /** @param name With its prefix: `a:p`. */
  open(name: string, attributes: XmlAttributes): void;
  text?(text: string): void;
  close?(name: string): void;
};

/** Parsed at once: between two pieces, the memory of the last can be freed. */
const PIECE_CHARS = 256 * 1024;

/**
 * Reads XML as events. Only the five entities of XML and numbers are replaced; entities that a document declares stay as
 * they are written, so that no text grows.
 */
export function readXml(xml: string, { open, text, close }: XmlEvents): void {
  const parser = new Parser(
    {
      onopentag: open,
      ...(text && { ontext: text }),
      ...(close && { onclosetag: (name) => close(name) }),
    },
    { xmlMode: true, decodeEntities: true },
  );
  for (let at = 0; at < xml.length; at += PIECE_CHARS) parser.write(xml.slice(at, at + PIECE_CHARS));
  parser.end();
}

/** The attributes of all elements of a name. */
export function elementsNamed(xml: string | undefined, wanted: string): readonly XmlAttributes[] {
  const found: XmlAttributes[] = [];
  readXml(xml ?? "", { open: (name, attributes) => void (name === wanted && found.push(attributes)) });
  return found;
}
