const TAG = "project-instructions";
const ELEMENT = new RegExp(`<${TAG} file="([^"]*)"[^>]*>\\n([\\s\\S]*?)\\n</${TAG}>`, "g");

export type ElementParts = {
  /** The path as the model is told it. */
  readonly name: string;
  readonly body: string;
  /** The folder or the globs of the files that the text concerns; absent for all files. */
  readonly appliesTo?: string;
};

/** An instruction text as the model is sent it. */
export function instructionElement({ name, body, appliesTo }: ElementParts): string {
  const about = appliesTo === undefined ? "" : ` applies-to="${attribute(appliesTo)}"`;
  return `<${TAG} file="${attribute(name)}"${about}>\n${closed(body)}\n</${TAG}>`;
}

/** The elements in a text that a model was sent. */
export function elementsIn(text: string): readonly ElementParts[] {
  if (!text.includes(`<${TAG} `)) return [];
  return [...text.matchAll(ELEMENT)].map(([, name = "", body = ""]) => ({ name: fromAttribute(name), body }));
}

/** A text without the elements in it. */
export function withoutElements(text: string): string {
  return text.includes(`<${TAG} `) ? text.replace(ELEMENT, "") : text;
}

/** A body as it stands between the tags: it can't close its element. */
function closed(body: string): string {
  return body.replaceAll(`</${TAG}`, `<\\/${TAG}`);
}

/** A name as an attribute of an element. Names of files are untrusted text: they stay on one line and inside of their quotes. */
export function attribute(text: string): string {
  return text.replace(/[&"<>\p{C}]/gu, (char) => `&#${char.codePointAt(0)};`);
}

/** The name that an attribute stands for. */
export function fromAttribute(text: string): string {
  return text.replace(/&#(\d{1,7});/g, (_, code: string) => String.fromCodePoint(Math.min(Number(code), 0x10ffff)));
}
