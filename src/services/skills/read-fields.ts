import { isJsonObject } from "../../contracts/message.ts";
import { orUndefined } from "../../contracts/or-undefined.ts";

/** The fields of a frontmatter by name, and the problem of a malformed frontmatter. */
export type Fields = {
  readonly values: Readonly<Record<string, unknown>>;
  /** One phrase; `line` counts from 1 within the frontmatter. */
  readonly problem?: { readonly line: number; readonly text: string };
};

const FRONTMATTER = /^---[ \t]*\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\n|$)/;
const FIELD = /^([A-Za-z][\w-]*):(?:[ \t]+(.*))?$/;
const ITEM = /^[ \t]*- +(\S.*)$/;
/** A YAML scalar that means exactly its text. */
const PLAIN = /^[^\s\-?:,[\]{}#&*!|>'"%@`~][^#:]*(?:[:#](?! |$)[^#:]*)*$/;
const QUOTED = /^"([^"\\]*)"$|^'([^']*)'$/;

const HINT = /^(argument[-_]hint):[ \t]+(\[[^\]\n]*\][ \t]*[^\s#].*)$/m;
/** A text of one line that YAML takes for a field within a field, which it refuses: `description: Use it when: …`. */
const TEXT_WITH_COLON =
  /^([A-Za-z][\w-]*):[ \t]+((?![-?:][ \t])[^\s,[\]{}#&*!|>'"%@`~](?:(?![ \t]#).)*:[ \t](?:(?![ \t]#).)*)$/gm;
/** The same for a text for readers, in which a number sign begins no comment: `description: Use it when: … #12`. */
const PROSE_WITH_COLON =
  /^(description|when[-_]to[-_]use):[ \t]+((?![-?:][ \t])[^\s,[\]{}#&*!|>'"%@`~](?:(?![ \t]#).)*:[ \t].*)$/gm;
/** The maximum length of a frontmatter that is passed to the YAML parser. */
const MAX_YAML_CHARS = 64 * 1024;
const MAX_DEPTH = 50;
/** Columns before a line's text, or of list marks in front of it; nested blocks are indented further and further. */
const MAX_INDENT = 200;

/** The beginning of a text on several lines. */
const BLOCK = /^([>|])(-?)$/;

type SplitFile = {
  /** The text between the first two lines of `---`; undefined if the file does not begin with such a part. */
  readonly header: string | undefined;
  readonly body: string;
};

/** Splits a Markdown file at its frontmatter. Line ends become `\n`, and a byte order mark is left out. */
export function splitFrontmatter(file: string): SplitFile {
  const text = file.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const found = FRONTMATTER.exec(text);
  return found ? { header: found[1] ?? "", body: text.slice(found[0].length) } : { header: undefined, body: text };
}

/** Splits a Markdown file and reads its frontmatter; there are no fields without one. */
export async function readFrontmatter(file: string): Promise<SplitFile & { readonly fields: Fields }> {
  const { header, body } = splitFrontmatter(file);
  const fields = header === undefined ? { values: {} } : (plainFields(header) ?? (await yamlFields(header)));
  return { header, body, fields };
}

/**
 * The fields of a frontmatter that consists of plain lines, plain lists and texts of one paragraph, as nearly all do; undefined
 * for any other. This needs no YAML parser, whose loading takes longer than reading a hundred skills.
 */
export function plainFields(header: string): Fields | undefined {
  const values: Record<string, string | readonly string[]> = {};
  const lines = quotedTexts(header).split("\n");
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    at += 1;
    if (line.trim() === "" || line.startsWith("#")) continue;
    const [, name, given = ""] = FIELD.exec(line) ?? [];
    if (name === undefined || name in values) return undefined;
    const below = indentedFrom(lines, at);
    at += below.length;
    const value = fieldValue(given.trim(), below);
    if (value === undefined) return undefined;
    values[name] = value;
  }
  return { values };
}

/** `argument-hint: [version] [date]` and `description: Use it when: …` are no YAML, but usual: they become texts in quotes. */
function quotedTexts(header: string): string {
  const quoted = (_: string, name: string, text: string): string => `${name}: ${JSON.stringify(text.trim())}`;
  return header.replace(HINT, quoted).replace(PROSE_WITH_COLON, quoted).replace(TEXT_WITH_COLON, quoted);
}

/** The lines from `from` on that belong to the field above them. */
function indentedFrom(lines: readonly string[], from: number): readonly string[] {
  const end = lines.findIndex((line, at) => at >= from && !/^(?:[ \t]|- )/.test(line));
  return lines.slice(from, end < 0 ? undefined : end);
}

function fieldValue(text: string, below: readonly string[]): string | readonly string[] | undefined {
  if (below.length === 0) return text === "" ? "" : plainValue(text);
  const [, style, chomping] = BLOCK.exec(text) ?? [];
  if (style !== undefined) return blockText(below, style === ">" ? " " : "\n", chomping === "-" ? "" : "\n");
  if (text !== "") return undefined;
  const items = below.map((line) => plainScalar(ITEM.exec(line)?.[1]?.trim() ?? ""));
  return items.every((item) => item !== undefined) ? items : undefined;
}

/** One paragraph in which all lines begin at the same column. */
function blockText(lines: readonly string[], between: string, end: string): string | undefined {
  const indent = /^ +/.exec(lines[0] ?? "")?.[0] ?? "";
  const isEven = lines.every((line) => line.startsWith(indent) && /^[^ \t]/.test(line.slice(indent.length)));
  if (indent === "" || !isEven) return undefined;
  return lines.map((line) => line.slice(indent.length)).join(between) + end;
}

function plainValue(text: string): string | string[] | undefined {
  const list = /^\[([^[\]{}"'#]*)\]$/.exec(text)?.[1];
  if (list === undefined) return plainScalar(text);
  const items = list.split(",").map((item) => plainScalar(item.trim()));
  return items.every((item) => item !== undefined) ? items : undefined;
}

function plainScalar(text: string): string | undefined {
  const quoted = QUOTED.exec(text);
  if (quoted) return quoted[1] ?? quoted[2] ?? "";
  return PLAIN.test(text) ? text : undefined;
}

/** The fields of any frontmatter. A malformed frontmatter gives its readable lines and the problem. */
export async function yamlFields(header: string): Promise<Fields> {
  const excess = excessOf(header);
  if (excess !== undefined) return { values: {}, problem: { line: 1, text: excess } };
  const { LineCounter, parseDocument } = await import("yaml");
  const lines = new LineCounter();
  const document = parseDocument(quotedTexts(header), { lineCounter: lines, logLevel: "silent", schema: "core" });
  const [error] = document.errors;
  const value: unknown = error ? undefined : orUndefined(() => document.toJS({ maxAliasCount: 0 }));
  if (isJsonObject(value)) return { values: value };
  if (!error && value === null) return { values: {} };
  const line = error ? lines.linePos(error.pos[0]).line : 1;
  const text = error
    ? `the YAML is malformed: ${(error.message.split("\n")[0] ?? "").replace(/ at line \d+.*$/, "")}`
    : "it is not a list of fields";
  return { values: lineFields(header), problem: { line, text } };
}

/**
 * The reason why a frontmatter is not parsed: the YAML parser takes minutes for some texts. Brackets in quotes are
 * counted too.
 */
function excessOf(header: string): string | undefined {
  if (header.length > MAX_YAML_CHARS)
    return `the frontmatter is ignored: it has more than ${MAX_YAML_CHARS} characters`;
  let depth = 0;
  let deepest = 0;
  for (const [bracket] of header.matchAll(/[[\]{}]/g)) {
    depth = bracket === "[" || bracket === "{" ? depth + 1 : Math.max(0, depth - 1);
    deepest = Math.max(deepest, depth);
  }
  const nested = header.match(/^(?: +|(?:[-?:] +)+)/gm) ?? [];
  const indent = nested.reduce((most, { length }) => Math.max(most, length), 0);
  return deepest > MAX_DEPTH || indent > MAX_INDENT ? "the frontmatter is ignored: it is nested too deeply" : undefined;
}

/** The text after the colon of each line, for a frontmatter that is no YAML: `description: Use it when: …`. */
function lineFields(header: string): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const line of header.split("\n")) {
    const [, name, given = ""] = FIELD.exec(line) ?? [];
    if (name !== undefined) values[name] = QUOTED.exec(given.trim())?.slice(1).join("") ?? given.trim();
  }
  return values;
}
