import { Flow } from "./flow.ts";
import { type Cell, tableText } from "./table-text.ts";

/** The name of the frame of the page's content, which may be any element. */
export const MAIN = "(main)";
const FRAMES: ReadonlySet<string> = new Set(
  "ul ol menu li blockquote table tr td th caption dd summary h1 h2 h3 h4 h5 h6".split(" "),
);

/** An open element whose content becomes one block, or a cell. */
export type Frame = {
  readonly name: string;
  readonly flow: Flow;
  /** For a list: its finished items. */
  readonly items?: string[];
  /** For a list with numbers: the number of the next item. */
  number?: number;
  /** For a table: its cells, each with a flow of its own. */
  readonly rows?: Cell[][];
  caption?: string;
};

export function isFrame(name: string): boolean {
  return FRAMES.has(name);
}

export function isList(name: string): boolean {
  return name === "ul" || name === "ol" || name === "menu";
}

/** @param start The attribute of a list with numbers. */
export function newFrame(name: string, start: string | undefined): Frame {
  const first = Number(start ?? 1);
  return {
    name,
    flow: new Flow(),
    ...(name === "ol" && { number: Number.isInteger(first) ? first : 1 }),
    ...(isList(name) && { items: [] }),
    ...(name === "table" && { rows: [] }),
  };
}

/** Puts the content of a frame that has ended into the frame around it. Cells stay where they are until their table ends. */
export function endFrame({ name, flow, items, rows, caption }: Frame, outer: Frame): void {
  if (items) outer.flow.add([...items, flow.text()].filter((text) => text !== "").join("\n"));
  else if (rows) outer.flow.add(tableText(rows, caption ?? ""));
  else if (name === "li") addItem(flow.text("\n"), outer);
  else if (name === "caption") outer.caption = flow.text(" ");
  else outer.flow.add(blockText(name, flow));
}

function addItem(text: string, list: Frame): void {
  if (text === "") return;
  const bullet = list.number === undefined ? "- " : `${list.number}. `;
  if (list.number !== undefined) list.number += 1;
  list.items?.push(bullet + text.replace(/\n(?=.)/g, `\n${" ".repeat(bullet.length)}`));
}

function blockText(name: string, flow: Flow): string {
  if (name === "td" || name === "th") return "";
  if (/^h[1-6]$/.test(name)) {
    const words = flow.text(" ").replace(/\s+/g, " ").trim();
    return words === "" ? "" : `${"#".repeat(Number(name[1]))} ${words}`;
  }
  const text = flow.text();
  if (text === "") return "";
  if (name === "blockquote") return text.replace(/^/gm, "> ").replace(/^> $/gm, ">");
  if (name === "dd") return `: ${text.replace(/\n(?=.)/g, "\n  ")}`;
  const isLine = name === "summary" && !text.includes("\n");
  return isLine && !text.startsWith("**") && !text.startsWith("#") ? `**${text}**` : text;
}
