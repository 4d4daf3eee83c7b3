const TAG = "project-instructions";

export type ElementParts = {
  /** The path in the form for the model. */
  readonly name: string;
  readonly body: string;
  /** The folder or the globs to which the text applies; absent for all files. */
  readonly appliesTo?: string;
};

/** An instruction text in the form that is sent to the model. */
export function instructionElement({ name, body, appliesTo }: ElementParts): string {
  const about = appliesTo === undefined ? "" : ` applies-to="${attribute(appliesTo)}"`;
  return `<${TAG} file="${attribute(name)}"${about}>\n${closed(body)}\n</${TAG}>`;
}

/** The elements in a text that a model was sent. */
export function elementsIn(text: string): readonly ElementParts[] {
  return taggedElements(text, [TAG]).map(({ name, body }) => ({ name, body }));
}

/** Removes the instruction elements from a text. */
export function withoutElements(text: string): string {
  const elements = taggedElements(text, [TAG]);
  const ends = [0, ...elements.map(({ end }) => end)];
  return ends.map((from, at) => text.slice(from, elements[at]?.start)).join("");
}

/** An element in a text. `start` and `end`: the position of the element; `end` is after the closing tag. */
export type TaggedElement = {
  readonly tag: string;
  /** Its first attribute. */
  readonly name: string;
  readonly body: string;
  readonly start: number;
  readonly end: number;
};

/** The elements with these tags in a text, in order. Reads the text once, however many openings nobody closed. */
export function taggedElements(text: string, tags: readonly string[]): readonly TaggedElement[] {
  const opening = new RegExp(`<(${tags.join("|")}) (?:file|folder)="([^"<>\\n]*)"[^<>\\n]*>\\n`, "g");
  const unclosed = new Set<string>();
  const found: TaggedElement[] = [];
  for (let open = opening.exec(text); open; open = opening.exec(text)) {
    const [head, tag = "", name = ""] = open;
    if (unclosed.has(tag)) continue;
    const from = open.index + head.length;
    const close = `\n</${tag}>`;
    const at = text.indexOf(close, from);
    if (at < 0) {
      unclosed.add(tag);
      continue;
    }
    opening.lastIndex = at + close.length;
    const place = { start: open.index, end: opening.lastIndex };
    found.push({ tag, name: fromAttribute(name), body: text.slice(from, at), ...place });
  }
  return found;
}

/** Escapes a body so that it can't close its element. */
function closed(body: string): string {
  return body.replaceAll(`</${TAG}`, `<\\/${TAG}`);
}

/**
 * A name as an attribute of an element. Names of files are untrusted text: they must stay on one line and inside their
 * quotes.
 */
export function attribute(text: string): string {
  return text.replace(/[&"<>\p{C}]/gu, (char) => `&#${char.codePointAt(0)};`);
}

/** Decodes the name in an attribute. */
function fromAttribute(text: string): string {
  return text.replace(/&#(\d{1,7});/g, (_, code: string) => String.fromCodePoint(Math.min(Number(code), 0x10ffff)));
}
