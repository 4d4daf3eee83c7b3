import { z } from "zod";
import { settingsSchema } from "../../contracts/settings-schema.ts";

const LINE_CHARS = 120;

/** The JSON Schema of settings files as text, formatted as the linter of this repository requires. */
export function settingsSchemaText(): string {
  const text = JSON.stringify({ title: "Quoll settings", ...z.toJSONSchema(settingsSchema) }, null, 2);
  return `${text.replace(/^( *)(.*)\[\n([^[\]{}]*)\n *\](,?)$/gm, shortList)}\n`;
}

/** Puts a list of plain values on one line if it fits. */
function shortList(whole: string, indent: string, before: string, items: string, comma: string): string {
  const line = `${indent}${before}[${items.replace(/\s*\n\s*/g, " ").trim()}]${comma}`;
  return line.length <= LINE_CHARS ? line : whole;
}
