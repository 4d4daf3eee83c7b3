import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { inputSchemaOf } from "../../src/contracts/define-tool.ts";
import { isJsonObject } from "../../src/contracts/message.ts";
import type { DeclaredTool } from "../../src/contracts/tool.ts";

const MAX_COLUMNS = 120;
const TOOLS = join(import.meta.dir, "../../src/services/tools");

/** `input-schemas.json`: the schema of each built-in tool's input, so that zod is not needed before the first call. */
export function inputSchemasText(): string {
  const folders = readdirSync(TOOLS, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const schemas = folders.map(({ name: folder }) => {
    const { name } = exported<DeclaredTool>(join(folder, "spec.ts"), "Spec");
    return [name, inputSchemaOf(exported<z.ZodObject>(join(folder, `${folder}.ts`), "Input"))] as const;
  });
  return `${jsonLines(Object.fromEntries(schemas), "")}\n`;
}

/** JSON in which an object or an array is on one line if it fits, as the formatter writes it. */
function jsonLines(value: unknown, indent: string, key = ""): string {
  const isList = Array.isArray(value);
  if (!isList && !isJsonObject(value)) return key + JSON.stringify(value);
  const line =
    key +
    JSON.stringify(value, null, 1)
      .replace(/(?<=\[)\n\s*|\n\s*(?=\])/g, "")
      .replace(/\n\s*/g, " ");
  if (indent.length + line.length < MAX_COLUMNS) return line;
  const inner = `${indent}  `;
  const items = Object.entries(value).map(([name, item]) =>
    jsonLines(item, inner, isList ? "" : `${JSON.stringify(name)}: `),
  );
  const [open, close] = isList ? "[]" : "{}";
  return `${key}${open}\n${items.map((item) => inner + item).join(",\n")}\n${indent}${close}`;
}

/** The export of a tool's file whose name ends with `suffix`. @throws {Error} there is none. */
function exported<Kind>(path: string, suffix: "Spec" | "Input"): Kind {
  const file = join(TOOLS, path);
  const found = Object.entries(require(file) as Record<string, unknown>).find(([name]) => name.endsWith(suffix));
  if (!found) throw new Error(`${file} exports nothing whose name ends with ${suffix}.`);
  return found[1] as Kind;
}
