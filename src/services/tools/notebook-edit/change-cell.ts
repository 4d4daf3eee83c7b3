import { findNodeAtLocation, getNodeValue, type Node, type ParseError, parseTree } from "jsonc-parser/lib/esm/main.js";
import { ToolFailedError } from "../../../contracts/errors.ts";
import { randomHex } from "../../../platform/digest.ts";

const DEFAULT_INDENT = " ";
/** Ids of cells came with nbformat 4.5. */
const MINOR_WITH_IDS = 5;

export type CellType = "code" | "markdown" | "raw";

export type CellChange =
  | { readonly mode: "replace"; readonly cell: string; readonly source: string; readonly type?: CellType | undefined }
  /** `cell`: the one before; undefined: at the top. */
  | { readonly mode: "insert"; readonly cell: string | undefined; readonly source: string; readonly type: CellType }
  | { readonly mode: "delete"; readonly cell: string };

export type ChangedNotebook = {
  readonly text: string;
  /** The number of the cell, from 1; of a deleted one, where it was. */
  readonly number: number;
  readonly id: string | undefined;
  /** The cell's type before the change; of an inserted one, its own. */
  readonly type: string;
  /** The cell's source before and after the change; "" where there is no cell. */
  readonly before: string;
  readonly after: string;
  /** The cell keeps outputs of its earlier source. */
  readonly keepsOutputs: boolean;
};

/**
 * Changes one cell of a notebook (nbformat 4, "The Notebook file format") and leaves every other character of the file
 * as it is.
 * @param shown The file's name for messages.
 * @throws {ToolFailedError} no notebook, or no such cell.
 */
export function changeCell(text: string, change: CellChange, shown: string): ChangedNotebook {
  const { root, cells } = parseNotebook(text, shown);
  const style = styleOf(text, root);
  if (change.mode === "insert") return insertCell(text, { root, cells, style }, change, shown);
  const at = indexOf(cells, change.cell, shown);
  const node = cells[at];
  if (!node) throw noSuchCell(cells, change.cell, shown);
  const about = { number: at + 1, id: idOf(node), type: typeOf(node), before: sourceOf(node) };
  if (change.mode === "delete") return { ...about, after: "", text: withoutCell(text, cells, at), keepsOutputs: false };
  const { type } = change;
  const source = withFinalBreak(change.source, about.before);
  const isOther = type !== undefined && type !== about.type;
  const next = isOther ? withType(text, node, { source, type }, style) : withSource(text, node, source, style);
  return { ...about, after: source, text: next, keepsOutputs: !isOther && hasOutputs(node) };
}

/** A source that ended in a line break still does: models leave the last one out. */
function withFinalBreak(source: string, before: string): string {
  return source !== "" && before.endsWith("\n") && !source.endsWith("\n") ? `${source}\n` : source;
}

type Style = {
  /** The white space of one level; undefined: the file is one line. */
  readonly indent: string | undefined;
  readonly eol: string;
};

function parseNotebook(text: string, shown: string): { readonly root: Node; readonly cells: readonly Node[] } {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true });
  if (!root || errors.length > 0)
    throw new ToolFailedError(`${shown} is not a notebook: it is not valid JSON. Change it with Edit.`);
  const format: unknown = findNodeAtLocation(root, ["nbformat"])?.value;
  const cells = findNodeAtLocation(root, ["cells"]);
  if (format === 4 && cells?.type === "array") return { root, cells: cells.children ?? [] };
  if (format === 3)
    throw new ToolFailedError(
      `${shown} is a notebook of format 3, not 4. Convert it first: \`jupyter nbconvert --to notebook --inplace FILE\`.`,
    );
  const why = format === 4 ? "it has no cells" : `its nbformat is ${format ?? "missing"}, not 4`;
  throw new ToolFailedError(`${shown} is not a notebook: ${why}.`);
}

function styleOf(text: string, root: Node): Style {
  const first = root.children?.[0];
  const gap = first ? text.slice(root.offset + 1, first.offset) : "";
  const isOneLine = !gap.includes("\n");
  return {
    indent: isOneLine ? undefined : gap.slice(gap.lastIndexOf("\n") + 1) || DEFAULT_INDENT,
    eol: gap.includes("\r\n") ? "\r\n" : "\n",
  };
}

/** The cell with this id, else with this number. */
function indexOf(cells: readonly Node[], cell: string, shown: string): number {
  const byId = cells.findIndex((node) => idOf(node) === cell);
  const number = /^\d+$/.test(cell) ? Number(cell) : Number.NaN;
  const at = byId >= 0 ? byId : number - 1;
  if (!cells[at]) throw noSuchCell(cells, cell, shown);
  return at;
}

function noSuchCell(cells: readonly Node[], cell: string, shown: string): ToolFailedError {
  return new ToolFailedError(
    `${shown} has no cell ${cell}: it has ${cells.length}. Read it for their numbers and ids.`,
  );
}

function idOf(node: Node): string | undefined {
  const id: unknown = findNodeAtLocation(node, ["id"])?.value;
  return typeof id === "string" ? id : undefined;
}

