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
    const { name } = exported<DeclaredTool>(join(folder, "spec.ts"), "Spec");
    return [name, inputSchemaOf(exported<z.ZodObject>(join(folder, `${folder}.ts`), "Input"))] as const;
  });
  return `${JSON.stringify(Object.fromEntries(schemas), null, 2)}\n`;
}

/** The export of a tool's file whose name ends with `suffix`. @throws {Error} there is none. */
function exported<Kind>(path: string, suffix: "Spec" | "Input"): Kind {
  const file = join(TOOLS, path);
  const found = Object.entries(require(file) as Record<string, unknown>).find(([name]) => name.endsWith(suffix));
  if (!found) throw new Error(`${file} exports nothing whose name ends with ${suffix}.`);
  return found[1] as Kind;
}
