/** Marks a page as generated. */
export const GENERATED_NOTE = "<!-- Generated from the code by `npm run docs`: do not edit. -->";

/** A Markdown table. Bars in cells are escaped, line ends become spaces. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

/** Fields and their meanings, in one cell. */
export function fieldList(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, meaning]) => `\`${name}\` ${meaning}`)
    .join("; ");
}

/** Joins the blocks of a page with empty lines between; ends it with a line end. */
export function page(title: string, ...blocks: readonly string[]): string {
  return `${[`# ${title}`, GENERATED_NOTE, ...blocks].join("\n\n")}\n`;
}

function cell(text: string): string {
  return text.replace(/\s*\n\s*/g, " ").replaceAll("|", "\\|");
}

/** A page without its fenced blocks of code. */
export function withoutFences(markdown: string): string {
  return markdown.replace(/^(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1[`~]*\s*$/gm, "");
}
