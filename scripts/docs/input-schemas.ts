import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { inputSchemaOf } from "../../src/contracts/define-tool.ts";
import type { DeclaredTool } from "../../src/contracts/tool.ts";

const TOOLS = join(import.meta.dir, "../../src/services/tools");

/** `input-schemas.json`: the schema of each built-in tool's input, so that zod is not needed before the first call. */
export function inputSchemasText(): string {
  const folders = readdirSync(TOOLS, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const schemas = folders.map(({ name: folder }) => {
    const { name } = exported<DeclaredTool>(folder, "Spec");
    return [name, inputSchemaOf(exported<z.ZodObject>(folder, "Input"))] as const;
  });
  return `${JSON.stringify(Object.fromEntries(schemas), null, 2)}\n`;
}

/** The export of `spec.ts` or `input.ts` whose name ends with the file's name. @throws {Error} there is none. */
function exported<Kind>(folder: string, suffix: "Spec" | "Input"): Kind {
  const file = join(TOOLS, folder, `${suffix.toLowerCase()}.ts`);
  const found = Object.entries(require(file) as Record<string, unknown>).find(([name]) => name.endsWith(suffix));
  if (!found) throw new Error(`${file} exports nothing whose name ends with ${suffix}.`);
  return found[1] as Kind;
}
