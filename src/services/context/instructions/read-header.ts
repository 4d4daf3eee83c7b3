import { markdownParts } from "./code-spans.ts";

/** The header of a rule: the text between its first two lines of `---`. */
export type RuleHeader = {
  /** Globs of the files to which the rule applies; empty if it names none. */
  readonly globs: readonly string[];
  readonly alwaysApply: boolean | undefined;
  readonly description: string | undefined;
};

const HEADER = /^---[ \t]*\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\n|$)/;
const FIELD = /^([A-Za-z][\w-]*)[ \t]*:(.*)$/s;
const ITEM = /^[ \t]*-[ \t](.*)$/s;

/**
 * Reads the header of a rule. Parses the part of YAML that these headers use: text, true and false, lists on one line,
 * lists with one item per line, and globs separated by commas.
 * @param text With `\n` at the end of lines.
 * @returns the header and the text after it; an empty header if there is none.
 */
export function readHeader(text: string): { readonly header: RuleHeader; readonly body: string } {
  const { fields, body } = headerFields(text);
  const one = (name: string) => fields.get(name)?.[0];
  const always = one("alwaysApply");
  return {
    header: {
      globs: [...(fields.get("paths") ?? []), ...(fields.get("globs") ?? [])].flatMap(splitGlobs),
      alwaysApply: always === "true" ? true : always === "false" ? false : undefined,
      description: one("description") || undefined,
    },
    body,
  };
}

/**
 * The fields between the first two lines of `---` with their values, as text, and the text after them.
 * @param text With `\n` at the end of lines.
 */
export function headerFields(text: string): {
  readonly fields: ReadonlyMap<string, readonly string[]>;
  readonly body: string;
} {
  const found = HEADER.exec(text);
  if (!found) return { fields: new Map(), body: text };
  return { fields: fieldsOf(found[1] ?? ""), body: text.slice(found[0].length) };
}

/** Removes HTML comments from the text, except those in code. An open comment is kept, since nobody closed it. */
export function withoutComments(text: string): string {
  if (!text.includes("<!--")) return text;
  return markdownParts(text)
    .map(({ text: part, isCode }) => (isCode ? part : partWithoutComments(part)))
    .join("");
}

function partWithoutComments(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (;;) {
    const start = text.indexOf("<!--", from);
    const end = start < 0 ? -1 : text.indexOf("-->", start + 4);
    kept.push(text.slice(from, end < 0 ? undefined : start));
    if (end < 0) return kept.join("");
    from = end + 3;
  }
}

function fieldsOf(header: string): ReadonlyMap<string, readonly string[]> {
  const fields = new Map<string, readonly string[]>();
  let last = "";
  for (const line of header.split("\n")) {
    const [, name, value = ""] = FIELD.exec(line) ?? [];
    const item = ITEM.exec(line)?.[1];
    if (name !== undefined) {
      last = name;
      fields.set(name, valuesOf(value));
    } else if (item !== undefined && last !== "") fields.set(last, [...(fields.get(last) ?? []), unquoted(item)]);
  }
  return fields;
}

function valuesOf(value: string): readonly string[] {
  const text = value.trim();
  if (text === "") return [];
  const list = /^\[(.*)\]$/.exec(text)?.[1];
  return list === undefined ? [unquoted(text)] : splitGlobs(list).map(unquoted);
}

function unquoted(value: string): string {
  const text = value.trim();
  return /^"(.*)"$/.exec(text)?.[1] ?? /^'(.*)'$/.exec(text)?.[1] ?? text;
}

/** Splits at commas outside braces: `a/*.{ts,tsx}, b` contains two globs. */
function splitGlobs(text: string): readonly string[] {
  const globs: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at += 1) {
    if (text[at] === "{") depth += 1;
    if (text[at] === "}") depth -= 1;
    if (at < text.length && (text[at] !== "," || depth > 0)) continue;
    globs.push(text.slice(start, at).trim());
    start = at + 1;
  }
  return globs.filter((glob) => glob !== "");
}