function typeOf(node: Node): string {
  const type: unknown = findNodeAtLocation(node, ["cell_type"])?.value;
  return typeof type === "string" ? type : "";
}

function sourceOf(node: Node): string {
  const source = findNodeAtLocation(node, ["source"]);
  const value: unknown = source && getNodeValue(source);
  return Array.isArray(value) ? value.join("") : typeof value === "string" ? value : "";
}

function hasOutputs(node: Node): boolean {
  return (findNodeAtLocation(node, ["outputs"])?.children?.length ?? 0) > 0;
}

function withSource(text: string, node: Node, source: string, style: Style): string {
  const value = findNodeAtLocation(node, ["source"]);
  if (!value) return withType(text, node, { source, type: undefined }, style);
  const isString = value.type === "string";
  return replaced(text, value, write(isString ? source : linesOf(source), style, columnOf(text, value.offset)));
}

/** Writes the whole cell anew: another type has other keys. */
function withType(
  text: string,
  node: Node,
  { source, type }: { readonly source: string; readonly type: CellType | undefined },
  style: Style,
): string {
  const { outputs = [], execution_count = null, ...rest } = getNodeValue(node) as Record<string, unknown>;
  const isList = Array.isArray(rest["source"]) || rest["source"] === undefined;
  const cellType = type ?? rest["cell_type"];
  const cell = {
    ...rest,
    cell_type: cellType,
    source: isList ? linesOf(source) : source,
    ...(cellType === "code" && { execution_count, outputs }),
  };
  return replaced(text, node, write(cell, style, columnOf(text, node.offset)));
}

type Parsed = { readonly root: Node; readonly cells: readonly Node[]; readonly style: Style };

function insertCell(
  text: string,
  { root, cells, style }: Parsed,
  { cell, source, type }: Extract<CellChange, { mode: "insert" }>,
  shown: string,
): ChangedNotebook {
  const at = cell === undefined ? 0 : indexOf(cells, cell, shown) + 1;
  const minor: unknown = findNodeAtLocation(root, ["nbformat_minor"])?.value;
  const id = typeof minor === "number" && minor >= MINOR_WITH_IDS ? newId(cells) : undefined;
  const model = cells.find((one) => findNodeAtLocation(one, ["cell_type"])?.value === type) ?? cells[0];
  const isString = model && findNodeAtLocation(model, ["source"])?.type === "string";
  const made = {
    cell_type: type,
    ...(type === "code" && { execution_count: null, outputs: [] }),
    ...(id !== undefined && { id }),
    metadata: {},
    source: isString ? source : linesOf(source),
  };
  const next = placed(text, { root, cells, style }, at, made);
  return { text: next, number: at + 1, id, type, before: "", after: source, keepsOutputs: false };
}

function placed(text: string, { root, cells, style }: Parsed, at: number, value: unknown): string {
  const list = findNodeAtLocation(root, ["cells"]);
  if (!list) return text;
  const { indent, eol } = style;
  const above = columnOf(text, list.offset);
  const own = cells[0] ? columnOf(text, cells[0].offset) : `${above}${indent ?? ""}`;
  const written = write(value, style, own);
  const gap = indent === undefined ? "" : `${eol}${own}`;
  if (cells.length === 0)
    return replaced(text, list, indent === undefined ? `[${written}]` : `[${gap}${written}${eol}${above}]`);
  const separator = `,${gap}`;
  const before = cells[at - 1];
  if (before) return inserted(text, before.offset + before.length, `${separator}${written}`);
  return inserted(text, cells[0]?.offset ?? 0, `${written}${separator}`);
}

function withoutCell(text: string, cells: readonly Node[], at: number): string {
  const [before, node, after] = [cells[at - 1], cells[at], cells[at + 1]];
  if (!node) return text;
  if (after) return text.slice(0, node.offset) + text.slice(after.offset);
  const end = node.offset + node.length;
  if (before) return text.slice(0, before.offset + before.length) + text.slice(end);
  // The only cell: the list becomes empty.
  return text.slice(0, text.lastIndexOf("[", node.offset) + 1) + text.slice(text.indexOf("]", end));
}

function newId(cells: readonly Node[]): string {
  const taken = new Set(cells.map(idOf));
  for (;;) {
    const id = randomHex(4);
    if (!taken.has(id)) return id;
  }
}

/** A source as a list: each line with its end. */
function linesOf(source: string): readonly string[] {
  return source.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** @param above The white space at the start of the line that the value begins in. */
function write(value: unknown, { indent, eol }: Style, above: string): string {
  return JSON.stringify(value, null, indent).replaceAll("\n", `${eol}${above}`);
}

/** The white space at the start of the line of a position. */
function columnOf(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

function replaced(text: string, { offset, length }: Node, next: string): string {
  return text.slice(0, offset) + next + text.slice(offset + length);
}

function inserted(text: string, offset: number, next: string): string {
  return text.slice(0, offset) + next + text.slice(offset);
}
